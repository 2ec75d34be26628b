// Changing what a dead letter says, then queueing it again. The text stands in a field of its own; the rest of the
// call's parameters as JSON, for those who need it.

import { useState } from 'preact/hooks';
import { messageOf } from '../lib/api.ts';
import { editLetter } from '../lib/dead.ts';
import { useFetched } from '../lib/use-fetched.ts';
import type { Delivery } from '../lib/wire-more.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Loading, Trouble } from '../ui/states.tsx';
import { tell } from '../ui/toast.tsx';

// Where platforms keep what a person reads.
const TEXTS = ['text', 'caption', 'content'] as const;

export function EditLetter({ id, onClose }: { id: string; onClose: (isDone: boolean) => void }) {
  const { data, error, reload } = useFetched<Delivery>(`/v1/messages/${encodeURIComponent(id)}`);
  return (
    <Dialog title={`Edit ${id}`} onClose={() => onClose(false)}>
      {error !== null && data === null ? (
        <Trouble error={error} retry={() => void reload()} />
      ) : data === null ? (
        <Loading />
      ) : (
        <Form id={id} body={data.body ?? {}} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Form(props: {
  id: string;
  body: Readonly<Record<string, unknown>>;
  onClose: (isDone: boolean) => void;
}) {
  const { id, body, onClose } = props;
  const field = TEXTS.find((name) => typeof body[name] === 'string');
  const { [field ?? '']: said, ...others } = body;
  // Taken once: what is asked for again, say after the line broke, does not undo what someone typed.
  const [text, setText] = useState(typeof said === 'string' ? said : '');
  const [rest, setRest] = useState(() => JSON.stringify(others, null, 2));
  const [error, setError] = useState('');
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const given = JSON.parse(rest) as Record<string, unknown>;
      tell(await editLetter(id, field === undefined ? given : { ...given, [field]: text }));
      onClose(true);
    } catch (failure) {
      setError(
        failure instanceof SyntaxError ? 'The parameters are not valid JSON.' : messageOf(failure),
      );
    }
  };
  return (
    <form class="edit" onSubmit={(event) => void save(event)}>
      {field === undefined ? null : (
        <label class="field">
          <span>Text</span>
          <textarea rows={5} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      )}
      <label class="field">
        <span>Other parameters</span>
        <textarea
          class="mono"
          rows={5}
          spellcheck={false}
          value={rest}
          onInput={(event) => setRest(event.currentTarget.value)}
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
