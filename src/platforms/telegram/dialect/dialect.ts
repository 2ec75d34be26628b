// The Bot API as Telegram's clients know it.

import type { Dialect } from '../../dialect.ts';
import { WORDS } from './answer.ts';
import { heldMs, locate, located, OWN, ROUTES, read, secretOf } from './request.ts';

export const DIALECT: Dialect = {
  routes: ROUTES,
  own: OWN,
  ...{ locate, located, read, heldMs, secretOf },
  ...WORDS,
};
