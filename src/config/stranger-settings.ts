// Who is taken, and what whoever comes may take.

import { addressRanges, choice, integer } from './parse.ts';
import { row } from './setting-row.ts';

export const STRANGER_SETTINGS = {
  admits: row('server', 'accounts', choice(['any', 'known']), 'any', {
    meaning:
      'Whose tokens are taken: `any` that the platform vouches for, or `known`: only those of the accounts in ' +
      'this configuration; all others get the platform’s 401, and nobody is asked about them',
  }),
  accountsMax: row('server', 'accounts_max', integer({ min: 1, max: 1_000_000 }), 10_000, {
    meaning:
      'Accounts that are kept; when there are so many, those that nobody configured and that have been idle ' +
      'longest give way',
    unit: 'accounts',
  }),
  trustedProxies: row<readonly string[]>('server', 'trusted_proxies', addressRanges(), [], {
    meaning:
      'Addresses or ranges of reverse proxies whose `X-Forwarded-For` is believed; without it all who come ' +
      'through a proxy count as one address',
  }),
  connectionsMax: row('server', 'connections_max', integer({ min: 16, max: 1_000_000 }), 20_000, {
    meaning: 'Open connections of clients; no address may have more than are still free',
    unit: 'connections',
  }),
} as const;
