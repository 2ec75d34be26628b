// The settings of Telegram: where it is, what its limits are believed to be, how live output is paced there.

import {
  baseUrl,
  choice,
  decimal,
  hostAndPort,
  integer,
  orNone,
  text,
} from '../../config/parse.ts';
import { limit, row, type SettingValues } from '../../config/setting-row.ts';
import { STRATEGIES, type Strategy } from '../../domain/live.ts';

const MEANING =
  '`strict`: a budget per chat, its sessions in turns; `coalesce_only`: the newest text, in turns, as soon as ' +
  'the limits allow; `chunks`: finished paragraphs as few messages; `off`: each stream for itself';

export const TELEGRAM_SETTINGS = {
  telegramApi: row('server', 'telegram_api', baseUrl(), 'https://api.telegram.org', {
    meaning: 'Upstream of Telegram (a local Bot API server, a simulator)',
  }),
  tmeUrl: row('server', 'tme_url', baseUrl(), 'https://t.me', {
    meaning: 'Where the public pages of channels are (a simulator)',
  }),
  groupMpm: limit('group_mpm', integer({ min: 1, max: 6000 }), 20, {
    meaning: 'Messages to one group',
    unit: 'per any minute',
  }),
  reserveMpm: limit('reserve_mpm', integer({ min: 0, max: 6000 }), 4, {
    meaning: 'Of those, kept free of live output for answers and commands',
    unit: 'per minute',
  }),
  outputBudgetRatio: limit('output_budget_ratio', decimal({ min: 0.05, max: 1 }), 0.8, {
    meaning: 'Largest share of group_mpm that live output may use',
  }),
  privatePerS: limit('private_per_s', decimal({ min: 0.01, max: 1000 }), 1, {
    meaning: 'Messages to one chat of any kind',
    unit: 'per any second',
  }),
  broadcastPerS: limit('broadcast_per_s', integer({ min: 1, max: 1000 }), 30, {
    meaning: 'Messages of one account to people who did not just write',
    unit: 'per any second',
  }),
  paidPerS: limit('paid_per_s', integer({ min: 1, max: 10_000 }), 1000, {
    meaning: 'Messages of one account with allow_paid_broadcast',
    unit: 'per any second',
  }),
  reactionMpm: limit('reaction_mpm', integer({ min: 1, max: 6000 }), 20, {
    meaning: 'Reactions in one chat',
    unit: 'per any minute',
  }),
  draftPerS: limit('draft_per_s', decimal({ min: 0.01, max: 1000 }), 1, {
    meaning: 'Drafts in one chat',
    unit: 'per any second',
  }),
  deletePerS: limit('delete_per_s', decimal({ min: 0.01, max: 1000 }), 5, {
    meaning: 'Deletions in one chat',
    unit: 'per any second',
  }),
  typingSpacingMs: limit('typing_spacing_ms', integer({ min: 1, max: 60_000 }), 4000, {
    meaning: 'Shortest time between two typing indicators in one chat, or in one topic of it',
    unit: 'ms',
  }),
  userPerMinute: limit<number | null>(
    'user_per_minute',
    orNone(integer({ min: 1, max: 60_000 })),
    null,
    {
      meaning: 'Messages of one account on behalf of one user; none: no such limit',
      unit: 'per any minute',
    },
  ),
  qosTelegram: row<Strategy>('live', 'qos_telegram', choice(STRATEGIES), 'strict', {
    meaning: `How live output is paced on Telegram. ${MEANING}`,
    perAccount: true,
  }),
  mtprotoApiId: row<number | null>(
    'inbound',
    'mtproto_api_id',
    orNone(integer({ min: 1, max: 2 ** 31 - 1 })),
    null,
    { meaning: 'The application that reads channels over MTProto, as my.telegram.org gives it' },
  ),
  mtprotoApiHash: row<string | null>('inbound', 'mtproto_api_hash', orNone(text()), null, {
    meaning: 'Its hash',
    secret: true,
  }),
  mtprotoSession: row<string | null>('inbound', 'mtproto_session', orNone(text()), null, {
    meaning: 'A session to read with, where no account is kept in the store',
    secret: true,
  }),
  mtprotoDc: row<string | null>('inbound', 'mtproto_dc', orNone(hostAndPort()), null, {
    meaning: 'Where MTProto is spoken (a simulator); none: Telegram’s own servers',
  }),
  mtprotoKey: row<string | null>('inbound', 'mtproto_key', orNone(text('a file')), null, {
    meaning: 'A file with that server’s public key (PEM); none: Telegram’s own keys',
  }),
} as const;

export type TelegramSettings = SettingValues<typeof TELEGRAM_SETTINGS>;
