// Discord's API as its clients know it.

import type { Dialect } from '../../dialect.ts';
import { secretOf } from '../credentials.ts';
import type { Interactions } from '../interactions.ts';
import { WORDS } from './answer.ts';
import { heldMs, locate, located, OWN, ROUTES, read } from './request.ts';

const DIALECT = {
  routes: ROUTES,
  own: OWN,
  headersPassed: [
    ...['via', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
    ...['x-ratelimit-reset-after', 'x-ratelimit-bucket', 'x-ratelimit-scope', 'x-ratelimit-global'],
  ],
  ...{ located, read, heldMs, secretOf },
  ...WORDS,
};

export function dialectFor(interactions: Interactions): Dialect {
  return { ...DIALECT, locate: (head) => locate(head, interactions) };
}
