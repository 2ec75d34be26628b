// What can be done to one dead letter: try it again, change it first, give it up.

import { useState } from 'preact/hooks';
import { doToSome } from '../lib/dead.ts';
import { may } from '../lib/session-store.ts';
import type { Brief } from '../lib/wire.ts';
import { confirm } from '../ui/dialog.tsx';
import { attempt } from '../ui/toast.tsx';
import { EditLetter } from './edit-letter.tsx';

export function DeadActions({ letter, onDone }: { letter: Brief; onDone: () => void }) {
  const [isEditing, setEditing] = useState(false);
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
  const close = (isDone: boolean) => {
    setEditing(false);
    if (isDone) onDone();
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => void retry()}>
        Retry
      </button>
      <button type="button" onClick={() => setEditing(true)}>
        Edit and retry
      </button>
      <button type="button" class="danger" onClick={() => void discard()}>
        Discard
      </button>
      {isEditing ? <EditLetter id={id} onClose={close} /> : null}
    </>
  );
}
