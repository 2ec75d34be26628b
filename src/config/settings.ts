// The one table of settings; those of the queue and of live output stand beside it, for their length, and each platform
// brings its own. The parser, `sluice config`, the flags of `sluice serve` and docs/configuration.md all come from it;
// a setting exists nowhere else.
// A row's key is its name in code; its other names follow from `name`: SLUICE_GROUP_MPM, --group-mpm.

import type { LimitRule } from '../domain/limit-rule.ts';
import { PLATFORMS } from '../platforms/registry.ts';
import { BROADCAST_SETTINGS } from './broadcast-settings.ts';
import { CLASS_SETTINGS } from './class-settings.ts';
import { FLEET_SETTINGS } from './fleet-settings.ts';
import { INGEST_SETTINGS } from './ingest-settings.ts';
import { limitRules } from './limit-rules.ts';
import { LIVE_SETTINGS } from './live-settings.ts';
import {
  address,
  choice,
  decimal,
  integer,
  longSecret,
  names,
  onOff,
  orNone,
  signingSecret,
  text,
  webhookSecret,
} from './parse.ts';
import { QUEUE_SETTINGS } from './queue-settings.ts';
import { row, type SettingValues } from './setting-row.ts';
import { STRANGER_SETTINGS } from './stranger-settings.ts';

const DAY_S = 86_400;
const HOUR_MS = 3_600_000;

const OWN_SETTINGS = {
  host: row('server', 'host', text('a host name or an address'), '127.0.0.1', {
    meaning: 'Address to listen on',
  }),
  port: row('server', 'port', integer({ min: 0, max: 65_535 }), 8080, {
    meaning: 'Port to listen on; 0: any free one, printed at the start',
  }),
  allowedHosts: row<readonly string[]>(
    'server',
    'allowed_hosts',
    names('a list of host names'),
    [],
    {
      meaning:
        'Further names by which clients may call the gateway (the `Host` header is checked, so that a ' +
        'web page cannot reach it through a name of its own)',
    },
  ),
  data: row('server', 'data', text('a folder'), './data', {
    meaning: 'Folder of the embedded store, the admin key and the secret',
  }),
  acceptLoss: row('server', 'accept_loss', onOff(), false, {
    meaning:
      'Start also on a store that holds less than it must; the loss is recorded. For one start, after you have ' +
      'read what is missing',
  }),
  adminKey: row<string | null>('server', 'admin_key', orNone(text('a key')), null, {
    meaning: 'Admin key; none: made at the first start and kept in the data folder',
    secret: true,
  }),
  secret: row<string | null>('server', 'secret', orNone(longSecret()), null, {
    meaning: 'Encrypts tokens at rest; none: made at the first start and kept in the data folder',
    secret: true,
  }),
  secretPrevious: row<string | null>('server', 'secret_previous', orNone(text('a secret')), null, {
    meaning:
      'The secret before (of any length), while it is being replaced: tokens are sealed anew at the start',
    secret: true,
  }),
  log: row('server', 'log', choice(['trace', 'debug', 'info', 'warn', 'error', 'silent']), 'info', {
    meaning: 'Log level; JSON lines on stderr, readable on a terminal',
  }),
  metrics: row('server', 'metrics', onOff(), true, {
    meaning: 'Whether /metrics answers',
  }),
  sandbox: row<boolean | null>('server', 'sandbox', orNone(onOff()), null, {
    meaning:
      'Whether tokens of the form `<digits>:sandbox…` talk to the built-in simulator; none: on when listening on ' +
      'loopback, else off, since anyone who reaches the gateway could make accounts of it',
  }),
  drainMsMax: row('server', 'drain_ms_max', integer({ min: 0, max: 60_000 }), 10_000, {
    meaning: 'On SIGTERM: how long the end may take; what hangs longer is cut off and in doubt',
    unit: 'ms',
  }),
  ...FLEET_SETTINGS,

  ...STRANGER_SETTINGS,

  limitRules: row<readonly LimitRule[]>('limits', 'limit_rules', limitRules(), [], {
    meaning:
      'Further limits, of the operator: all of them hold beside the platform’s own, so the strictest decides. ' +
      'An account’s list takes the place of this one',
    perAccount: true,
  }),
  ...QUEUE_SETTINGS,

  ...LIVE_SETTINGS,

  ...BROADCAST_SETTINGS,

  ...CLASS_SETTINGS,

  ...INGEST_SETTINGS,

  order: row('schedule', 'order', choice(['lane', 'account', 'platform']), 'lane', {
    meaning:
      '`lane`: order is kept within a chat, thread or session. `account`: all messages of an account leave ' +
      'strictly as they were accepted, one at a time; one that must wait holds all others up. `platform`: the same ' +
      'over all accounts of a platform that are set so, within one process: not together with `database_url`',
    perAccount: true,
  }),
  weightHigh: row('schedule', 'weight_high', integer({ min: 1, max: 1000 }), 16, {
    meaning: 'Share of class high against normal and low (critical goes first)',
  }),
  weightNormal: row('schedule', 'weight_normal', integer({ min: 1, max: 1000 }), 4, {
    meaning: 'Share of class normal',
  }),
  weightLow: row('schedule', 'weight_low', integer({ min: 1, max: 1000 }), 1, {
    meaning: 'Share of class low; at least 1, so that it never starves',
  }),

  retryBaseMs: row('retry', 'retry_base_ms', integer({ min: 1, max: HOUR_MS }), 1000, {
    meaning: 'Backoff before the second try; doubles with each further one, with full jitter',
    unit: 'ms',
    perAccount: true,
  }),
  retryMaxMs: row('retry', 'retry_max_ms', integer({ min: 1, max: HOUR_MS }), 30_000, {
    meaning: 'Longest backoff',
    unit: 'ms',
    perAccount: true,
  }),
  attemptsMax: row('retry', 'attempts_max', integer({ min: 1, max: 1000 }), 8, {
    meaning: 'Failed tries after which a delivery dies, once it is also old enough',
    unit: 'tries',
    perAccount: true,
  }),
  deadAgeMinS: row('retry', 'dead_age_min_s', integer({ min: 0, max: 30 * DAY_S }), 900, {
    meaning: 'Youngest age at which failures can kill, so that a short outage kills nothing',
    unit: 's',
    perAccount: true,
  }),
  longText: row('retry', 'long_text', choice(['split', 'refuse']), 'split', {
    meaning:
      'A text too long for one message: `split` sends it as several, in order and with its markup; ' +
      '`refuse` leaves it to the platform to refuse (edits and captions always are)',
    perAccount: true,
  }),
  uncertainPolicy: row('retry', 'uncertain_policy', choice(['resend', 'hold']), 'resend', {
    meaning:
      'When the answer to a call that cannot be repeated harmlessly is lost: `resend` (a duplicate is ' +
      'possible, and marked) or `hold` (wait for a person)',
    perAccount: true,
  }),
  breakerFailures: row('retry', 'breaker_failures', integer({ min: 1, max: 1000 }), 5, {
    meaning: 'Failures in a row that open the breaker of an account',
    unit: 'tries',
    perAccount: true,
  }),
  breakerOpenMs: row('retry', 'breaker_open_ms', integer({ min: 1, max: HOUR_MS }), 1_000, {
    meaning:
      'Shortest time between two probes of an open breaker; a thirtieth of the outage so far, if longer',
    unit: 'ms',
    perAccount: true,
  }),
  breakerOpenMsMax: row(
    'retry',
    'breaker_open_ms_max',
    integer({ min: 1, max: HOUR_MS }),
    300_000,
    {
      meaning: 'Longest time between two probes',
      unit: 'ms',
      perAccount: true,
    },
  ),
  deadlineMs: row('retry', 'deadline_ms', integer({ min: 100, max: 600_000 }), 60_000, {
    meaning: 'How long one call may take until its answer counts as lost',
    unit: 'ms',
    perAccount: true,
  }),

  replyWindowS: row('inbound', 'reply_window_s', integer({ min: 0, max: DAY_S }), 3600, {
    meaning: 'So long after someone wrote in a chat, messages to it are answers, not broadcast',
    unit: 's',
    perAccount: true,
  }),
  webhookSecret: row<string | null>('inbound', 'webhook_secret', orNone(webhookSecret()), null, {
    meaning: 'What webhook calls must carry; none: derived, see `GET /v1/accounts/:id/webhook`',
    secret: true,
    perAccount: true,
  }),
  signingSecret: row<string | null>('inbound', 'signing_secret', orNone(signingSecret()), null, {
    meaning:
      'What is posted to the app is signed with it; none: derived, see `GET /v1/accounts/:id/webhook`',
    secret: true,
    perAccount: true,
  }),
  signingSecretPrevious: row<string | null>(
    'inbound',
    'signing_secret_previous',
    orNone(signingSecret()),
    null,
    {
      meaning: 'The one before, while it is being replaced: posts carry a signature with each',
      secret: true,
      perAccount: true,
    },
  ),
  forwardUrl: row<string | null>('inbound', 'forward_url', orNone(address()), null, {
    meaning: 'Where updates that come by webhook are posted on to: the app; none: nowhere',
    perAccount: true,
  }),
  updatesFromStore: row('inbound', 'updates_from_store', onOff(), false, {
    meaning: 'Without forward_url: whether getUpdates is answered with what came by webhook',
    perAccount: true,
  }),

  retentionDays: row('retention', 'retention_days', decimal({ min: 0.01, max: 3650 }), 7, {
    meaning: 'Deliveries that were sent, superseded, expired or cancelled are kept this long',
    unit: 'days',
  }),
  deadDays: row('retention', 'dead_days', decimal({ min: 0.01, max: 3650 }), 30, {
    meaning: 'Dead and uncertain deliveries are kept this long',
    unit: 'days',
  }),
  auditDays: row('retention', 'audit_days', decimal({ min: 0.01, max: 3650 }), 90, {
    meaning: 'What operators did is kept this long, and keys that are over with it',
    unit: 'days',
  }),
  pruneMax: row('retention', 'prune_max', integer({ min: 1, max: 100_000 }), 500, {
    meaning: 'Most deliveries removed in one transaction, so that pruning never delays a commit',
    unit: 'deliveries',
  }),
  pruneEveryS: row('retention', 'prune_every_s', integer({ min: 1, max: DAY_S }), 60, {
    meaning: 'Time between two rounds of pruning',
    unit: 's',
  }),
} as const;

type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type Table = typeof OWN_SETTINGS & AllOf<(typeof PLATFORMS)[number]['settings']>;

// With each platform's own.
export const SETTINGS: Table = Object.assign(
  { ...OWN_SETTINGS },
  ...PLATFORMS.map(({ settings }) => settings),
);

export type SettingKey = keyof Table;
export type Settings = SettingValues<Table>;

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];
