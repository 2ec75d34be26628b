// What can be done to one dead letter: try it again, change it first, give it up.

import { doToSome } from '../../lib/dead.ts';
import { may } from '../../lib/session-store.ts';
import type { Brief } from '../../lib/wire/wire.ts';
import { confirm } from '../../ui/dialog.tsx';
import { attempt } from '../../ui/toast.tsx';
import { edit } from './edit-letter.tsx';

export function DeadActions({ letter, onDone }: { letter: Brief; onDone: () => void }) {
  if (!may('operator')) return null;
  const { id } = letter;
  const retry = async () => {
    await attempt(() => doToSome('retry', [id]));
    onDone();
  };
  const discard = async () => {
    const text = 'It will never be sent. Its record stays until retention removes it.';
    if (!(await confirm({ title: `Give up ${id}?`, text, yes: 'Give it up', isDangerous: true })))
      return;
    await attempt(() => doToSome('discard', [id]));
    onDone();
  };
  const change = async () => {
    if (await edit(id)) onDone();
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => void retry()}>
        Retry
      </button>
      <button type="button" onClick={() => void change()}>
        Edit and retry
      </button>
      <button type="button" class="danger" onClick={() => void discard()}>
        Discard
      </button>
    </>
  );
}
