// Signing in and out. The gateway's own session (a cookie it sets) is used where it has one; else the key itself is
// kept for as long as the tab is open, and sent with each request.

import { send } from './api.ts';
import { tabMemory } from './browser.ts';
import { type Role, type Session, session } from './session-store.ts';

const KEY = 'key';

interface Me {
  readonly name: string;
  readonly role: Role;
  readonly csrf?: string;
}

export async function resumeSession(): Promise<void> {
  const key = tabMemory.get(KEY);
  try {
    session.set((await known(key)) ?? { kind: 'out', why: null });
  } catch {
    session.set({ kind: 'out', why: 'The gateway does not answer. Is it running?' });
  }
}

// null: signed in; else why not.
export async function signIn(key: string): Promise<string | null> {
  try {
    const login = await send('POST', '/login', { key }, {});
    if (login.status === 429) return 'Too many wrong keys. Wait a minute and try again.';
    const found = login.ok ? await known(null) : login.status === 401 ? null : await known(key);
    if (found === null) return 'This key is not known here.';
    if (!login.ok) tabMemory.set(KEY, key);
    session.set(found);
    return null;
  } catch {
    return 'The gateway does not answer. Is it running?';
  }
}

export async function signOut(): Promise<void> {
  const { value } = session;
  tabMemory.set(KEY, null);
  session.set({ kind: 'out', why: null });
  if (value.kind === 'in' && !('authorization' in value.proof)) {
    await send('POST', '/logout', undefined, value.proof).catch(() => {});
  }
}

// Who it is, by the cookie or by this key; null: nobody the gateway knows.
async function known(key: string | null): Promise<Session | null> {
  const proof = key === null ? {} : { authorization: `Bearer ${key}` };
  const answer = await send('GET', '/v1/me', undefined, proof);
  if (answer.ok) {
    const { name, role, csrf } = (await answer.json()) as Me;
    const csrfProof = key === null && csrf !== undefined ? { 'x-csrf-token': csrf } : {};
    return { kind: 'in', name, role, proof: { ...proof, ...csrfProof } };
  }
  if (answer.status !== 404 || key === null) return null;
  // A gateway without roles knows one key, the admin's.
  const stats = await send('GET', '/queue/stats', undefined, proof);
  return stats.ok ? { kind: 'in', name: 'admin', role: 'admin', proof } : null;
}
