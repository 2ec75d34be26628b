// Keys and tokens with bounds, and what left on their behalf, read as leniently as Telegram reads it.

import type { Role } from '../../domain/role.ts';
import { NO_SCOPE, type Scope } from '../../keys/keys.ts';
import { ACCOUNT, type Bench } from '../context.fixture.ts';
import { chatLeniently, readLeniently } from './lenient-json.fixture.ts';

export const OWN = '-100';
export const OTHER = '7';

export async function virtualToken(at: Bench, scope: Partial<Scope>): Promise<string> {
  const made = await at.guards.keyring.create({
    ...{ kind: 'virtual', name: 'guest', role: 'sender', expiresAt: null },
    scope: { ...NO_SCOPE, accounts: [ACCOUNT], ...scope },
  });
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.secret;
}

export async function boundKey(at: Bench, role: Role, scope: Partial<Scope>) {
  const request = { kind: 'key', name: role, role, expiresAt: null } as const;
  const made = await at.guards.keyring.create({ ...request, scope: { ...NO_SCOPE, ...scope } });
  if (made.kind !== 'created') throw new Error(made.kind);
  return { authorization: `Bearer ${made.secret}` };
}

export interface Sent {
  readonly method: string;
  readonly body: string;
}

// Whatever would go to the platform.
export function sentBy(at: Bench): Sent[] {
  return [...at.road.submitted, ...at.road.cosmetics, ...at.passed];
}

// Every chat that a body names to a lenient reader, also by an object in a text.
export function chatsIn(value: unknown, isTop = true): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    if (/(^|_)chat_id$/i.test(name))
      return part === null || part === '' ? [] : [chatLeniently(part)];
    const isText = typeof part === 'string' && isTop && name !== 'text' && name !== 'caption';
    return chatsIn(isText ? readLeniently(part) : part, false);
  });
}
