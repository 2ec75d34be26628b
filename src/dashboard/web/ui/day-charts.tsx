// The last hours as charts, from the sums the gateway keeps: what went out and what did not, and how long it waited.

import { lasted } from '../lib/format.ts';
import { useFetched } from '../lib/hooks/use-fetched.ts';
import { useNow } from '../lib/now.ts';
import { go, hrefOf, type Query } from '../lib/route.ts';
import type { History } from '../lib/wire/more.ts';
import { Chart } from './chart.tsx';
import { Answered } from './states.tsx';

// Asked again so often: the minute that runs is in it.
const AGAIN_MS = 15_000;
// Of a day of which only the last hours have anything to tell, those are shown, minute by minute.
const RECENT_HOURS = '2';
const MINUTES_SHOWN_MIN = 15;

// `account` null: all of them.
export function DayCharts({ account, hours }: { account: string | null; hours: string }) {
  const mark = Math.floor(useNow() / AGAIN_MS);
  const own = account === null ? {} : { account };
  const pathOf = (span: string) => `/v1/history?${new URLSearchParams({ hours: span, ...own })}`;
  const whole = useFetched<History>(pathOf(hours), mark);
  const isYoung = whole.data !== null && isQuietBefore(whole.data, Number(RECENT_HOURS));
  const recent = useFetched<History>(isYoung ? pathOf(RECENT_HOURS) : null, mark);
  return (
    <Answered to={isYoung ? recent : whole}>
      {(history) => <Filled account={account} history={isYoung ? begun(history) : history} />}
    </Answered>
  );
}

function isQuietBefore({ sent, failed, dead, stepS }: History, hours: number): boolean {
  const steps = sent.length - (hours * 3600) / stepS;
  const all = [sent, failed, dead];
  const isQuiet = all.every((values) => values.slice(0, steps).every((n) => n === 0));
  return steps > 0 && isQuiet && all.some((values) => values.some((n) => n > 0));
}

// From where something happened on.
function begun(history: History): History {
  const { sent, failed, dead, p50Ms, p95Ms } = history;
  const first = sent.findIndex((n, i) => n + failed[i]! + dead[i]! > 0);
  const last = sent.length - MINUTES_SHOWN_MIN;
  const from = Math.max(0, Math.min(first < 0 ? last : first - 1, last));
  const cut = <T,>(values: readonly T[]) => values.slice(from);
  return {
    ...history,
    ...{ sent: cut(sent), failed: cut(failed), dead: cut(dead) },
    ...{ p50Ms: cut(p50Ms), p95Ms: cut(p95Ms) },
  };
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
