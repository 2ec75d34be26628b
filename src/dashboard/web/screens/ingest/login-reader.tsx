// An account to read with logs in: its phone number, the code that comes to it, its password where it has one. What is
// typed is in the fields and on its way to the gateway, nowhere else.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ask, messageOf, Refused } from '../../lib/api.ts';
import { duration } from '../../lib/format.ts';
import type { Login } from '../../lib/wire/ingest.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SecretField, TextField } from '../../ui/field.tsx';
import { notify } from '../../ui/toast.tsx';

const LOGINS = '/v1/ingest/logins';

interface Props {
  readonly kind: string;
  readonly done: () => void;
  readonly close: () => void;
}

export function LoginReader({ kind, done, close }: Props) {
  const { login, error, isBusy, send } = useLogin(done);
  const [phone, setPhone] = useState('');
  const [answer, setAnswer] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const state = login?.state ?? 'phone';
  // Another question, or the same once more: what was typed is gone, and one types again. Before the field is painted,
  // so that it is not emptied under the hands of someone who types or pastes at once.
  useLayoutEffect(() => {
    setAnswer('');
    form.current?.querySelector('input')?.focus();
  }, [login, state]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (login === null) void send(LOGINS, { kind, phone: phone.trim() });
    else void send(`${LOGINS}/${login.id}`, { [state]: answer });
  };
  return (
    <Dialog title="Log an account in" onClose={close}>
      <form ref={form} class="edit" onSubmit={submit}>
        {state === 'phone' ? (
          <>
            <p>Channels are read as this account reads them. The platform sends it a code.</p>
            <TextField
              label="Phone number"
              type="tel"
              value={phone}
              placeholder="with the country: +1 555 0100"
              onInput={setPhone}
            />
          </>
        ) : state === 'code' ? (
          <>
            <p>
              The platform has sent a code to <span class="mono">{phone.trim()}</span>: into its
              app, where the account is logged in already, or by message.
            </p>
            <TextField
              label="Code"
              type="code"
              value={answer}
              placeholder="as it came"
              onInput={setAnswer}
            />
          </>
        ) : (
          <>
            <p>
              The code was right. This account has a password, too.
              {login?.hint ? ` Its owner’s hint: ${login.hint}` : ''}
            </p>
            <SecretField label="Password" value={answer} onInput={setAnswer} />
          </>
        )}
        <p class="door-error" role="alert">
          {error}
        </p>
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? 'Asking the platform…' : state === 'phone' ? 'Send the code' : 'Go on'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

// The conversation with the platform. One that is left is given up.
function useLogin(done: () => void) {
  const [login, setLogin] = useState<Login | null>(null);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const underWay = useRef<string | null>(null);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
      if (underWay.current !== null) giveUp(underWay.current);
    },
    [],
  );
  const take = (now: Login) => {
    const isAsking = now.state === 'code' || now.state === 'password';
    underWay.current = isAsking ? now.id : null;
    if (isGone.current) return isAsking ? giveUp(now.id) : undefined;
    if (now.state === 'logged_in') {
      notify(`${nameOf(now)} is logged in.`);
      return done();
    }
    setLogin(isAsking ? now : null);
    setError(saidOf(now));
  };
  const send = async (path: string, body: object) => {
    if (isBusy) return;
    setBusy(true);
    setError('');
    try {
      take(await ask<Login>('POST', path, body));
    } catch (failure) {
      setError(messageOf(failure));
      if (failure instanceof Refused && failure.code === 'unknown_login') {
        underWay.current = null;
        setLogin(null);
      }
    }
    setBusy(false);
  };
  return { login, error, isBusy, send };
}

// It ends by itself, too, when nobody answers.
function giveUp(id: string): void {
  ask('DELETE', `${LOGINS}/${id}`).catch(() => {});
}

function nameOf({ account }: Login): string {
  if (account === null) return 'It';
  return account.name === '' ? account.id : `${account.name} (${account.id})`;
}

function saidOf({ state, again, detail, waitSeconds }: Login): string {
  if (state !== 'refused') return again ? `That ${state} was wrong. Try again.` : '';
  return waitSeconds === null
    ? `Not logged in: ${detail}.`
    : `The platform asks to wait for ${duration(waitSeconds * 1000)} before the next try.`;
}
