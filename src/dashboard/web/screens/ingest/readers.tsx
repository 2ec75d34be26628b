// The accounts that channels are read with: who they are, whether each can now, and what the platform asked it to wait
// for. An admin logs accounts in, and has them forgotten.

import { useState } from 'preact/hooks';
import { ask } from '../../lib/api.ts';
import { words } from '../../lib/format.ts';
import { may } from '../../lib/session-store.ts';
import type { Reader, Readers } from '../../lib/wire/ingest.ts';
import { Badge } from '../../ui/badge.tsx';
import { confirm, Dialog } from '../../ui/dialog.tsx';
import { Panel } from '../../ui/parts.tsx';
import { Empty, Loading } from '../../ui/states.tsx';
import { UntilTime } from '../../ui/time.tsx';
import { attempt } from '../../ui/toast.tsx';
import { LoginReader } from './login-reader.tsx';

const TONES = { ok: 'good', waiting: 'warn', logged_out: 'bad' } as const;

interface ReadersProps {
  // null: not told yet.
  readonly readers: Readers | null;
  readonly reload: () => Promise<void>;
}

export function ReadersPanel({ readers, reload }: ReadersProps) {
  const [isLoggingIn, setIsLoggingIn] = useState(false);
  const close = () => setIsLoggingIn(false);
  const logIn = () => setIsLoggingIn(true);
  return (
    <Panel
      title="What is read with"
      more={
        may('admin') && readers !== null ? (
          <button type="button" onClick={logIn}>
            Log an account in
          </button>
        ) : null
      }
    >
      {readers === null ? (
        <Loading />
      ) : readers.accounts.length === 0 ? (
        <Empty title="No account reads">An admin logs one in.</Empty>
      ) : (
        <ul class="lines">
          {readers.accounts.map((reader) => (
            <Line
              key={`${reader.kind} ${reader.id}`}
              {...{ reader, logIn, reload: () => void reload() }}
              isSending={readers.sending.some(({ kind }) => kind === reader.kind)}
            />
          ))}
        </ul>
      )}
      {isLoggingIn && readers !== null ? (
        <LoginDialog
          readers={readers}
          close={close}
          done={() => {
            close();
            void reload();
          }}
        />
      ) : null}
    </Panel>
  );
}

interface LoginProps {
  readonly readers: Readers;
  readonly done: () => void;
  readonly close: () => void;
}

function LoginDialog({ readers: { logins }, done, close }: LoginProps) {
  const [kind] = logins.kinds;
  if (kind !== undefined) return <LoginReader kind={kind} done={done} close={close} />;
  return (
    <Dialog title="Log an account in" onClose={close}>
      <p>No account can log in here yet.</p>
      <p>{codeIn(logins.missing ?? '')}</p>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

// The gateway marks names of settings as Markdown does.
function codeIn(text: string) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

interface LineProps {
  readonly reader: Reader;
  // It is an account of the gateway: nobody logs it in, or has it forgotten, here.
  readonly isSending: boolean;
  readonly logIn: () => void;
  readonly reload: () => void;
}

function Line({ reader, isSending, logIn, reload }: LineProps) {
  const { kind, id, name, state, connected, waits } = reader;
  const isOut = state === 'logged_out';
  const isLogin = may('admin') && !isSending;
  const logInWords = may('admin') ? 'It has to log in again.' : 'An admin has to log it in again.';
  return (
    <li class="reader">
      <span>
        {kind} {id === null ? null : <span class="mono">{id}</span>}{' '}
        {name === null || name === '' ? null : <span class="name">{name}</span>}
      </span>
      <span class="dim small">
        {id === null ? 'no account is needed' : connected ? 'connected' : 'not connected now'}
      </span>
      {isOut ? (
        <span class="small bad-words">
          {isSending ? 'The platform refuses its token.' : logInWords}
        </span>
      ) : (
        waits.map(({ method, until }) => (
          <span key={method} class="small warn-words">
            {words(method)} waits <UntilTime at={until} />
          </span>
        ))
      )}
      <span class="actions">
        <Badge word={state} tone={TONES[state]} />
        {isOut && isLogin ? (
          <button type="button" aria-label={`Log in again: ${calledOf(reader)}`} onClick={logIn}>
            Log in again
          </button>
        ) : null}
        {id !== null && isLogin ? <Forget reader={reader} reload={reload} /> : null}
      </span>
    </li>
  );
}

function Forget({ reader, reload }: { reader: Reader; reload: () => void }) {
  const { kind, id } = reader;
  const called = calledOf(reader);
  const forget = async () => {
    const title = `Forget ${called}?`;
    const text =
      'Its session is deleted here, and channels are read with it no more. At the platform the session stays in the ' +
      'list of the account’s devices, until its owner ends it there.';
    if (!(await confirm({ title, text, yes: 'Forget it', isDangerous: true }))) return;
    await attempt(async () => {
      await ask('DELETE', `/v1/ingest/accounts/${kind}/${encodeURIComponent(id ?? '')}`);
      return `${called} is forgotten.`;
    });
    reload();
  };
  return (
    <button type="button" aria-label={`Forget: ${called}`} onClick={() => void forget()}>
      Forget
    </button>
  );
}

function calledOf({ id, name }: Reader): string {
  return name === null || name === '' ? (id ?? '') : `${name} (${id})`;
}
