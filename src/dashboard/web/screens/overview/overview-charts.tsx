// The last minutes and hours as charts: what came and went, what waits, what went wrong.

import { useState } from 'preact/hooks';
import { go, hrefOf, type Query } from '../../lib/route.ts';
import type { Series } from '../../lib/wire/wire.ts';
import { Chart } from '../../ui/chart.tsx';
import { DayCharts } from '../../ui/day-charts.tsx';
import { Tabs } from '../../ui/field.tsx';

const SPANS: readonly (readonly [seconds: string, label: string])[] = [
  ['120', '2 min'],
  ['300', '5 min'],
  ['900', '15 min'],
  ['2h', '2 h'],
  ['24h', '24 h'],
];
// Those that the gateway keeps as sums, also over a restart.
const HOURS: Readonly<Record<string, string>> = { '2h': '2', '24h': '24' };

// What was accepted around a moment of a chart.
const AROUND_S = 15;
const MINUTE_S = 60;

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function showMoment(seconds: number): void {
  const at = Math.round(seconds);
  go('messages', { since: timeOf(at - AROUND_S), until: timeOf(at + AROUND_S) });
}

export function Charts({ series }: { series: Series }) {
  const [span, setSpan] = useState('300');
  const hours = HOURS[span];
  return (
    <section class="charts-part" aria-label="The last minutes and hours">
      <Tabs label="How far back" value={span} options={SPANS} onChange={setSpan} />
      {hours === undefined ? (
        <MinuteCharts series={series} span={span} />
      ) : (
        <DayCharts key={hours} account={null} hours={hours} />
      )}
    </section>
  );
}

function MinuteCharts({ series, span }: { series: Series; span: string }) {
  const { until } = series;
  const since = (query: Query) => {
    const from = (Math.floor(until / MINUTE_S) - Number(span) / MINUTE_S) * MINUTE_S;
    return hrefOf('messages', { ...query, since: timeOf(from) });
  };
  const cut = (values: readonly number[]) => values.slice(-Number(span));
  return (
    <div class="charts">
      <Chart
        label="Messages a second"
        until={until}
        lines={[
          { label: 'accepted', color: '--dim', values: cut(series.accepted), href: since({}) },
          {
            label: 'sent',
            color: '--good',
            values: cut(series.sent),
            isFilled: true,
            href: since({ state: 'sent' }),
          },
        ]}
        onMoment={showMoment}
      />
      <Chart
        label="Waiting"
        until={until}
        lines={[
          {
            label: 'waiting',
            color: '--accent',
            values: cut(series.waiting),
            isFilled: true,
            href: hrefOf('queue'),
          },
        ]}
        onMoment={showMoment}
      />
      <Chart
        label="Trouble a second"
        until={until}
        lines={[
          {
            label: '429',
            color: '--warn',
            values: cut(series.limited),
            href: hrefOf('chats', { frozen: 'true' }),
          },
          { label: 'failed', color: '--cool', values: cut(series.failed), href: since({}) },
          {
            label: 'dead',
            color: '--bad',
            values: cut(series.dead),
            href: since({ state: 'dead' }),
          },
        ]}
        onMoment={showMoment}
      />
    </div>
  );
}
