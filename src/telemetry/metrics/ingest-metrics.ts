// The metrics of ingest, under the names that dashboards of channel parsers know. Ingest counts them itself, in plain
// numbers; here they get their help, their type and their form.

import { escapeHelp, type Labels, labelText } from './exposition.ts';
import type { MetricKind } from './metric-table.ts';

export interface IngestSample {
  // Of a histogram with its ending: `_bucket`, `_sum`, `_count`.
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

export const INGEST_METRICS = {
  scheduler_lock_acquired_total: {
    type: 'counter',
    labels: ['status'],
    help: 'Leases of readers, by what came of asking: acquired, renewed, busy (another node has it), lost.',
  },
  scheduler_last_tick_ts_seconds: {
    type: 'gauge',
    labels: [],
    help: 'When it was last looked which channels are due (Unix time); 0: not yet.',
  },
  scheduler_interval_seconds: {
    type: 'gauge',
    labels: [],
    help: 'The interval by which a late tick is judged: `ingest_interval_s`.',
  },
  parser_hwm_age_seconds: {
    type: 'gauge',
    labels: ['channel_id'],
    help: 'Time since the last success of a channel that is followed; of the hundred oldest.',
  },
  parser_retries_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Calls that were repeated: timeout, connection, network, server.',
  },
  parser_floodwait_seconds_total: {
    type: 'counter',
    labels: [],
    help: 'Sum of the waits that platforms asked readers for.',
  },
  parser_mode_forced_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Looks that were historical because the last success was too old (stale_lpa).',
  },
  posts_parsed_total: {
    type: 'counter',
    labels: ['mode'],
    help: 'New posts that were stored, by mode: historical, incremental.',
  },
  parser_looks_total: {
    type: 'counter',
    labels: ['mode'],
    help: 'Looks at channels, by mode.',
  },
  parser_empty_looks_total: {
    type: 'counter',
    labels: ['mode'],
    help: 'Looks that found nothing new, by mode.',
  },
  parser_calls_total: {
    type: 'counter',
    labels: [],
    help: 'Calls that readers made.',
  },
  parser_latency_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Time a look at a channel took.',
  },
} as const satisfies Record<string, MetricKind>;

export function exposeSamples(samples: readonly IngestSample[]): string {
  const lines = Object.entries<MetricKind>(INGEST_METRICS).flatMap(([name, kind]) => {
    const own = samples.filter((sample) => familyOf(sample.name) === name);
    return own.length === 0
      ? []
      : [
          `# HELP ${name} ${escapeHelp(kind.help)}`,
          `# TYPE ${name} ${kind.type}`,
          ...own.map(line),
        ];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function familyOf(name: string): string {
  return Object.hasOwn(INGEST_METRICS, name) ? name : name.replace(/_(?:bucket|sum|count)$/, '');
}

function line({ name, labels, value }: IngestSample): string {
  const text = labelText(Object.keys(labels), labels);
  return text === '' ? `${name} ${value}` : `${name}{${text}} ${value}`;
}
