// Changing what a dead letter says, then queueing it again. The text stands in a field of its own; the rest of the
// call's parameters as JSON, for those who need it. What was typed is lost only by who wants it so: the dialog stands
// apart from the letter's row or page, which go when someone else has dealt with the letter meanwhile.

import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../lib/api.ts';
import { editLetter } from '../../lib/dead.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useSubmit } from '../../lib/hooks/use-once.ts';
import { session } from '../../lib/session-store.ts';
import { Store, useStore } from '../../lib/store.ts';
import type { Delivery } from '../../lib/wire/more.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Answered } from '../../ui/states.tsx';
import { notify } from '../../ui/toast.tsx';

// Where platforms keep what a person reads.
const TEXTS = ['text', 'caption', 'content'] as const;

interface Edit {
  readonly id: string;
  readonly close: (isDone: boolean) => void;
}

interface Typed {
  readonly text: string;
  readonly rest: string;
}

interface Draft extends Typed {
  readonly id: string;
  readonly by: string;
}

const asked = new Store<Edit | null>(null);
// What a session that ended left unsaved, for the same person when they are back.
let draft: Draft | null = null;

// true: it is changed and queued again.
export function edit(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    asked.set({
      id,
      close(isDone) {
        asked.set(null);
        resolve(isDone);
      },
    });
  });
}

export function Edits() {
  const now = useStore(asked);
  // Whoever comes in next has not asked for it.
  useEffect(() => () => asked.value?.close(false), []);
  if (now === null) return null;
  const close = (isDone: boolean) => {
    if (draftOf(now.id) !== null) draft = null;
    now.close(isDone);
  };
  return <Letter key={now.id} id={now.id} onClose={close} />;
}

interface LetterProps {
  readonly id: string;
  readonly onClose: (isDone: boolean) => void;
}

function Letter({ id, onClose }: LetterProps) {
  const { data, error, reload } = useFetched<Delivery>(`/v1/messages/${encodeURIComponent(id)}`);
  return (
    <Dialog title={`Edit ${id}`} onClose={() => onClose(false)}>
      <Answered to={{ data, error, reload }}>
        {(data) => <Form id={id} now={data.body ?? {}} onClose={onClose} />}
      </Answered>
    </Dialog>
  );
}

function Form({ id, now, onClose }: LetterProps & { now: Readonly<Record<string, unknown>> }) {
  // Taken once: what is asked for again, say after the line broke, does not undo what someone typed.
  const [body] = useState(now);
  const field = TEXTS.find((name) => typeof body[name] === 'string');
  const { [field ?? '']: said, ...others } = body;
  const first = typeof said === 'string' ? said : '';
  const [{ text, rest }, type] = useTyped(id, first, others);
  const [error, setError] = useState('');
  const save = useSubmit(async () => {
    try {
      const given = parametersOf(rest);
      notify(await editLetter(id, field === undefined ? given : { ...given, [field]: text }));
      onClose(true);
    } catch (failure) {
      setError(messageOf(failure));
    }
  });
  return (
    <form class="edit" onSubmit={save}>
      {field === undefined ? null : (
        <label class="field">
          <span>Text</span>
          <textarea
            rows={5}
            value={text}
            onInput={(event) => type({ text: event.currentTarget.value })}
          />
        </label>
      )}
      <label class="field">
        <span>Other parameters</span>
        <textarea
          class="mono"
          rows={5}
          spellcheck={false}
          value={rest}
          onInput={(event) => type({ rest: event.currentTarget.value })}
        />
      </label>
      <p class="door-error" role="alert">
        {error}
      </p>
      <div class="dialog-actions">
        <button type="button" onClick={() => onClose(false)}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Save and retry
        </button>
      </div>
    </form>
  );
}

function useTyped(id: string, text: string, others: object) {
  const [typed, setTyped] = useState<Typed>(
    () => draftOf(id) ?? { text, rest: JSON.stringify(others, null, 2) },
  );
  const type = (changes: Partial<Typed>) => {
    const changed = { ...typed, ...changes };
    setTyped(changed);
    draft = { id, by: whoTypes(), ...changed };
  };
  return [typed, type] as const;
}

function whoTypes(): string {
  return session.value.kind === 'in' ? session.value.name : '';
}

function draftOf(id: string): Draft | null {
  return draft?.id === id && draft.by === whoTypes() ? draft : null;
}

function parametersOf(json: string): Record<string, unknown> {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    throw new Error('The parameters are not valid JSON.');
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw new Error('The parameters must be a JSON object: { "name": value, … }.');
  }
  return read as Record<string, unknown>;
}
