// docs/reference/metrics.md from the table of metrics.

import { SERIES_MAX } from '../../src/telemetry/metrics/counters.ts';
import { INGEST_METRICS } from '../../src/telemetry/metrics/ingest-metrics.ts';
import type { MetricKind } from '../../src/telemetry/metrics/metric-table.ts';
import { DESCRIBED } from '../../src/telemetry/metrics/metric-table.ts';
import { METRICS } from '../../src/telemetry/metrics/metrics.ts';
import { MADE, table } from './table.ts';

export function metricsPage(): string {
  const described = Object.entries(DESCRIBED).map(([name, help]) => [
    `\`<platform>_${name}\``,
    help,
  ]);
  return `# Metrics

${MADE}

\`GET /metrics\` answers in the Prometheus text format, open on loopback, elsewhere with a viewer's key. All of these
are folds over the same events that make the log and the event stream; besides them the usual \`process_*\` and
\`nodejs_*\` metrics are there (\`nodejs_eventloop_lag_p99_seconds\` is how late the event loop is). No label names a
chat, an account or a message, and a metric has at most ${SERIES_MAX} series. \`channel_id\` names the hundred channels
whose last success is oldest. Dashboards and alerts: [monitoring](../operate/monitoring.md).

${rowsOf(METRICS)}

What is read of channels is counted under the names that dashboards of channel parsers know:

${rowsOf(INGEST_METRICS)}

For each platform the same numbers are given once more under the names that monitors of bots look for, such as
\`telegram_429_count\`; they have no labels:

${table(['metric', 'meaning'], described)}
`;
}

function rowsOf(metrics: Readonly<Record<string, MetricKind>>): string {
  const rows = Object.entries(metrics).map(([name, { type, labels, help }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  return table(['metric', 'type', 'labels', 'meaning'], rows);
}
