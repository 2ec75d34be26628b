// An account made known by its token: the platform says whose it is, and it is listed at once.

import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../lib/api.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useSubmit } from '../../lib/hooks/use-once.ts';
import { may } from '../../lib/session-store.ts';
import { Store, useStore } from '../../lib/store.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice, SecretField } from '../../ui/field.tsx';
import { attempt } from '../../ui/toast.tsx';

interface KnownPlatform {
  readonly name: string;
  readonly credential: string;
}

interface Added {
  readonly id: string;
  readonly isNew: boolean;
}

type Asked =
  | { kind: 'nothing' }
  | { kind: 'account' }
  // A new token of one that is known.
  | { kind: 'token'; account: string };

const NOTHING: Asked = { kind: 'nothing' };
const asked = new Store<Asked>(NOTHING);
// Counted up with every one, for those who list them.
export const accountsAdded = new Store(0);

export function AddAccountButton() {
  if (!may('admin')) return null;
  return (
    <button type="button" class="primary" onClick={() => asked.set({ kind: 'account' })}>
      Add an account
    </button>
  );
}

export function NewTokenButton({ account }: { account: string }) {
  if (!may('admin')) return null;
  return (
    <button
      type="button"
      class="primary"
      aria-label={`New token… for ${account}`}
      onClick={() => asked.set({ kind: 'token', account })}
    >
      New token…
    </button>
  );
}

export function AddAccountDialogs() {
  const now = useStore(asked);
  const close = () => asked.set(NOTHING);
  // Whoever comes in next has not asked for it.
  useEffect(() => close, []);
  if (now.kind === 'nothing') return null;
  return <TokenForm account={now.kind === 'token' ? now.account : null} close={close} />;
}

// `account` null: one that is not known yet.
function TokenForm({ account, close }: { account: string | null; close: () => void }) {
  const { data } = useFetched<{ platforms: readonly KnownPlatform[] }>('/v1/accounts');
  const platforms = data?.platforms ?? [];
  const [chosen, setChosen] = useState(account?.split(':')[0] ?? null);
  const [token, setToken] = useState('');
  const platform = platforms.find(({ name }) => name === chosen) ?? platforms[0];
  const submit = useSubmit(async () => {
    const isDone = await attempt(async () => {
      const body = { platform: platform?.name ?? '', token: token.trim() };
      const { id, isNew } = await ask<Added>('POST', '/v1/accounts', body);
      accountsAdded.set(accountsAdded.value + 1);
      return isNew ? `${id} is added.` : `${id} has its new token.`;
    });
    if (isDone) close();
  });
  return (
    <Dialog title={account === null ? 'Add an account' : `New token of ${account}`} onClose={close}>
      <form class="edit" onSubmit={submit}>
        <p>
          The platform is asked whose token it is. It is kept encrypted, and shown to nobody again.
        </p>
        <Choice
          label="Platform"
          value={platform?.name ?? ''}
          options={platforms.map(({ name }) => [name, name] as const)}
          onChange={setChosen}
        />
        <SecretField label="Token" value={token} onInput={setToken} />
        <p class="dim small">{platform === undefined ? '' : `It is ${platform.credential}.`}</p>
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={platform === undefined}>
            {account === null ? 'Add it' : 'Use it'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
