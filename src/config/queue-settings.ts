// The settings of accepting: how much may wait, how large it may be, and who waits for it.

import { integer, onOff, type Wait, wait } from './parse.ts';
import { row } from './setting-row.ts';

export const QUEUE_SETTINGS = {
  queueMax: row('queue', 'queue_max', integer({ min: 1, max: 10_000_000 }), 10_000, {
    meaning: 'Deliveries that may wait in one account; more are refused',
    unit: 'deliveries',
    perAccount: true,
  }),
  queueBytesMax: row(
    'queue',
    'queue_bytes_max',
    integer({ min: 65_536, max: 1_099_511_627_776 }),
    268_435_456,
    {
      meaning: 'Bytes of payload that may wait in one account; more are refused',
      unit: 'bytes',
      perAccount: true,
    },
  ),
  queueBytesTotalMax: row(
    'queue',
    'queue_bytes_total_max',
    integer({ min: 65_536, max: 1_099_511_627_776 }),
    1_073_741_824,
    {
      meaning:
        'Bytes of payload that may wait in all accounts together; those that are not configured have three ' +
        'quarters of it, and none of them more than is still free',
      unit: 'bytes',
    },
  ),
  platformQueueMax: row(
    'queue',
    'platform_queue_max',
    integer({ min: 1, max: 100_000_000 }),
    10_000_000,
    {
      meaning:
        'Deliveries that may wait in all accounts of a platform together, three quarters of them in accounts that ' +
        'are not configured; more are refused',
      unit: 'deliveries',
    },
  ),
  inFlightMax: row('queue', 'in_flight_max', integer({ min: 1, max: 1024 }), 128, {
    meaning: 'Calls of one account under way at once',
    unit: 'calls',
    perAccount: true,
  }),
  bodyBytesMax: row('queue', 'body_bytes_max', integer({ min: 1024, max: 52_428_800 }), 1_048_576, {
    meaning: 'Largest request body',
    unit: 'bytes',
  }),
  uploadBytesMax: row(
    'queue',
    'upload_bytes_max',
    integer({ min: 1024, max: 4_294_967_296 }),
    52_428_800,
    {
      meaning: 'Most bytes of files in one drop-in call; more get the 413 of the platform',
      unit: 'bytes',
    },
  ),
  spoolBytesMax: row(
    'queue',
    'spool_bytes_max',
    integer({ min: 1024, max: 1_099_511_627_776 }),
    2_147_483_648,
    {
      meaning:
        'Disk space for files of deliveries that wait or are dead letters; no account has more of it than is still ' +
        'free, and accounts that are not configured have three quarters of it together',
      unit: 'bytes',
    },
  ),
  spillMax: row('queue', 'spill_max', integer({ min: 1, max: 1_000_000 }), 50_000, {
    meaning:
      'With a database: most deliveries that a node accepts onto its own disk while the database is away; more get 503',
  }),
  spillBytesMax: row(
    'queue',
    'spill_bytes_max',
    integer({ min: 1024, max: 4_294_967_296 }),
    134_217_728,
    {
      meaning: 'Most bytes of payload of those; they are also held in memory',
      unit: 'bytes',
    },
  ),
  uploadReuse: row('queue', 'upload_reuse', onOff(), true, {
    meaning: 'Whether a file the platform already has is named by its id instead of sent again',
  }),
  dropInCures: row('queue', 'drop_in_cures', onOff(), false, {
    meaning:
      'Whether a drop-in call that the platform refuses goes once more without what it refused (markup as plain ' +
      'text, a topic or a message to reply to that is gone left out); off: the client gets the refusal. Over ' +
      'REST and in streams it always does',
  }),
  batchMax: row('queue', 'batch_max', integer({ min: 1, max: 10_000 }), 1000, {
    meaning: 'Most messages in one POST /v1/messages, most ids in one retry or discard',
    unit: 'messages',
  }),
  waitSMax: row('queue', 'wait_s_max', integer({ min: 1, max: 3600 }), 300, {
    meaning:
      'Longest `wait` over REST and `Prefer: wait=N`; a drop-in call under `hold` has no bound',
    unit: 's',
  }),
  wait: row<Wait>(
    'queue',
    'wait',
    wait({ min: 0, max: 3600 }),
    { kind: 'hold' },
    {
      meaning:
        'What a drop-in call that must wait gets: `hold` answers when it was sent; a number of seconds, ' +
        'then 429 with an honest `retry_after` and the delivery withdrawn; `async` answers at once with a ' +
        'provisional message',
    },
  ),
} as const;
