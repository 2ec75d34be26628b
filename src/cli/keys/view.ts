// Keys, and what was done, as people read them.

import { fields, momentOrNull, table } from '../terminal/table.ts';

interface Scope {
  readonly accounts: readonly string[] | null;
  readonly chats: readonly string[] | null;
  readonly methods: readonly string[] | null;
  readonly perMinute: number | null;
  readonly priority: string | null;
}

export interface ShownKey {
  readonly id: string;
  readonly kind: 'key' | 'virtual';
  readonly name: string;
  readonly role: string;
  readonly active: boolean;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly usedAt: string | null;
  readonly scope: Scope;
}

export interface Noted {
  readonly at: string;
  readonly by: string;
  readonly action: string;
  readonly target: string;
  readonly result: string;
}

export function newKey(key: ShownKey & { readonly secret: string }): string {
  const told = fields([
    ['id', key.id],
    ['name', key.name],
    ['role', key.role],
    ['bound to', inWords(key.scope)],
    ['expires', momentOrNull(key.expiresAt) ?? 'never'],
    [key.kind === 'key' ? 'key' : 'token', key.secret],
  ]);
  return `${told}\n\nThis is shown once: it is kept nowhere.`;
}

export function listed(keys: readonly ShownKey[]): string {
  const rows = keys.map((key) => [
    key.id,
    key.kind,
    key.name,
    key.role,
    inWords(key.scope),
    key.active ? (momentOrNull(key.expiresAt) ?? 'never') : 'revoked',
    momentOrNull(key.usedAt) ?? 'not yet',
  ]);
  return table(['id', 'kind', 'name', 'role', 'bound to', 'expires', 'last used'], rows);
}

export function noted(entries: readonly Noted[]): string {
  const rows = entries.map(({ at, by, action, target, result }) => [
    at,
    by,
    action,
    target,
    result,
  ]);
  return table(['at', 'by', 'what', 'of', 'result'], rows);
}

function inWords({ accounts, chats, methods, perMinute, priority }: Scope): string {
  const bounds = [
    ...(accounts ?? []),
    ...(chats ?? []).map((chat) => `chat ${chat}`),
    ...(methods ?? []),
    ...(perMinute === null ? [] : [`${perMinute}/min`]),
    ...(priority === null ? [] : [`at most ${priority}`]),
  ];
  return bounds.length === 0 ? 'all accounts and chats' : bounds.join(', ');
}
