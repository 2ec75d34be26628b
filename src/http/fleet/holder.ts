// Who asked, as one node names it to another: its role and its bounds go with the request, because the key may be too
// new to be known there.

import type { FastifyRequest } from 'fastify';
import { FLEET_HEADERS } from '../../domain/fleet.ts';
import { ROLES } from '../../domain/role.ts';
import { ADMIN, type Holder, type Scope } from '../../keys/keys.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { HttpParts } from '../context.ts';

type NamedHolder = Pick<Holder, 'id' | 'name' | 'role' | 'namespace'> & {
  readonly scope: Scope | null;
};

export function holderHeader(holder: Holder | null): string | null {
  if (holder === null) return null;
  const { id, name, role, namespace, bounds } = holder;
  const named: NamedHolder = { id, name, role, namespace, scope: bounds?.scope ?? null };
  return Buffer.from(JSON.stringify(named)).toString('base64url');
}

// null: nobody was asked who they are.
export function namedHolder({ guards }: HttpParts, request: FastifyRequest): Holder | null {
  const header = request.headers[FLEET_HEADERS.holder];
  if (typeof header !== 'string') return null;
  const named = jsonOrUndefined(Buffer.from(header, 'base64url').toString()) as
    | NamedHolder
    | undefined;
  if (named === undefined || !ROLES.includes(named.role)) return null;
  if (named.id === null) return ADMIN;
  const { id, name, role, namespace, scope } = named;
  // The one that is known here counts what it does, where its rate is bounded.
  const known = guards.keyring.byId(id);
  const bounds = scope === null ? null : guards.keyring.boundsOf(id, scope);
  return known ?? { id, name, role, namespace, bounds };
}
