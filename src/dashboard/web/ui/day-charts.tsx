// The last hours as charts, from the sums the gateway keeps: what went out and what did not, and how long it waited.

import { lasted } from '../lib/format.ts';
import { go, hrefOf, type Query } from '../lib/route.ts';
import { useFetched } from '../lib/use-fetched.ts';
import type { History } from '../lib/wire-more.ts';
import { Chart } from './chart.tsx';
import { Loading, Trouble } from './states.tsx';

// `account` null: all of them.
export function DayCharts({ account, hours }: { account: string | null; hours: string }) {
  const asked = new URLSearchParams({ hours, ...(account === null ? {} : { account }) });
  const { data, error, reload } = useFetched<History>(`/v1/history?${asked}`);
  if (error !== null && data === null) return <Trouble error={error} retry={() => void reload()} />;
  if (data === null) return <Loading />;
  return <Filled account={account} history={data} />;
}

function Filled({ account, history }: { account: string | null; history: History }) {
  const { until, stepS } = history;
  const own: Query = account === null ? {} : { account };
  const minutes = stepS / 60;
  const per = minutes === 1 ? 'a minute' : `in ${minutes} minutes`;
  const show = (seconds: number) =>
    go('messages', { ...own, since: timeOf(seconds - stepS), until: timeOf(seconds) });
  const common = { until, stepS, onMoment: show };
  const messages = (state: string) => hrefOf('messages', { ...own, state });
  return (
    <div class="charts">
      <Chart
        {...common}
        label={`Messages ${per}`}
        lines={[
          {
            ...{ label: 'sent', color: '--good', values: history.sent, isFilled: true },
            href: messages('sent'),
          },
        ]}
      />
      <Chart
        {...common}
        label="How long they waited"
        shown={lasted}
        lines={[
          {
            ...{ label: 'median', color: '--accent', values: history.p50Ms, isFilled: true },
            href: messages('sent'),
          },
          { label: '95 %', color: '--warn', values: history.p95Ms, href: messages('sent') },
        ]}
      />
      <Chart
        {...common}
        label={`Trouble ${per}`}
        lines={[
          {
            ...{ label: 'failed calls', color: '--cool', values: history.failed },
            href: hrefOf('messages', own),
          },
          { label: 'dead', color: '--bad', values: history.dead, href: messages('dead') },
        ]}
      />
    </div>
  );
}

function timeOf(seconds: number): string {
  return new Date(Math.round(seconds) * 1000).toISOString();
}
