// The settings of live output: who decides when a growing text is shown, how often, and how much of it there may be.

import { integer, onOff, orNone } from './parse.ts';
import { row } from './setting-row.ts';

const HOUR_S = 3600;
export const LIVE_SETTINGS = {
  qos: row('live', 'qos', onOff(), true, {
    meaning:
      'Whether growing texts share their chat in turns; off: each is shown as soon as the limits allow',
  }),
  activeWindowS: row('live', 'active_window_s', integer({ min: 1, max: 600 }), 10, {
    meaning: 'A session that emitted within this time shares the live output budget',
    unit: 's',
    perAccount: true,
  }),
  tickMsMin: row('live', 'tick_ms_min', integer({ min: 100, max: 60_000 }), 300, {
    meaning: 'Shortest time between two showings of one session, whatever the budget',
    unit: 'ms',
    perAccount: true,
  }),
  outputMpmMax: row<number | null>(
    'live',
    'output_mpm_max',
    orNone(integer({ min: 1, max: 6000 })),
    null,
    {
      meaning: 'Hard limit on showings in one chat, under any policy but `off`; none: the budget',
      unit: 'per minute',
      perAccount: true,
    },
  ),
  chunkSpacingS: row('live', 'chunk_spacing_s', integer({ min: 1, max: HOUR_S }), 10, {
    meaning: 'Shortest time between two messages of one session under `chunks`',
    unit: 's',
    perAccount: true,
  }),
  streamIdleS: row('live', 'stream_idle_s', integer({ min: 1, max: 24 * HOUR_S }), 120, {
    meaning: 'A stream without a word from its producer for so long is finished with what it has',
    unit: 's',
  }),
  streamsMax: row('live', 'streams_max', integer({ min: 1, max: 100_000 }), 5000, {
    meaning: 'Streams open at once; more are refused',
    unit: 'streams',
  }),
  streamUnitsMax: row('live', 'stream_units_max', integer({ min: 1, max: 10_000_000 }), 200_000, {
    meaning: 'Longest text of a stream',
    unit: 'UTF-16 units',
  }),
  streamThoughts: row('live', 'stream_thoughts', onOff(), false, {
    meaning:
      'Whether the thoughts that models write before their answer as `<think>…</think>` are shown, in events and ' +
      'JSON; plain text is shown as it is',
  }),
  cadenceLogS: row('live', 'cadence_log_s', integer({ min: 1, max: 24 * HOUR_S }), 60, {
    meaning: 'Time between two cadence summaries in the log, while there is live output',
    unit: 's',
  }),
} as const;
