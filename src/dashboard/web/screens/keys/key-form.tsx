// A new key, or a virtual token for one account: what it may do, where, and how long.

import { useState } from 'preact/hooks';
import { ask } from '../../lib/api.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useSubmit } from '../../lib/hooks/use-once.ts';
import type { NewKey } from '../../lib/wire/more.ts';
import type { Account } from '../../lib/wire/wire.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/field.tsx';
import { attempt } from '../../ui/toast.tsx';

const VIRTUAL = 'virtual';
const KINDS = [
  ['sender', 'sender: send, and read what was sent'],
  ['viewer', 'viewer: look, without reading texts'],
  ['operator', 'operator: also pause, retry, cancel'],
  ['admin', 'admin: everything, keys too'],
  [VIRTUAL, 'virtual token: stands for a bot’s own'],
] as const;
const DAY_S = 86_400;
const TIMES = [
  ['', 'without end'],
  [String(DAY_S), 'a day'],
  [String(30 * DAY_S), '30 days'],
  [String(365 * DAY_S), 'a year'],
] as const;

export interface WantedKey {
  readonly name: string;
  readonly kind: string;
  readonly account: string;
  readonly chats: string;
  readonly ttl: string;
}

const EMPTY: WantedKey = { name: '', kind: 'sender', account: '', chats: '', ttl: '' };

export function KeyForm(props: {
  wanted: Partial<WantedKey>;
  made: (key: NewKey) => void;
  close: () => void;
}) {
  const { made, close } = props;
  const [wanted, setWanted] = useState({ ...EMPTY, ...props.wanted });
  const { data } = useFetched<{ accounts: readonly Account[] }>('/v1/accounts');
  const set = (changes: Partial<WantedKey>) => setWanted({ ...wanted, ...changes });
  const ids = data?.accounts.map(({ id }) => [id, id] as const) ?? [];
  const submit = useSubmit(() =>
    attempt(async () => {
      const key = await ask<NewKey>('POST', '/v1/keys', bodyOf(wanted));
      made(key);
      return `${key.name} is created.`;
    }),
  );
  return (
    <Dialog title="New key" onClose={close}>
      <form class="edit" onSubmit={submit}>
        <TextField
          label="Name"
          value={wanted.name}
          placeholder="who it is for"
          onInput={(name) => set({ name })}
        />
        <Choice
          label="Role"
          value={wanted.kind}
          options={KINDS}
          onChange={(kind) => set({ kind })}
        />
        <Choice
          label="Account"
          value={wanted.account}
          options={[['', wanted.kind === VIRTUAL ? 'choose one' : 'all of them'], ...ids]}
          onChange={(account) => set({ account })}
        />
        <TextField
          label="Chats"
          value={wanted.chats}
          placeholder="all, or ids separated by commas"
          onInput={(chats) => set({ chats })}
        />
        <Choice label="Valid" value={wanted.ttl} options={TIMES} onChange={(ttl) => set({ ttl })} />
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Create it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function bodyOf({ name, kind, account, chats, ttl }: WantedKey) {
  const places = chats
    .split(',')
    .map((chat) => chat.trim())
    .filter((chat) => chat !== '');
  const common = {
    name: name.trim(),
    ...(places.length === 0 ? {} : { chats: places }),
    ...(ttl === '' ? {} : { ttl: Number(ttl) }),
  };
  if (kind === VIRTUAL) return { ...common, virtual: true, account };
  return { ...common, role: kind, ...(account === '' ? {} : { accounts: [account] }) };
}
