// Making a key, wherever one asks for it: the form, then the secret, which is shown once. Stands apart from the row
// that asked for it, which may scroll away or go.

import { useEffect } from 'preact/hooks';
import { may } from '../../lib/session-store.ts';
import { Store, useStore } from '../../lib/store.ts';
import type { NewKey } from '../../lib/wire/more.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { KeyForm, type WantedKey } from './key-form.tsx';

type Asked =
  | { kind: 'none' }
  | { kind: 'form'; wanted: Partial<WantedKey> }
  | { kind: 'made'; key: NewKey };

const NONE: Asked = { kind: 'none' };
const asked = new Store<Asked>(NONE);
// Counted up with every key, for those who list them.
export const keysMade = new Store(0);

export function askForKey(wanted: Partial<WantedKey> = {}): void {
  asked.set({ kind: 'form', wanted });
}

export function showSecret(key: NewKey): void {
  keysMade.set(keysMade.value + 1);
  asked.set({ kind: 'made', key });
}

// A key that may write to this chat and to nobody else.
export function ChatKeyButton({ account, chat }: { account: string; chat: string }) {
  if (!may('admin') || chat === '') return null;
  const ask = () => askForKey({ name: `chat ${chat}`, account, chats: chat });
  return (
    <button type="button" aria-label={`Key… for chat ${chat}`} onClick={ask}>
      Key…
    </button>
  );
}

export function KeyDialogs() {
  const now = useStore(asked);
  const close = () => asked.set(NONE);
  // Whoever comes in next has not asked for it, and the secret is not theirs.
  useEffect(() => close, []);
  switch (now.kind) {
    case 'none':
      return null;
    case 'form':
      return <KeyForm wanted={now.wanted} made={showSecret} close={close} />;
    case 'made':
      return <Secret made={now.key} close={close} />;
  }
}

function Secret({ made, close }: { made: NewKey; close: () => void }) {
  return (
    <Dialog title={`The secret of ${made.name}`} onClose={close}>
      <p>It is shown this once. Keep it where secrets are kept; the gateway keeps only its hash.</p>
      <output class="secret mono">{made.secret}</output>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={close}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}
