// Prometheus metrics as folds over what the house tells, plus gauges read when they are asked for.
// There is no second bookkeeping: what the events do not say is not counted.

import { collectDefaultMetrics, Registry } from 'prom-client';
import { STATES, type State } from '../../domain/delivery.ts';
import {
  COSMETIC_ENDS,
  type CosmeticEnd,
  type RoadEvent,
  type RoadListener,
} from '../../domain/event.ts';
import { FAULT_STAGES, type FaultStage } from '../../domain/fault.ts';
import { platformOf } from '../../domain/ids.ts';
import type { LiveListener, LiveReading } from '../../domain/live.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { PRIORITIES, type Priority } from '../../domain/priority.ts';
import { unreachable } from '../../system/assert.ts';
import { Board, Count, expose, type MetricShown, type Spread } from './board.ts';
import { type GaugeReading, showGauges, tally } from './gauges.ts';
import { METRICS, type MetricName } from './metric-table.ts';
import { LiveMetrics, showLive } from './stream-metrics.ts';

export { type GaugeReading, METRICS, type MetricName };

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  // Shows the platform's numbers before anything happened there.
  meet(platform: string): void;
  readonly listen: RoadListener;
  // Called once, when there is something to read.
  gauges(read: () => Promise<GaugeReading>): void;
  countRequest(route: string, status: number): void;
  // A call was passed straight through. null: there was no answer.
  countPassed(account: string, status: number | null): void;
  countUpdate(account: string, end: string): void;
  // A message was refused because a queue is full.
  countFull(account: string): void;
  // An exception within the gateway was contained.
  countFault(stage: FaultStage): void;
  // A recipient of a broadcast came to an end.
  countRecipient(platform: string, end: string): void;
  // A batch of commands is written, so long after it was handed to the store.
  countCommit(commands: number, tookMs: number): void;
  readonly countLive: LiveListener;
  // Called once, like `gauges`.
  liveGauges(read: () => { now: number; readings: readonly LiveReading[] }): void;
  broadcastGauges(read: () => readonly BroadcastReading[]): void;
}

const BROADCAST_STATES = ['running', 'paused'];
const UPDATE_ENDS = ['received', 'repeated', 'taken', 'failed', 'expired'];

// One for each that is not over.
export interface BroadcastReading {
  readonly platform: string;
  readonly state: string;
}

// `process`: with the usual metrics of the process and of Node.
export function createMetrics(options: { process: boolean } = { process: true }): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const board = new Board();
  const road = new RoadMetrics(board);
  const live = new LiveMetrics(board);
  const requests = new StatusCounts(board);
  const commitS = board.spread('sluice_journal_commit_seconds');
  const commands = board.spread('sluice_journal_batch_commands');
  for (const stage of FAULT_STAGES) board.count('sluice_internal_faults_total', { stage });
  const met: string[] = [];
  let read: (() => Promise<GaugeReading>) | null = null;
  let readLive: Parameters<Metrics['liveGauges']>[0] = () => ({ now: 0, readings: [] });
  let readBroadcasts: () => readonly BroadcastReading[] = () => [];
  return {
    contentType: registry.contentType,
    async text() {
      if (read !== null) showGauges(board, await read());
      const { readings, now } = readLive();
      showLive(board, readings, now);
      board.show('sluice_broadcasts', tally(readBroadcasts(), BROADCAST_STATES, stateOf, met));
      const numbers = expose(board.families()) + (await registry.metrics());
      return `${numbers.trimEnd()}\n${expose(road.describedNames())}`;
    },
    meet(platform) {
      met.push(platform);
      road.meet(platform);
      live.meet(platform);
      board.count('sluice_queue_full_total', { platform });
      for (const end of UPDATE_ENDS) board.count('sluice_updates_total', { platform, end });
    },
    listen: road.listen,
    gauges(reader) {
      read = reader;
    },
    countLive: (event) => live.listen(event),
    liveGauges(reader) {
      readLive = reader;
    },
    broadcastGauges(reader) {
      readBroadcasts = reader;
    },
    countRequest: (route, status) => requests.add(route, status),
    countPassed: (account, status) => road.passed(account, status),
    countUpdate(account, end) {
      board.count('sluice_updates_total', { platform: platformOf(account), end }).value += 1;
    },
    countFull(account) {
      board.count('sluice_queue_full_total', { platform: platformOf(account) }).value += 1;
    },
    countFault(stage) {
      board.count('sluice_internal_faults_total', { stage }).value += 1;
    },
    countRecipient(platform, end) {
      board.count('sluice_broadcast_recipients_total', { platform, end }).value += 1;
    },
    countCommit(count, tookMs) {
      commitS.add(tookMs / 1000);
      commands.add(count);
    },
  };
}

function stateOf({ state }: BroadcastReading): string {
  return state;
}

// Answers by route and class of status, counted on every request: a look at the route, then an addition.
class StatusCounts {
  readonly #board: Board;
  // By route pattern, then by the first digit of the status.
  readonly #routes = new Map<string, (Count | undefined)[]>();

  constructor(board: Board) {
    this.#board = board;
  }

  add(route: string, status: number): void {
    let counts = this.#routes.get(route);
    if (counts === undefined) {
      counts = [];
      this.#routes.set(route, counts);
    }
    const digit = Math.trunc(status / 100);
    counts[digit] ??= this.#board.count('sluice_http_requests_total', {
      route,
      status: `${digit}xx`,
    });
    counts[digit].value += 1;
  }
}

// The road in numbers: a fold over its events. A platform's numbers are all made when it is first met, so that an event
// looks up its platform and nothing else, and so that a counter is seen at 0 before it rises: a rise from nowhere is
// no rise to Prometheus.

const OUTCOMES = ['sent', 'limited', 'refused', 'failed', 'uncertain'] as const satisfies readonly [
  Outcome['kind'],
  ...Outcome['kind'][],
];
// Nothing moves to `sending` in an event: that is told by its attempt.
const MOVED_TO = STATES.filter((state) => state !== 'sending');

const ACCOUNTS_KEPT_MAX = 10_000;

// Those that are seen at 0 before they rise.
const BROKEN_STATUSES = ['500', '502', '503', '504'];
const PASSED_STATUSES = ['2xx', '3xx', '4xx', '429', '5xx', 'none'] as const;
type PassedStatus = (typeof PASSED_STATUSES)[number];

// The same numbers once more, as `<platform>_<name>`: what monitors of bots without a gateway look for. The names are
// given, and not what Prometheus recommends for counters: they stand apart, after all others.
export const DESCRIBED = {
  '429_count': 'Times the platform said wait, passed calls included.',
  '5xx_count': 'Answers of the platform with a 5xx, passed calls included.',
  rate_limited_drops: 'Deliveries lost to a rate limit. Always 0: a limited delivery waits.',
} as const;
type DescribedName = keyof typeof DESCRIBED;
const DESCRIBED_NAMES = Object.keys(DESCRIBED) as DescribedName[];

interface Sheet {
  readonly platform: string;
  readonly accepted: Readonly<Record<Priority, Count>>;
  readonly attempts: Readonly<Record<Outcome['kind'], Count>>;
  readonly tookS: Readonly<Record<Outcome['kind'], Spread>>;
  readonly waitedS: Readonly<Record<Priority, Spread>>;
  readonly agedS: Readonly<Record<Priority, Spread>>;
  readonly moves: Readonly<Partial<Record<State, Count>>>;
  readonly cosmetic: Readonly<Record<CosmeticEnd, Count>>;
  readonly limited: Count;
  readonly broken: Readonly<Record<string, Count>>;
  readonly passed: Readonly<Record<PassedStatus, Count>>;
  readonly described: Readonly<Record<DescribedName, Count>>;
  readonly retryAfterS: Count;
  readonly freezes: Count;
  readonly breakerOpened: Count;
  readonly tokensRefused: Count;
}

export class RoadMetrics {
  readonly #board: Board;
  readonly #sheets = new Map<string, Sheet>();
  // The same sheets again: finding one by its account costs less than reading the platform out of it.
  readonly #ofAccount = new Map<string, Sheet>();
  readonly #drops: Count;

  constructor(board: Board) {
    this.#board = board;
    this.#drops = board.count('sluice_rate_limited_drops_total');
  }

  // Shows its numbers before anything happened.
  meet(platform: string): Sheet {
    const sheet = makeSheet(this.#board, platform);
    this.#sheets.set(platform, sheet);
    return sheet;
  }

  readonly listen = (event: RoadEvent): void => {
    const account = 'about' in event ? event.about.account : event.account;
    const sheet = this.#ofAccount.get(account) ?? this.#sheetOf(account);
    switch (event.kind) {
      case 'accepted':
        sheet.accepted[event.about.priority].value += 1;
        return;
      case 'attempted':
        this.#attempted(sheet, event);
        return;
      case 'moved':
        this.#moved(sheet, event);
        return;
      case 'cosmetic':
        sheet.cosmetic[event.end].value += 1;
        return;
      case 'frozen':
        sheet.freezes.value += 1;
        return;
      case 'breaker':
        if (event.state === 'open') sheet.breakerOpened.value += 1;
        return;
      case 'token':
        if (event.state === 'refused') sheet.tokensRefused.value += 1;
        return;
      default:
        unreachable(event);
    }
  };

  passed(account: string, status: number | null): void {
    const sheet = this.#ofAccount.get(account) ?? this.#sheetOf(account);
    sheet.passed[passedStatusOf(status)].value += 1;
    if (status === 429) sheet.described['429_count'].value += 1;
    if (status !== null && status >= 500) sheet.described['5xx_count'].value += 1;
  }

  describedNames(): MetricShown[] {
    return [...this.#sheets.values()].flatMap(({ platform, described }) =>
      DESCRIBED_NAMES.map((name) => ({
        name: `${platform}_${name}`,
        kind: { type: 'counter', labels: [], help: DESCRIBED[name] } as const,
        series: new Map([['', described[name]]]),
      })),
    );
  }

  #sheetOf(account: string): Sheet {
    const platform = platformOf(account);
    const sheet = this.#sheets.get(platform) ?? this.meet(platform);
    if (this.#ofAccount.size >= ACCOUNTS_KEPT_MAX) this.#ofAccount.clear();
    this.#ofAccount.set(account, sheet);
    return sheet;
  }

  #attempted(sheet: Sheet, event: Extract<RoadEvent, { kind: 'attempted' }>): void {
    const { outcome } = event;
    sheet.attempts[outcome].value += 1;
    sheet.tookS[outcome].add(event.tookMs / 1000);
    sheet.waitedS[event.about.priority].add(event.waitedMs / 1000);
    if (outcome === 'sent') return;
    if (outcome === 'limited') {
      sheet.limited.value += 1;
      sheet.described['429_count'].value += 1;
      sheet.retryAfterS.value += (event.retryAfterMs ?? 0) / 1000;
      return;
    }
    if (event.brokenStatus !== null) this.#broken(sheet, event.brokenStatus);
    const labels = { platform: sheet.platform, outcome, reason: event.reason ?? 'unknown' };
    this.#board.count('sluice_troubles_total', labels).value += 1;
  }

  #broken({ platform, broken, described }: Sheet, code: number): void {
    const status = String(code);
    const count =
      broken[status] ?? this.#board.count('sluice_upstream_errors_total', { platform, status });
    count.value += 1;
    described['5xx_count'].value += 1;
  }

  #moved(sheet: Sheet, event: Extract<RoadEvent, { kind: 'moved' }>): void {
    const { to } = event;
    const moves = sheet.moves[to];
    if (moves !== undefined) moves.value += 1;
    if (to === 'sent') sheet.agedS[event.about.priority].add(event.ageMs / 1000);
    if (to !== 'dead') return;
    const reason = event.reason ?? 'unknown';
    const labels = { platform: sheet.platform, reason };
    this.#board.count('sluice_dead_letters_total', labels).value += 1;
    if (reason !== 'limited') return;
    this.#drops.value += 1;
    sheet.described.rate_limited_drops.value += 1;
  }
}

// Account ids are `<platform>:<id>`.
function makeSheet(board: Board, platform: string): Sheet {
  return {
    platform,
    accepted: by(PRIORITIES, (priority) =>
      board.count('sluice_accepted_total', { platform, priority }),
    ),
    attempts: by(OUTCOMES, (outcome) =>
      board.count('sluice_attempts_total', { platform, outcome }),
    ),
    tookS: by(OUTCOMES, (outcome) => board.spread('sluice_attempt_seconds', { platform, outcome })),
    waitedS: by(PRIORITIES, (priority) =>
      board.spread('sluice_wait_seconds', { platform, priority }),
    ),
    agedS: by(PRIORITIES, (priority) =>
      board.spread('sluice_delivery_seconds', { platform, priority }),
    ),
    moves: by(MOVED_TO, (to) => board.count('sluice_moves_total', { platform, to })),
    cosmetic: by(COSMETIC_ENDS, (end) => board.count('sluice_cosmetic_total', { platform, end })),
    limited: board.count('sluice_limited_total', { platform }),
    broken: by(BROKEN_STATUSES, (status) =>
      board.count('sluice_upstream_errors_total', { platform, status }),
    ),
    passed: by(PASSED_STATUSES, (status) =>
      board.count('sluice_passed_total', { platform, status }),
    ),
    described: by(DESCRIBED_NAMES, () => new Count()),
    retryAfterS: board.count('sluice_retry_after_seconds_total', { platform }),
    freezes: board.count('sluice_freezes_total', { platform }),
    breakerOpened: board.count('sluice_breaker_opened_total', { platform }),
    tokensRefused: board.count('sluice_tokens_refused_total', { platform }),
  };
}

function passedStatusOf(status: number | null): PassedStatus {
  if (status === null) return 'none';
  if (status === 429) return '429';
  if (status >= 500) return '5xx';
  if (status >= 400) return '4xx';
  return status >= 300 ? '3xx' : '2xx';
}

function by<K extends string, T>(keys: readonly K[], make: (key: K) => T): Record<K, T> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, T>;
}
