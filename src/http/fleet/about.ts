// Which account a request is about, before it is known whether this node owns it. A route says how it names the
// account, as it says who may use it.

import type { FastifyRequest } from 'fastify';
import { platformFor } from '../../accept/draft.ts';
import { type AccountId, parseAccountId, parseId } from '../../domain/ids.ts';
import { unreachable } from '../../system/assert.ts';
import { isStream } from '../bodies.ts';
import type { HttpParts } from '../context.ts';

//   message    the delivery in the path
//   stream, broadcast  likewise
//   account    the account in the path
//   webhook    the platform and the account in the path
//   query      the account in the query, if it names one
//   body       the account in the body
//   draft      the target in the body; of a body that is the text itself, in the query
export type OwnerOf =
  | 'message'
  | 'stream'
  | 'broadcast'
  | 'account'
  | 'webhook'
  | 'query'
  | 'body'
  | 'draft';

declare module 'fastify' {
  interface FastifyContextConfig {
    owner?: OwnerOf;
    // It speaks of the whole fleet: the other nodes are asked first.
    isWide?: true;
  }
}

type Named = Readonly<Record<string, unknown>>;

// null: of none that is known, or of several.
export async function accountOf(
  options: HttpParts,
  owner: OwnerOf,
  request: FastifyRequest,
): Promise<AccountId | null> {
  const params = request.params as Named;
  const query = request.query as Named;
  switch (owner) {
    case 'message': {
      const seq = parseId(options.tag, String(params.id));
      return seq === null ? null : ((await options.ledger.get(seq))?.account ?? null);
    }
    case 'stream':
      return (await options.output?.live.get(String(params.id)))?.account ?? null;
    case 'broadcast':
      return (await options.broadcasts?.get(String(params.id)))?.account ?? null;
    case 'account':
      return parseAccountId(String(params.id));
    case 'webhook':
      return parseAccountId(`${params.platform}:${params.account}`);
    case 'query':
      return typeof query.account === 'string' ? parseAccountId(query.account) : null;
    case 'body': {
      const { account } = (request.body ?? {}) as Named;
      return typeof account === 'string' ? parseAccountId(account) : null;
    }
    case 'draft':
      return isStream(request.body) ? targetOf(options, query) : targetsOf(options, request.body);
    default:
      return unreachable(owner);
  }
}

// Of a batch: if all are of one account.
async function targetsOf(options: HttpParts, body: unknown): Promise<AccountId | null> {
  const items = Array.isArray(body) ? body : [body];
  let account: AccountId | null = null;
  for (const item of items) {
    const to = (item as { to?: Named } | null | undefined)?.to;
    const target = typeof to === 'object' && to !== null && 'origin' in to ? to.origin : to;
    const found = await targetOf(options, target);
    if (found === null || (account !== null && found !== account)) return null;
    account = found;
  }
  return account;
}

async function targetOf(options: HttpParts, target: unknown): Promise<AccountId | null> {
  if (typeof target !== 'object' || target === null || !('account' in target)) return null;
  const { account, platform } = target as Named;
  if (typeof account !== 'string' && typeof account !== 'number') return null;
  const named = typeof platform === 'string' ? { platform } : null;
  const found = platformFor(options, { ...named, account: String(account) });
  if ('code' in found) return null;
  const identity = await options.accounts.resolve(found.name, String(account));
  return identity.kind === 'known' ? identity.id : null;
}
