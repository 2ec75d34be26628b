// Changing what was asked for of a channel: how much it counts, with which account it is read, and where its new posts
// go. What the gateway refuses stands at its field.

import { useState } from 'preact/hooks';
import { ask, messageOf, Refused } from '../../lib/api.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useSubmit } from '../../lib/hooks/use-once.ts';
import { may } from '../../lib/session-store.ts';
import type { Readers, Source } from '../../lib/wire/ingest.ts';
import type { Account } from '../../lib/wire/wire.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/field.tsx';
import { notify } from '../../ui/toast.tsx';
import { accountIds, readerIds } from './add-source.tsx';

type Goes = 'nowhere' | 'chat' | 'url';

interface Wanted {
  readonly priority: string;
  // With which it is read; '': any.
  readonly account: string;
  readonly goes: Goes;
  readonly by: string;
  readonly chat: string;
  readonly thread: string;
  readonly url: string;
}

type Errors = Partial<Record<keyof Wanted | 'other', string>>;

interface Props {
  readonly source: Source;
  readonly changed: () => void;
  readonly close: () => void;
}

interface FieldsProps {
  readonly source: Source;
  readonly wanted: Wanted;
  readonly errors: Errors;
  readonly set: (changes: Partial<Wanted>) => void;
}

export function ChangeSource({ source, changed, close }: Props) {
  // Taken once: what is read again meanwhile does not undo what someone typed.
  const [before] = useState(() => wantedOf(source));
  const [wanted, setWanted] = useState(before);
  const [errors, setErrors] = useState<Errors>({});
  const set = (changes: Partial<Wanted>) => setWanted({ ...wanted, ...changes });
  const submit = useSubmit(async () => {
    const missing = missingIn(wanted);
    setErrors(missing);
    if (Object.keys(missing).length > 0) return;
    try {
      const path = `/v1/ingest/sources/${encodeURIComponent(source.id)}`;
      await ask<Source>('PATCH', path, changesOf(before, wanted));
      notify(`${source.source} is changed.`);
      changed();
    } catch (failure) {
      setErrors(errorsOf(failure));
    }
  });
  const fields = { source, wanted, errors, set };
  return (
    <Dialog title={`Change ${source.source}`} onClose={close}>
      <form class="edit" onSubmit={submit}>
        <TextField
          label="Priority"
          type="number"
          value={wanted.priority}
          hint="How much a wait for it counts beside others: 1 as others, 4 four times."
          error={errors.priority}
          onInput={(priority) => set({ priority })}
        />
        <ReadBy {...fields} />
        <Goal {...fields} />
        <p class="door-error" role="alert">
          {errors.other}
        </p>
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function ReadBy({ source, wanted, errors, set }: FieldsProps) {
  const { data } = useFetched<Readers>('/v1/ingest/accounts');
  const own = useFetched<{ accounts: readonly Account[] }>('/v1/accounts');
  const sending = data?.sending.find(({ kind }) => kind === source.kind) ?? null;
  const known =
    sending === null ? readerIds(data?.accounts ?? [], source.kind) : accountIds(own.data, sending);
  const options = withPresent(known, wanted.account);
  if (options.length === 0) return null;
  const any: readonly [string, string][] = sending === null ? [['', 'any account that can']] : [];
  return (
    <Choice
      label="Read with"
      value={wanted.account}
      options={[...any, ...options]}
      error={errors.account}
      onChange={(account) => set({ account })}
    />
  );
}

function Goal(props: FieldsProps) {
  const { source, wanted, errors, set } = props;
  const isHook = source.forwardTo !== null && 'url' in source.forwardTo;
  // Which address that is, is an admin's to say; one that is there may stay.
  const hook = may('admin') ? 'to an address (a webhook)' : 'to the address an admin has set';
  const goals: readonly (readonly [Goes, string])[] = [
    ['nowhere', 'nowhere: they are stored'],
    ['chat', 'into a chat'],
    ...(may('admin') || isHook ? [['url', hook] as const] : []),
  ];
  return (
    <>
      <Choice
        label="New posts go"
        value={wanted.goes}
        options={goals}
        onChange={(goes) => set({ goes: goes as Goes })}
      />
      {wanted.goes === 'chat' ? <ChatFields {...props} /> : null}
      {wanted.goes === 'url' && may('admin') ? (
        <TextField
          label="Address"
          value={wanted.url}
          placeholder="where it is posted to"
          hint="Each new post is sent there, signed, until it answers with a 2xx."
          error={errors.url}
          onInput={(url) => set({ url })}
        />
      ) : null}
    </>
  );
}

function ChatFields({ wanted, errors, set }: FieldsProps) {
  const { data } = useFetched<{ accounts: readonly Account[] }>('/v1/accounts');
  const known = data?.accounts.map(({ id }) => [id, id] as const) ?? [];
  return (
    <>
      <Choice
        label="Sent by"
        value={wanted.by}
        options={[['', 'choose an account'], ...withPresent(known, wanted.by)]}
        error={errors.by}
        onChange={(by) => set({ by })}
      />
      <TextField
        label="Chat"
        value={wanted.chat}
        placeholder="its id or @name"
        error={errors.chat}
        onInput={(chat) => set({ chat })}
      />
      <TextField
        label="Topic"
        value={wanted.thread}
        placeholder="none; or the id of a thread in the chat"
        error={errors.thread}
        onInput={(thread) => set({ thread })}
      />
    </>
  );
}

// What is in force can be chosen, also where it is known no more.
function withPresent(known: readonly (readonly [string, string])[], present: string) {
  const isKnown = present === '' || known.some(([id]) => id === present);
  return isKnown ? known : [...known, [present, present] as const];
}

function wantedOf({ priority, account, forwardTo }: Source): Wanted {
  const none = { by: '', chat: '', thread: '', url: '' };
  const common = { priority: String(priority), account: account ?? '', ...none };
  if (forwardTo === null) return { ...common, goes: 'nowhere' };
  if ('url' in forwardTo) return { ...common, goes: 'url', url: forwardTo.url };
  const { account: by, chat, thread } = forwardTo;
  return { ...common, goes: 'chat', by, chat, thread: thread ?? '' };
}

function missingIn({ goes, by, chat, url }: Wanted): Errors {
  if (goes === 'url') return url.trim() === '' ? { url: 'Say which address.' } : {};
  if (goes !== 'chat') return {};
  return {
    ...(by === '' ? { by: 'Choose who sends them.' } : {}),
    ...(chat.trim() === '' ? { chat: 'Say which chat.' } : {}),
  };
}

// Only what is new: posts go to a new place from that moment on.
function changesOf(before: Wanted, wanted: Wanted) {
  const is = JSON.stringify(targetOf(wanted));
  return {
    ...(wanted.priority === before.priority ? {} : { priority: Number(wanted.priority) }),
    ...(wanted.account === before.account ? {} : { account: wanted.account || null }),
    ...(is === JSON.stringify(targetOf(before)) ? {} : { forwardTo: targetOf(wanted) }),
  };
}

function targetOf({ goes, by, chat, thread, url }: Wanted) {
  if (goes === 'nowhere') return null;
  if (goes === 'url') return { url: url.trim() };
  const topic = thread.trim();
  return { account: by, chat: chat.trim(), ...(topic === '' ? {} : { thread: topic }) };
}

const PLACES: Readonly<Record<string, keyof Wanted>> = {
  '/priority': 'priority',
  '/account': 'account',
  '/forwardTo/url': 'url',
  '/forwardTo/account': 'by',
  '/forwardTo/chat': 'chat',
  '/forwardTo/thread': 'thread',
};

function errorsOf(failure: unknown): Errors {
  const problems = failure instanceof Refused ? failure.problems : [];
  const placed = problems.flatMap(({ path, expected }) => {
    const place = PLACES[path];
    return place === undefined ? [] : [[place, `Expected ${expected}.`] as const];
  });
  return placed.length > 0 ? Object.fromEntries(placed) : { other: messageOf(failure) };
}
