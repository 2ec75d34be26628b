// The settings of broadcasts: how much of an account they may take, and how large they may be.

import { decimal, integer } from './parse.ts';
import { row } from './setting-row.ts';

export const BROADCAST_SETTINGS = {
  broadcastWindow: row('broadcast', 'broadcast_window', integer({ min: 1, max: 10_000 }), 200, {
    meaning:
      'Deliveries of broadcasts that wait in one account at once; never more than a quarter of queue_max',
    unit: 'deliveries',
    perAccount: true,
  }),
  broadcastsMax: row('broadcast', 'broadcasts_max', integer({ min: 1, max: 10_000 }), 100, {
    meaning: 'Broadcasts that run or are paused at once',
    unit: 'broadcasts',
  }),
  recipientsMax: row(
    'broadcast',
    'recipients_max',
    integer({ min: 1, max: 100_000_000 }),
    5_000_000,
    {
      meaning: 'Most recipients in one audience',
      unit: 'recipients',
    },
  ),
  blockedProbeDays: row('broadcast', 'blocked_probe_days', decimal({ min: 0, max: 3650 }), 30, {
    meaning:
      'How long a chat that blocked the account is left out of broadcasts before one of them tries it again',
    unit: 'days',
    perAccount: true,
  }),
} as const;
