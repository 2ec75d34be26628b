// The settings of WhatsApp: where the Graph API is, what a number's limits are believed to be, how live output goes.

import { integer, orNone, text } from '../../config/parse.ts';
import { limit, pacing, row, type SettingValues, upstream } from '../../config/setting-row.ts';

export const WHATSAPP_SETTINGS = {
  whatsappApi: upstream(
    ...(['whatsapp', 'https://graph.facebook.com'] as const),
    'Upstream of WhatsApp: the Graph API, or a simulator',
  ),
  whatsappVersion: row('server', 'whatsapp_version', text('a version such as v23.0'), 'v23.0', {
    meaning: 'Version of the Graph API that messages are sent with; other calls keep their own',
  }),
  whatsappPerS: limit('whatsapp_per_s', integer({ min: 1, max: 10_000 }), 80, {
    meaning:
      'Messages of one number: 80, 1000 after an upgrade, 20 where the app is used beside it',
    unit: 'per any second',
  }),
  whatsappPairBurst: limit('whatsapp_pair_burst', integer({ min: 1, max: 1000 }), 45, {
    meaning: 'Messages to one user at once, before each has to be earned again',
  }),
  whatsappPairEachMs: limit('whatsapp_pair_each_ms', integer({ min: 1, max: 600_000 }), 6000, {
    meaning: 'Time in which one message to one user is earned',
    unit: 'ms',
  }),
  whatsappTier: limit<number | null>(
    'whatsapp_tier',
    orNone(integer({ min: 1, max: 1_000_000 })),
    null,
    {
      meaning:
        'Users that a number reaches outside their service window (250, 2000, 10000, 100000; of a portfolio, so ' +
        'numbers that share one share it); none: no such limit',
      unit: 'per any 24 hours',
    },
  ),
  qosWhatsapp: pacing(
    'whatsapp',
    'chunks',
    'WhatsApp',
    ', where nothing can be edited: always as chunks',
  ),
} as const;

export type WhatsappSettings = SettingValues<typeof WHATSAPP_SETTINGS>;
