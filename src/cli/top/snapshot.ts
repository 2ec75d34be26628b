// What `sluice top` shows, asked of the gateway in one go. Times are the gateway's own, so that two clocks that differ
// show no wrong ages.

import type { ShownAccount } from '../accounts/view.ts';
import type { BroadcastAnswer } from '../broadcast/view.ts';
import type { Client } from '../client.ts';
import type { ShownDelivery } from '../messages/delivery.ts';
import type { StreamAnswer } from '../stream/view.ts';

type Counted = 'accepted' | 'sent' | 'limited' | 'failed' | 'dead' | 'waiting';

export interface ShownOverview {
  readonly at: string;
  readonly startedAt: string;
  readonly series: Readonly<Record<Counted, readonly number[]>>;
  readonly depths: Readonly<
    Record<'critical' | 'high' | 'normal' | 'low' | 'retry' | 'inFlight', number>
  >;
  readonly dead: number;
  readonly uncertain: number;
  readonly oldest: readonly {
    readonly id: string;
    readonly account: string;
    readonly chat: string;
    readonly priority: string;
    readonly since: string;
    readonly behind: number;
    readonly why: string;
  }[];
  readonly incidents: readonly {
    readonly severity: string;
    readonly summary: string;
    readonly remedy: string;
  }[];
  readonly freezes: {
    readonly active: number;
    readonly shown: readonly {
      readonly account: string;
      readonly scope: string;
      readonly name: string;
      readonly until: string;
      readonly cause: string;
    }[];
  };
}

export interface TopRule {
  readonly name: string;
  readonly used: number;
  readonly count: number;
  readonly perMs: number;
  // The share of `count` that is believed; 1: all of it.
  readonly learned: number;
}

export interface Snapshot {
  readonly url: string;
  readonly health: string;
  readonly overview: ShownOverview;
  // `rules`: of the account itself; empty where they were not asked for.
  readonly accounts: readonly (ShownAccount & { readonly rules: readonly TopRule[] })[];
  readonly streams: readonly StreamAnswer[];
  // Those that are not over.
  readonly broadcasts: readonly BroadcastAnswer[];
  // The newest.
  readonly dead: readonly ShownDelivery[];
}

// Budgets are asked for account by account: of those that have most to do.
const BUDGETS_MAX = 20;
const DEAD_MAX = 20;
const SECONDS_SHOWN = 60;
const OPEN_BROADCASTS = ['running', 'paused'];

export async function takeSnapshot(client: Client, signal?: AbortSignal): Promise<Snapshot> {
  const get = <T>(path: string) => client.call('GET', path, undefined, signal) as Promise<T>;
  const [health, overview, { accounts }, { streams }, broadcasts, dead] = await Promise.all([
    get<{ status: string }>('/health/details'),
    get<ShownOverview>('/v1/overview'),
    get<{ accounts: ShownAccount[] }>('/v1/accounts'),
    get<{ streams: StreamAnswer[] }>('/v1/streams'),
    get<{ items: BroadcastAnswer[] }>('/v1/broadcasts'),
    get<{ items: ShownDelivery[] }>(`/v1/dead?limit=${DEAD_MAX}`),
  ]);
  const busiest = accounts.toSorted((a, b) => b.waiting + b.inFlight - a.waiting - a.inFlight);
  const rules = new Map(
    await Promise.all(
      busiest.slice(0, BUDGETS_MAX).map(async ({ id }) => {
        const path = `/v1/limits?${new URLSearchParams({ account: id, limit: '1' })}`;
        const { limits } = await get<{ limits: { chat: string; rules: TopRule[] }[] }>(path);
        return [id, limits.find(({ chat }) => chat === '')?.rules ?? []] as const;
      }),
    ),
  );
  return {
    url: client.url,
    health: health.status,
    overview: { ...overview, series: lastOf(overview.series) },
    accounts: accounts.map((account) => ({ ...account, rules: rules.get(account.id) ?? [] })),
    streams,
    broadcasts: broadcasts.items.filter(({ state }) => OPEN_BROADCASTS.includes(state)),
    dead: dead.items,
  };
}

function lastOf(series: ShownOverview['series']): ShownOverview['series'] {
  const { accepted, sent, limited, failed, dead, waiting } = series;
  const all = { accepted, sent, limited, failed, dead, waiting };
  const cut = Object.entries(all).map(([name, numbers]) => [name, numbers.slice(-SECONDS_SHOWN)]);
  return Object.fromEntries(cut) as ShownOverview['series'];
}
