// An operator's hand on the limits of a chat or an account: frozen for a time, or open again before its time. The
// dialog stands apart from the row that asked for it, which may scroll away or go.

import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../lib/api.ts';
import { exactTime } from '../../lib/format.ts';
import { useSubmit } from '../../lib/hooks/use-once.ts';
import { useNow } from '../../lib/now.ts';
import { may } from '../../lib/session-store.ts';
import { Store, useStore } from '../../lib/store.ts';
import type { ChatLimits } from '../../lib/wire/wire.ts';
import { confirm, Dialog } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/field.tsx';
import { attempt } from '../../ui/toast.tsx';

// `chat` null: the account as a whole.
interface Target {
  readonly account: string;
  readonly chat: string | null;
}

interface Asked {
  readonly target: Target;
  readonly close: () => void;
}

const TIMES = [
  ['60', '1 minute'],
  ['600', '10 minutes'],
  ['3600', '1 hour'],
  ['21600', '6 hours'],
  ['86400', '1 day'],
  ['604800', '1 week'],
] as const;
const SECONDS_DEFAULT = '600';

const THAW_MEANS = [
  'The wait ends now, also one that the platform asked for. One call goes first: if the platform takes it, the others',
  'follow; if it still wants the wait, that call is refused and the freeze is back. Platforms may punish calls that',
  'come too early.',
].join(' ');

const asked = new Store<Asked | null>(null);

// The freeze that holds longest, that of a single method last; null: none holds now.
export function useFreeze({ freezes }: Pick<ChatLimits, 'freezes'>) {
  const now = useNow();
  const active = freezes.filter(({ until }) => until !== null && Date.parse(until) > now);
  const sorted = active.toSorted((a, b) => ((a.until ?? '') < (b.until ?? '') ? 1 : -1));
  return sorted.find(({ scope }) => scope !== 'method') ?? sorted[0] ?? null;
}

// Shown to those who may. `done`: something was changed, and is to be asked for again.
export function FreezeButton({ target, done }: { target: Target; done: () => void }) {
  if (!may('operator')) return null;
  const name = nameOf(target);
  return (
    <button type="button" aria-label={`Freeze… ${name}`} onClick={() => void freeze(target, done)}>
      Freeze…
    </button>
  );
}

export function ThawButton({ target, done }: { target: Target; done: () => void }) {
  if (!may('operator')) return null;
  const name = nameOf(target);
  return (
    <button type="button" aria-label={`Thaw now ${name}`} onClick={() => void thaw(target, done)}>
      Thaw now
    </button>
  );
}

export function FreezeDialogs() {
  const now = useStore(asked);
  // Whoever comes in next has not asked for it.
  useEffect(() => () => asked.value?.close(), []);
  return now === null ? null : <FreezeForm target={now.target} close={now.close} />;
}

function FreezeForm({ target, close }: Asked) {
  const [seconds, setSeconds] = useState(SECONDS_DEFAULT);
  const [reason, setReason] = useState('');
  const name = nameOf(target);
  const submit = useSubmit(async () => {
    const isDone = await attempt(async () => {
      const body = { ...bodyOf(target), seconds: Number(seconds), ...reasonOf(reason) };
      const { until } = await ask<{ until: string }>('POST', '/v1/limits/freeze', body);
      return `${name} is frozen until ${exactTime(until)}.`;
    });
    if (isDone) close();
  });
  return (
    <Dialog title={`Freeze ${name}?`} onClose={close}>
      <form class="edit" onSubmit={submit}>
        <p>
          Nothing is sent there until the time is over. What is accepted meanwhile waits on disk. A
          freeze that lasts longer already stays as it is.
        </p>
        <Choice label="For" value={seconds} options={TIMES} onChange={setSeconds} />
        <TextField
          label="Reason"
          value={reason}
          placeholder="shown to who asks why a message waits"
          onInput={setReason}
        />
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="danger">
            Freeze
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function freeze(target: Target, done: () => void): void {
  asked.set({
    target,
    close() {
      asked.set(null);
      done();
    },
  });
}

async function thaw(target: Target, done: () => void): Promise<void> {
  const name = nameOf(target);
  const yes = await confirm({
    title: `Thaw ${name} now?`,
    text: THAW_MEANS,
    yes: 'Thaw now',
    isDangerous: true,
  });
  if (!yes) return;
  await attempt(async () => {
    const { thawed } = await ask<{ thawed: number }>('POST', '/v1/limits/thaw', bodyOf(target));
    if (thawed === 0) return `${name} was not frozen any more.`;
    return `${name} goes on: one call first, then the others.`;
  });
  done();
}

function nameOf({ account, chat }: Target): string {
  return chat === null ? account : `chat ${chat}`;
}

function bodyOf({ account, chat }: Target) {
  return chat === null ? { account } : { account, chat };
}

function reasonOf(reason: string) {
  const said = reason.trim();
  return said === '' ? {} : { reason: said };
}
