// API keys and virtual tokens: who may do what, when each was used last, made and revoked here. A secret is shown
// once, when it is made, and is nowhere on the page after that.

import { useEffect } from 'preact/hooks';
import { ask } from '../../lib/api.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { KeyScope, KeyView, NewKey } from '../../lib/wire/more.ts';
import { Badge } from '../../ui/badge.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Panel, Screen } from '../../ui/parts.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { actsColumn, Table } from '../../ui/table.tsx';
import { Ago, UntilTime } from '../../ui/time.tsx';
import { attempt } from '../../ui/toast.tsx';
import { askForKey, keysMade, showSecret } from './key-dialogs.tsx';

export function Keys() {
  const path = may('admin') ? '/v1/keys?limit=1000' : null;
  const made = useStore(keysMade);
  const { data, error, reload } = useFetched<{ keys: readonly KeyView[] }>(path);
  useEffect(() => void (made > 0 && reload()), [made, reload]);
  if (path === null) return <NotForYou />;
  return (
    <Screen
      title="API keys"
      hint="Who may do what. A virtual token stands for a bot’s own, and can be revoked without it."
      actions={
        <button type="button" class="primary" onClick={() => askForKey()}>
          New key
        </button>
      }
    >
      <Panel title="Keys and virtual tokens">
        <Answered to={{ data, error, reload }}>
          {(data) =>
            data.keys.length === 0 ? (
              <Empty title="No key yet">The admin key in the data folder is always valid.</Empty>
            ) : (
              <KeyTable keys={data.keys} reload={reload} />
            )
          }
        </Answered>
      </Panel>
    </Screen>
  );
}

function NotForYou() {
  return (
    <Screen title="API keys">
      <Empty title="Keys are an admin’s">Ask one for a key, or sign in as one.</Empty>
    </Screen>
  );
}

function KeyTable({ keys, reload }: { keys: readonly KeyView[]; reload: () => Promise<void> }) {
  return (
    <Table
      kind="stacked"
      columns={['Name', 'Role', 'Bound to', 'Used', 'Valid', ...actsColumn(true)]}
    >
      {keys.map((key) => (
        <Row key={key.id} of={key} reload={reload} />
      ))}
    </Table>
  );
}

function Row(props: { of: KeyView; reload: () => Promise<void> }) {
  const { id, name, kind, role, active, usedAt, expiresAt, scope } = props.of;
  return (
    <tr>
      <td>
        {name}
        <span class="dim small mono">{id}</span>
      </td>
      <td data-label="Role">
        <Badge word={kind === 'virtual' ? 'virtual token' : role} tone="plain" />
      </td>
      <td data-label="Bound to">{boundsOf(scope)}</td>
      <td data-label="Used">
        {usedAt === null ? <span class="dim">never</span> : <Ago at={usedAt} />}
      </td>
      <td data-label="Valid">
        {!active ? (
          <Badge word="ended" />
        ) : expiresAt === null ? (
          <span class="dim">without end</span>
        ) : (
          <UntilTime at={expiresAt} />
        )}
      </td>
      <td class="right">{active ? <Acts {...props} /> : null}</td>
    </tr>
  );
}

function Acts(props: { of: KeyView; reload: () => Promise<void> }) {
  const { id, name } = props.of;
  const revoke = async () => {
    const text = 'Whoever uses it is turned away at once. This cannot be taken back.';
    const title = `Revoke ${name}?`;
    if (!(await confirm({ title, text, yes: 'Revoke', isDangerous: true }))) return;
    await attempt(async () => {
      await ask('DELETE', `/v1/keys/${encodeURIComponent(id)}`);
      return `${name} is revoked.`;
    });
    await props.reload();
  };
  const rotate = async () => {
    const text = 'It gets another secret, and the old one ends at once.';
    if (!(await confirm({ title: `Replace ${name}?`, text, yes: 'Replace', isDangerous: true })))
      return;
    await attempt(async () => {
      const key = await ask<NewKey>('POST', `/v1/keys/${encodeURIComponent(id)}/rotate`, {});
      showSecret(key);
      return `${name} has another secret.`;
    });
  };
  return (
    <span class="actions">
      <button type="button" aria-label={`Replace ${name}`} onClick={() => void rotate()}>
        Replace
      </button>
      <button
        type="button"
        class="danger"
        aria-label={`Revoke ${name}`}
        onClick={() => void revoke()}
      >
        Revoke
      </button>
    </span>
  );
}

function boundsOf({ accounts, chats, methods, perMinute }: KeyScope): string {
  const parts = [
    accounts === null ? '' : accounts.join(', '),
    chats === null ? '' : `chats ${chats.join(', ')}`,
    methods === null ? '' : methods.join(', '),
    perMinute === null ? '' : `${perMinute} calls a minute`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing: all accounts and chats' : parts.join('; ');
}
