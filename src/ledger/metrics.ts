// Prometheus metrics as a fold over the road's events, plus gauges read when they are asked for.
// There is no second bookkeeping: what the events do not say is not counted.

import { collectDefaultMetrics, Registry } from 'prom-client';
import type { RoadEvent, RoadListener } from '../domain/event.ts';
import type { LiveListener, LiveReading } from '../domain/live.ts';
import { PRIORITIES, type Priority } from '../domain/priority.ts';
import { unreachable } from '../system/assert.ts';
import { Board, type Labels } from './board.ts';
import { countLive, showLive } from './live-metrics.ts';
import { METRICS, type MetricName } from './metric-table.ts';

export { METRICS, type MetricName };

// What the gauges show, read at each scrape.
export interface GaugeReading {
  readonly now: number;
  readonly depths: Readonly<Record<Priority | 'retry' | 'inFlight', number>> & {
    readonly oldestDueAt: number | null;
  };
  readonly accounts: readonly {
    readonly platform: string;
    readonly paused: boolean;
    readonly refused: string | null;
    readonly breaker: { readonly state: string };
  }[];
  readonly freezesActive: number;
  readonly dead: number;
  readonly storeBytes: number;
  readonly spoolBytes: number;
}

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  readonly listen: RoadListener;
  // Called once, when there is something to read.
  gauges(read: () => Promise<GaugeReading>): void;
  countRequest(route: string, status: number): void;
  countUpdate(account: string, end: string): void;
  countRecipient(platform: string, end: string): void;
  // Called once, like `gauges`.
  broadcastGauges(read: () => readonly { platform: string; state: string }[]): void;
  readonly countLive: LiveListener;
  // Called once, like `gauges`.
  liveGauges(read: () => readonly LiveReading[]): void;
}

export function createMetrics(options: { process: boolean } = { process: true }): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const board = new Board(registry);
  let read: (() => Promise<GaugeReading>) | null = null;
  let readBroadcasts: () => readonly { platform: string; state: string }[] = () => [];
  let readLive: () => readonly LiveReading[] = () => [];
  return {
    contentType: registry.contentType,
    async text() {
      if (read !== null) showGauges(board, await read());
      const broadcasts = tally(readBroadcasts(), ({ platform, state }) => [platform, state]);
      board.show('sluice_broadcasts', broadcasts);
      showLive(board, readLive());
      return registry.metrics();
    },
    listen: (event) => count(board, event),
    gauges(reader) {
      read = reader;
    },
    countRecipient(platform, end) {
      board.add('sluice_broadcast_recipients_total', 1, { platform, end });
    },
    broadcastGauges(reader) {
      readBroadcasts = reader;
    },
    countLive: (event) => countLive(board, event),
    liveGauges(reader) {
      readLive = reader;
    },
    countUpdate(account, end) {
      board.add('sluice_updates_total', 1, { platform: platformOf(account), end });
    },
    countRequest(route, status) {
      board.add('sluice_http_requests_total', 1, {
        route,
        status: `${Math.trunc(status / 100)}xx`,
      });
    },
  };
}

function count(board: Board, event: RoadEvent): void {
  const platform = platformOf('about' in event ? event.about.account : event.account);
  switch (event.kind) {
    case 'accepted':
      board.add('sluice_accepted_total', 1, { platform, priority: event.about.priority });
      return;
    case 'attempted':
      countAttempt(board, event, platform);
      return;
    case 'moved':
      board.add('sluice_moves_total', 1, { platform, to: event.to });
      if (event.to === 'sent') {
        const labels = { platform, priority: event.about.priority };
        board.observeMs('sluice_delivery_seconds', event.ageMs, labels);
      }
      if (event.to === 'dead' && event.reason === 'limited') {
        board.add('sluice_rate_limited_drops_total', 1);
      }
      return;
    case 'cosmetic':
      board.add('sluice_cosmetic_total', 1, { platform, end: event.end });
      return;
    case 'frozen':
      board.add('sluice_freezes_total', 1, { platform });
      return;
    case 'breaker':
      if (event.state === 'open') board.add('sluice_breaker_opened_total', 1, { platform });
      return;
    default:
      unreachable(event);
  }
}

function countAttempt(
  board: Board,
  event: Extract<RoadEvent, { kind: 'attempted' }>,
  platform: string,
): void {
  const { outcome } = event;
  board.add('sluice_attempts_total', 1, { platform, outcome });
  board.observeMs('sluice_attempt_seconds', event.tookMs, { platform, outcome });
  const priority = event.about.priority;
  board.observeMs('sluice_wait_seconds', Math.max(0, event.waitedMs), { platform, priority });
  if (outcome !== 'limited') return;
  board.add('sluice_limited_total', 1, { platform });
  const seconds = (event.retryAfterMs ?? 0) / 1000;
  board.add('sluice_retry_after_seconds_total', seconds, { platform });
}

function showGauges(board: Board, reading: GaugeReading): void {
  const { depths, now } = reading;
  board.show(
    'sluice_queue_depth',
    PRIORITIES.map((priority) => [{ priority }, depths[priority]]),
  );
  const single: [MetricName, number][] = [
    ['sluice_queue_retry_depth', depths.retry],
    ['sluice_in_flight', depths.inFlight],
    ['sluice_freezes_active', reading.freezesActive],
    ['sluice_dead', reading.dead],
    ['sluice_store_bytes', reading.storeBytes],
    ['sluice_spool_bytes', reading.spoolBytes],
  ];
  const oldestMs = depths.oldestDueAt === null ? 0 : Math.max(0, now - depths.oldestDueAt);
  single.push(['sluice_oldest_due_seconds', oldestMs / 1000]);
  for (const [name, value] of single) board.show(name, [[{}, value]]);

  board.show(
    'sluice_accounts',
    tally(reading.accounts, (account) => [account.platform, stateOf(account)]),
  );
  board.show(
    'sluice_breakers',
    tally(reading.accounts, (account) => [account.platform, account.breaker.state]),
  );
}

function tally<T>(items: readonly T[], keyOf: (item: T) => [platform: string, state: string]) {
  const counts = new Map<string, [Labels, number]>();
  for (const item of items) {
    const [platform, state] = keyOf(item);
    const key = `${platform} ${state}`;
    counts.set(key, [{ platform, state }, (counts.get(key)?.[1] ?? 0) + 1]);
  }
  return counts.values();
}

function stateOf(account: GaugeReading['accounts'][number]): string {
  if (account.refused !== null) return 'refused';
  return account.paused ? 'paused' : 'active';
}

// Account ids are `<platform>:<id>`.
function platformOf(account: string): string {
  const colon = account.indexOf(':');
  return colon < 0 ? account : account.slice(0, colon);
}
