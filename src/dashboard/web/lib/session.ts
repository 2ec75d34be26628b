// Signing in and out. A key is given once, for a cookie that no script can read; the page itself keeps no secret.

import { send } from './api.ts';
import { type Role, type Session, session } from './session-store.ts';

interface Me {
  readonly name: string;
  readonly role: Role;
  readonly csrf: string | null;
}

const AWAY = 'The gateway does not answer. Is it running?';

// Whoever came by a link is in already.
export async function resumeSession(): Promise<void> {
  try {
    const answer = await send('GET', '/v1/me', undefined, {});
    session.set(answer.ok ? await enteredAs(answer) : { kind: 'out', why: null });
  } catch {
    session.set({ kind: 'out', why: AWAY });
  }
}

// null: signed in; else why not.
export async function signIn(key: string): Promise<string | null> {
  try {
    const answer = await send('POST', '/login', { key }, {});
    if (!answer.ok) return await refusalOf(answer);
    session.set(await enteredAs(answer));
    return null;
  } catch {
    return AWAY;
  }
}

export async function signOut(): Promise<void> {
  const { value } = session;
  if (value.kind !== 'in') return;
  // Everything hangs up first: what is still open would be cut off by the gateway, and look like a fault.
  session.set({ kind: 'asking' });
  const why = await send('POST', '/logout', undefined, value.proof).then(
    () => null,
    () => AWAY,
  );
  session.set({ kind: 'out', why });
}

async function enteredAs(answer: Response): Promise<Session> {
  const { name, role, csrf } = (await answer.json()) as Me;
  return { kind: 'in', name, role, proof: csrf === null ? {} : { 'x-csrf-token': csrf } };
}

async function refusalOf(answer: Response): Promise<string> {
  if (answer.status === 401) return 'This key is not known here.';
  const { detail } = (await answer.json()) as { detail: string };
  return detail;
}
