// Who asked, as one node tells another: its role and its bounds go with the request, because the key may be too new to
// be known there.

import type { FastifyRequest } from 'fastify';
import { FLEET_HEADERS } from '../../domain/fleet.ts';
import { ROLES } from '../../domain/role.ts';
import { ADMIN, type Holder, type Scope } from '../../keys/keys.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { HttpParts } from '../context.ts';

type Told = Pick<Holder, 'id' | 'name' | 'role' | 'namespace'> & { readonly scope: Scope | null };

export function holderHeader(holder: Holder | null): string | null {
  if (holder === null) return null;
  const { id, name, role, namespace, bounds } = holder;
  const told: Told = { id, name, role, namespace, scope: bounds?.scope ?? null };
  return Buffer.from(JSON.stringify(told)).toString('base64url');
}

// null: nobody was asked who they are.
export function toldHolder({ guards }: HttpParts, request: FastifyRequest): Holder | null {
  const header = request.headers[FLEET_HEADERS.holder];
  if (typeof header !== 'string') return null;
  const told = jsonOrUndefined(Buffer.from(header, 'base64url').toString()) as Told | undefined;
  if (told === undefined || !ROLES.includes(told.role)) return null;
  if (told.id === null) return ADMIN;
  const { id, name, role, namespace, scope } = told;
  // The one that is known here counts what it does, where its rate is bounded.
  const known = guards.keyring.byId(id);
  const bounds = scope === null ? null : guards.keyring.boundsOf(id, scope);
  return known ?? { id, name, role, namespace, bounds };
}
