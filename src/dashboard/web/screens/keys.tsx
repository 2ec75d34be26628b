// API keys and virtual tokens: who may do what, when each was used last, made and revoked here. A secret is shown
// once, when it is made, and is nowhere on the page after that.

import { useState } from 'preact/hooks';
import { ask } from '../lib/api.ts';
import { may } from '../lib/session-store.ts';
import { useFetched } from '../lib/use-fetched.ts';
import type { KeyScope, KeyView, NewKey } from '../lib/wire-more.ts';
import { Badge } from '../ui/badge.tsx';
import { confirm, Dialog } from '../ui/dialog.tsx';
import { Panel, Screen } from '../ui/parts.tsx';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import { Ago, UntilTime } from '../ui/time.tsx';
import { attempt } from '../ui/toast.tsx';
import { KeyForm } from './key-form.tsx';

type Asked = { kind: 'none' } | { kind: 'form' } | { kind: 'made'; key: NewKey };

const NONE: Asked = { kind: 'none' };

export function Keys() {
  const path = may('admin') ? '/v1/keys?limit=1000' : null;
  const { data, error, reload } = useFetched<{ keys: readonly KeyView[] }>(path);
  const [asked, setAsked] = useState<Asked>(NONE);
  const made = (key: NewKey) => {
    setAsked({ kind: 'made', key });
    void reload();
  };
  if (path === null) return <NotForYou />;
  return (
    <Screen
      title="API keys"
      hint="Who may do what. A virtual token stands for a bot’s own, and can be revoked without it."
      actions={
        <button type="button" class="primary" onClick={() => setAsked({ kind: 'form' })}>
          New key
        </button>
      }
    >
      <Panel title="Keys and virtual tokens">
        {error !== null && data === null ? (
          <Trouble error={error} retry={() => void reload()} />
        ) : data === null ? (
          <Loading />
        ) : data.keys.length === 0 ? (
          <Empty title="No key yet">The admin key of the data folder is always good.</Empty>
        ) : (
          <KeyTable keys={data.keys} reload={reload} made={made} />
        )}
      </Panel>
      {asked.kind === 'form' ? <KeyForm made={made} close={() => setAsked(NONE)} /> : null}
      {asked.kind === 'made' ? <Secret made={asked.key} close={() => setAsked(NONE)} /> : null}
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

function KeyTable(props: {
  keys: readonly KeyView[];
  reload: () => Promise<void>;
  made: (key: NewKey) => void;
}) {
  const { keys, reload, made } = props;
  return (
    <div class="table-wrap">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">May</th>
            <th scope="col">Bound to</th>
            <th scope="col">Used</th>
            <th scope="col">Good</th>
            <th scope="col">
              <span class="hidden">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <Row key={key.id} of={key} reload={reload} made={made} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: { of: KeyView; reload: () => Promise<void>; made: (key: NewKey) => void }) {
  const { id, name, kind, role, active, usedAt, expiresAt, scope } = props.of;
  return (
    <tr>
      <td>
        {name}
        <span class="dim small mono">{id}</span>
      </td>
      <td data-label="May">
        <Badge word={kind === 'virtual' ? 'virtual token' : role} tone="plain" />
      </td>
      <td data-label="Bound to">{boundsOf(scope)}</td>
      <td data-label="Used">
        {usedAt === null ? <span class="dim">never</span> : <Ago at={usedAt} />}
      </td>
      <td data-label="Good">
        {!active ? (
          <Badge word="ended" />
        ) : expiresAt === null ? (
          <span class="dim">for good</span>
        ) : (
          <UntilTime at={expiresAt} />
        )}
      </td>
      <td class="right">{active ? <Acts {...props} /> : null}</td>
    </tr>
  );
}

function Acts(props: { of: KeyView; reload: () => Promise<void>; made: (key: NewKey) => void }) {
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
      props.made(key);
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

function Secret({ made, close }: { made: NewKey; close: () => void }) {
  return (
    <Dialog title={`The secret of ${made.name}`} onClose={close}>
      <p>It is shown this once. Keep it where secrets are kept; the gateway keeps only its hash.</p>
      <output class="secret mono">{made.secret}</output>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={close}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}
