// docs/metrics.md from the table of metrics.

import { METRICS } from '../../src/ledger/metrics.ts';
import { MADE, table } from './table.ts';

export function metricsPage(): string {
  const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  return `# Metrics

${MADE}

\`GET /metrics\` answers in the Prometheus text format, open on loopback. All of these are folds over
the same events that make the log and the event stream; besides them the usual \`process_*\` and
\`nodejs_*\` metrics are there.

${table(['metric', 'type', 'labels', 'meaning'], rows)}
`;
}
