// Follow a channel: which, and by what it is read of what this gateway offers.

import { useState } from 'preact/hooks';
import { ask } from '../../lib/api.ts';
import { words } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useSubmit } from '../../lib/hooks/use-once.ts';
import type { Readers, SendingKind, Source } from '../../lib/wire/ingest.ts';
import type { Account } from '../../lib/wire/wire.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/field.tsx';
import { attempt } from '../../ui/toast.tsx';

const KINDS: Readonly<Record<string, string>> = {
  page: 'its public page (no account needed)',
  mtproto: 'an account that is logged in',
  updates: 'what a bot of this gateway is told',
  sandbox: 'the simulator: it posts by itself',
};
const PRIORITIES = [
  ['1', 'as others'],
  ['4', 'more often'],
  ['0.25', 'less often'],
] as const;

interface Wanted {
  readonly source: string;
  readonly kind: string;
  readonly account: string;
  readonly priority: string;
}

export function AddSource(props: {
  readers: Readers;
  added: (source: Source) => void;
  close: () => void;
}) {
  const { readers, added, close } = props;
  const { kinds, accounts } = readers;
  const first = kinds.includes('page') ? 'page' : (kinds[0] ?? '');
  const [wanted, setWanted] = useState<Wanted>({
    ...{ source: '', kind: first, account: '', priority: '1' },
  });
  const set = (changes: Partial<Wanted>) => setWanted({ ...wanted, ...changes });
  const sending = readers.sending.find(({ kind }) => kind === wanted.kind) ?? null;
  const own = useFetched<{ accounts: readonly Account[] }>('/v1/accounts');
  const ids = sending === null ? readerIds(accounts, wanted.kind) : accountIds(own.data, sending);
  const submit = useSubmit(() =>
    attempt(async () => {
      const source = await ask<Source>('POST', '/v1/ingest/sources', bodyOf(wanted));
      added(source);
      return `${source.source} is followed.`;
    }),
  );
  return (
    <Dialog title="Follow a channel" onClose={close}>
      <form class="edit" onSubmit={submit}>
        <TextField
          label="Channel"
          value={wanted.source}
          placeholder="@name, id or address"
          onInput={(source) => set({ source })}
        />
        <Choice
          label="Read by"
          value={wanted.kind}
          options={kinds.map((kind) => [kind, titleOf(readers, kind)])}
          onChange={(kind) => set({ kind, account: '' })}
        />
        {ids.length === 0 ? null : (
          <Choice
            label="Account"
            value={wanted.account}
            options={[['', sending === null ? 'any of them' : 'choose one'], ...ids]}
            onChange={(account) => set({ account })}
          />
        )}
        <Choice
          label="Looked at"
          value={wanted.priority}
          options={PRIORITIES}
          onChange={(priority) => set({ priority })}
        />
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Follow it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function titleOf({ sending }: Readers, kind: string): string {
  const own = sending.find((each) => each.kind === kind);
  return KINDS[kind] ?? (own === undefined ? words(kind) : `${words(own.platform)}: ${own.title}`);
}

type Option = readonly [string, string];

export function readerIds(accounts: Readers['accounts'], of: string): Option[] {
  return accounts.flatMap(({ kind, id, name }) =>
    kind === of && id !== null ? [[id, name ? `${name} (${id})` : id] as const] : [],
  );
}

// Those that the gateway sends with; which of them can read is for it to say.
export function accountIds(
  data: { readonly accounts: readonly Account[] } | null,
  { platform }: SendingKind,
): Option[] {
  const own = data?.accounts.filter((account) => account.platform === platform) ?? [];
  return own.map(({ id }) => [id, id] as const);
}

function bodyOf({ source, kind, account, priority }: Wanted) {
  return {
    ...{ source: source.trim(), kind, priority: Number(priority) },
    ...(account === '' ? {} : { account }),
  };
}
