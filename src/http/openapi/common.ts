// What many descriptions of routes have in common: fields of answers, and the ids that stand in examples.

import Type from 'typebox';
import { PLATFORM_DEFAULT, PLATFORM_LOCAL } from '../../platforms/registry.ts';

const { account, credential, secretHeader, update } = PLATFORM_DEFAULT.sample;

// Ids as they look, one for each thing there is, and what is a platform's own. The test that sends the examples puts
// real ones in their place.
export const SAMPLE = {
  platform: PLATFORM_DEFAULT.name,
  account,
  token: credential,
  idleAccount: `${PLATFORM_LOCAL.name}:kitchen`,
  observer: { account: PLATFORM_LOCAL.accountDefault, chat: 'desk' },
  // A delivery that waits, and one that is dead.
  waiting: 'k3x9a-1c',
  dead: 'k3x9a-1d',
  stream: 's-mwifte3h-85f37',
  broadcast: 'b-k3x9a-1',
  audience: 'beta-testers',
  source: '4711',
  channel: '@daily_news',
  post: '2600123',
  reader: '777000123',
  phone: '+15550123',
  code: '13579',
  login: '5f0c9b1e-7d0a-4c43-9d5c-0d2c6f1f0a77',
  key: 'k-5f1d3c9a7b20',
  secret: 'the-secret-of-this-account',
  secretHeader,
  update,
  limit: Object.values(PLATFORM_DEFAULT.settings).find(({ section }) => section === 'limits')!.name,
  adminKey: 'the-admin-key',
} as const;

export const time = Type.String({ description: 'ISO 8601' });
export const timeOrNull = Type.Unsafe({ type: ['string', 'null'], description: 'ISO 8601' });
export const text = Type.String();
export const textOrNull = Type.Unsafe({ type: ['string', 'null'] });
export const count = Type.Integer();
export const nextPage = Type.Unsafe({
  type: ['string', 'null'],
  description: '`cursor` of the next page; null: this is the last',
});
