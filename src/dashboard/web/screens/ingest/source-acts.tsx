// What can be done with a channel: look now, pause, go on, look again at one that was given up, and follow it no more.

import { ask } from '../../lib/api.ts';
import { firstClick } from '../../lib/hooks/use-once.ts';
import { go } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import type { Source } from '../../lib/wire/ingest.ts';
import { confirm } from '../../ui/dialog.tsx';
import { attempt } from '../../ui/toast.tsx';

type Deed = 'run' | 'pause' | 'resume';

interface Acts {
  readonly source: Source;
  readonly reload: () => Promise<void>;
}

export function SourceActs({ source, reload }: Acts) {
  const { id, source: name, state, nextLookReason } = source;
  if (!may('operator')) return null;
  const steer = async (deed: Deed, told: string) => {
    await attempt(async () => {
      await ask('POST', `${pathOf(id)}/${deed}`);
      return told;
    });
    await reload();
  };
  const act = (label: string, deed: Deed, told: string) => (
    <button
      type="button"
      aria-label={`${label}: ${name}`}
      onClick={firstClick(() => steer(deed, told))}
    >
      {label}
    </button>
  );
  return (
    <span class="actions">
      {state === 'dead' ? act('Look again', 'resume', `${name} is looked at again.`) : null}
      {state === 'paused' ? act('Resume', 'resume', `${name} is looked at again.`) : null}
      {state === 'active' && nextLookReason !== 'pushed'
        ? act('Look now', 'run', `${name} is looked at now.`)
        : null}
      {state === 'active' ? act('Pause', 'pause', `${name} is paused.`) : null}
    </span>
  );
}

interface Removal {
  readonly source: Source;
  readonly leave: (isLeaving: boolean) => void;
}

export function RemoveSource({ source, leave }: Removal) {
  const { id, source: name, cursor } = source;
  if (!may('operator')) return null;
  const remove = async () => {
    const text =
      `All its posts that are stored here (up to message ${cursor.lastId}) are deleted with their former states, ` +
      'and so is how far it was read. Followed again, it is read from its beginning; what the channel has deleted ' +
      'since is lost. This cannot be taken back.';
    const title = `Follow ${name} no more?`;
    if (!(await confirm({ title, text, yes: 'Delete its posts', isDangerous: true }))) return;
    leave(true);
    const isDone = await attempt(async () => {
      await ask('DELETE', pathOf(id));
      return `${name} is followed no more.`;
    });
    if (isDone) go('ingest');
    else leave(false);
  };
  return (
    <button type="button" class="danger" onClick={() => void remove()}>
      Remove
    </button>
  );
}

function pathOf(id: string): string {
  return `/v1/ingest/sources/${encodeURIComponent(id)}`;
}
