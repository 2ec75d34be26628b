// Who looks at the page, and how that is proven to the gateway.

import { Store } from './store.ts';

export type Role = 'viewer' | 'sender' | 'operator' | 'admin';

export type Session =
  // The gateway is being asked, or told that nobody is.
  | { kind: 'asking' }
  | { kind: 'out'; why: string | null }
  // `proof`: headers of every request.
  | { kind: 'in'; name: string; role: Role; proof: Readonly<Record<string, string>> };

export const session = new Store<Session>({ kind: 'asking' });

const RANKS: readonly Role[] = ['viewer', 'sender', 'operator', 'admin'];

// What a role may not do is not shown to it; the gateway refuses it in any case.
export function may(role: Role): boolean {
  const { value } = session;
  return value.kind === 'in' && RANKS.indexOf(value.role) >= RANKS.indexOf(role);
}
