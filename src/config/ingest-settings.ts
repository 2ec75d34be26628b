// The settings of ingest: whether channels are read, how often, and how much of it at once. The variables of the
// described system are understood as well.

import { choice, decimal, integer, orNone, type SettingReader } from './parse.ts';
import { row } from './setting-row.ts';

const DAY_S = 86_400;

// `historical`: each look goes on from the last id and compares the newest posts, whatever the platform could tell.
export type IngestMode = 'on' | 'historical' | 'off';

const MODES = choice(['on', 'historical', 'off']);
const ingestMode: SettingReader<IngestMode> = {
  expected: MODES.expected,
  read: (raw) => MODES.read(raw === true ? 'on' : raw === false ? 'off' : raw),
};

// A flag that is off means: no incremental reading. What is followed is read all the same.
const FLAG = {
  ...{ true: 'on', on: 'on', '1': 'on' },
  ...{ false: 'historical', off: 'historical', '0': 'historical' },
};

export const INGEST_SETTINGS = {
  ingest: row<IngestMode>('ingest', 'ingest', ingestMode, 'on', {
    meaning:
      'Whether channels that are followed are read. `historical`: without asking the platform for changes, each look ' +
      'goes on from the last id and compares the newest posts',
    alias: { variable: 'FEATURE_INCREMENTAL_PARSING_ENABLED', values: FLAG },
  }),
  ingestPace: row('ingest', 'ingest_pace', choice(['rate', 'fixed']), 'rate', {
    meaning:
      'When a channel is looked at: by its own `rate` of posts, within a budget of calls, or every ' +
      'ingest_interval_s (`fixed`)',
  }),
  ingestIntervalS: row('ingest', 'ingest_interval_s', integer({ min: 1, max: DAY_S }), 300, {
    meaning:
      'Time between two looks at a channel at a fixed pace; of `rate` it is the mean of all, and makes the budget',
    unit: 's',
    alias: { variable: 'PARSER_SCHEDULER_INTERVAL_SEC' },
  }),
  ingestCallsPerHour: row<number | null>(
    'ingest',
    'ingest_calls_per_hour',
    orNone(integer({ min: 1, max: 10_000_000 })),
    null,
    {
      meaning: 'The budget of `rate`; none: as many looks as the interval would make',
      unit: 'calls per hour',
    },
  ),
  ingestEverySMin: row('ingest', 'ingest_every_s_min', integer({ min: 1, max: DAY_S }), 20, {
    meaning: 'Of `rate`: no channel is looked at more often',
    unit: 's',
  }),
  ingestEverySMax: row('ingest', 'ingest_every_s_max', integer({ min: 1, max: DAY_S }), 3600, {
    meaning: 'Of `rate`: no channel is looked at less often',
    unit: 's',
  }),
  ingestConcurrencyMax: row('ingest', 'ingest_concurrency_max', integer({ min: 1, max: 256 }), 4, {
    meaning: 'Channels that are looked at at once',
    unit: 'channels',
    alias: { variable: 'PARSER_MAX_CONCURRENCY' },
  }),
  ingestRetriesMax: row('ingest', 'ingest_retries_max', integer({ min: 0, max: 20 }), 3, {
    meaning: 'How often a call is repeated after a timeout or a broken connection (1, 2, 4 s …)',
    unit: 'tries',
    alias: { variable: 'PARSER_RETRY_MAX' },
  }),
  lpaMaxAgeHours: row('ingest', 'lpa_max_age_hours', decimal({ min: 0.0001, max: 87_600 }), 24, {
    meaning: 'A channel whose last success is older is read historically again',
    unit: 'hours',
    alias: { variable: 'LPA_MAX_AGE_HOURS' },
  }),
} as const;
