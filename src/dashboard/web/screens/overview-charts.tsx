// The last minutes as charts: what came and went, what waits, what went wrong.

import { useState } from 'preact/hooks';
import type { Series } from '../lib/wire.ts';
import { Chart } from '../ui/chart.tsx';
import { Tabs } from '../ui/field.tsx';

const SPANS: readonly (readonly [seconds: string, label: string])[] = [
  ['120', '2 min'],
  ['300', '5 min'],
  ['900', '15 min'],
];

export function Charts({ series }: { series: Series }) {
  const [span, setSpan] = useState('300');
  const { until } = series;
  const cut = (values: readonly number[]) => values.slice(-Number(span));
  return (
    <section class="charts-part" aria-label="The last minutes">
      <Tabs label="How far back" value={span} options={SPANS} onChange={setSpan} />
      <div class="charts">
        <Chart
          label="Messages a second"
          until={until}
          lines={[
            { label: 'accepted', color: '--dim', values: cut(series.accepted) },
            { label: 'sent', color: '--good', values: cut(series.sent), isFilled: true },
          ]}
        />
        <Chart
          label="Waiting"
          until={until}
          lines={[
            { label: 'waiting', color: '--accent', values: cut(series.waiting), isFilled: true },
          ]}
        />
        <Chart
          label="Trouble a second"
          until={until}
          lines={[
            { label: '429', color: '--warn', values: cut(series.limited) },
            { label: 'failed', color: '--cool', values: cut(series.failed) },
            { label: 'dead', color: '--bad', values: cut(series.dead) },
          ]}
        />
      </div>
    </section>
  );
}
