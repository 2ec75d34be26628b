// Every shortcut there is, and the list of them that `?` shows.

import { moveAlongRows, type Shortcut } from './lib/keys.ts';
import { go, goSearch } from './lib/route.ts';
import { Store } from './lib/store.ts';
import { toggleTheme } from './lib/theme.ts';
import { SCREENS } from './screens.ts';
import { Dialog } from './ui/dialog.tsx';

export const help = new Store(false);

export const SHORTCUTS: readonly Shortcut[] = [
  ...SCREENS.flatMap(({ path, title, key }) =>
    key === null ? [] : [{ keys: `g ${key}`, does: `go to ${title}`, run: () => go(path) }],
  ),
  { keys: '/', does: 'search', run: goSearch },
  { keys: 'j', does: 'next row', run: () => moveAlongRows(1) },
  { keys: 'k', does: 'previous row', run: () => moveAlongRows(-1) },
  { keys: 't', does: 'dark or light', run: toggleTheme },
  { keys: '?', does: 'this list', run: () => help.set(true) },
];

export function ShortcutHelp() {
  const close = () => help.set(false);
  return (
    <Dialog title="Shortcuts" onClose={close}>
      <dl class="shortcuts">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>Enter</kbd>
          </dt>
          <dd>open the row</dd>
        </div>
      </dl>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
