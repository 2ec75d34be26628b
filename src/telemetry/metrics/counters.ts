// The counters: the metrics of the table with their series, and the events that raise them. Whoever counts asks once
// for the number that has its labels and keeps it; gauges are shown whole. A metric has at most SERIES_MAX series: what
// comes beyond is counted together as `other`, so that no mistake in a label can fill the memory here or in Prometheus.

import { STATES, type State } from '../../domain/delivery.ts';
import { COSMETIC_ENDS, type CosmeticEnd, type RoadEvent } from '../../domain/event.ts';
import { type AccountId, platformOf } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { PRIORITIES, type Priority } from '../../domain/priority.ts';
import { WAIT_EDGES_MS } from '../../domain/wait-histogram.ts';
import { assert, unreachable } from '../../system/assert.ts';
import { type Labels, labelText, type MetricShown } from './exposition.ts';
import {
  DESCRIBED,
  DESCRIBED_NAMES,
  type DescribedName,
  METRICS,
  type MetricKind,
  type MetricName,
} from './metric-table.ts';

export const SERIES_MAX = 500;
const OTHER = 'other';

// Plain numbers: an event costs an addition.
export class Count {
  value = 0;
}

export class Spread {
  // Upper bounds, rising.
  readonly bounds: readonly number[];
  // How many fell under each bound and above the one before it; the last is what is above them all.
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i += 1;
    counts[i]! += 1;
    this.sum += value;
  }
}

// What an account did in the minute that runs.
export class MinuteCount {
  sent = 0;
  failed = 0;
  dead = 0;
  readonly waitedMs = new Spread(WAIT_EDGES_MS);

  get isEmpty(): boolean {
    return this.sent + this.failed + this.dead === 0;
  }
}

type NameOf<T extends MetricKind['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];

export type CounterName = NameOf<'counter'>;
export type GaugeName = NameOf<'gauge'>;
export type SpreadName = NameOf<'histogram'>;

export interface MetricFamily {
  readonly name: MetricName;
  readonly kind: MetricKind;
  // By their labels as text.
  readonly series: Map<string, MetricSeries>;
}

export class Board {
  readonly #families = new Map<MetricName, MetricFamily>();

  constructor() {
    for (const [name, kind] of Object.entries<MetricKind>(METRICS)) {
      this.#families.set(name as MetricName, { name: name as MetricName, kind, series: new Map() });
      // What has no labels is there from the start, with nothing in it.
      if (kind.labels.length === 0) this.#seriesOf(name as MetricName, {});
    }
  }

  count(name: CounterName, labels: Labels = {}): Count {
    return this.#seriesOf(name, labels) as Count;
  }

  spread(name: SpreadName, labels: Labels = {}): Spread {
    return this.#seriesOf(name, labels) as Spread;
  }

  // Replaces every value of the gauge, so that what no longer exists is no longer shown.
  show(name: GaugeName, values: Iterable<readonly [Labels, number]>): void {
    this.#families.get(name)!.series.clear();
    for (const [labels, value] of values) (this.#seriesOf(name, labels) as Count).value = value;
  }

  families(): Iterable<MetricFamily> {
    return this.#families.values();
  }

  #seriesOf(name: MetricName, labels: Labels): MetricSeries {
    const { kind, series } = this.#families.get(name)!;
    const given = Object.keys(labels).length === kind.labels.length;
    assert(given && kind.labels.every((label) => label in labels), `${name} has other labels`);
    const text = labelText(kind.labels, labels);
    const known = series.get(text);
    if (known !== undefined) return known;
    const isFull = series.size >= SERIES_MAX - 1;
    const key = isFull ? labelText(kind.labels, othersOf(kind.labels)) : text;
    const made = series.get(key) ?? seriesFor(kind);
    series.set(key, made);
    return made;
  }
}

function seriesFor(kind: MetricKind): MetricSeries {
  return kind.type === 'histogram' ? new Spread(kind.buckets ?? []) : new Count();
}

function othersOf(labels: readonly string[]): Labels {
  return Object.fromEntries(labels.map((label) => [label, OTHER]));
}

type MetricSeries = Count | Spread;

// Answers by route and class of status, counted on every request: a look at the route, then an addition.
export class StatusCounts {
  readonly #board: Board;
  // By route pattern, then by the first digit of the status.
  readonly #routes = new Map<string, (Count | undefined)[]>();

  constructor(board: Board) {
    this.#board = board;
  }

  readonly add = (route: string, status: number): void => {
    const counts = this.#routes.get(route) ?? [];
    if (counts.length === 0) this.#routes.set(route, counts);
    const digit = Math.trunc(status / 100);
    counts[digit] ??= this.#board.count('sluice_http_requests_total', {
      route,
      status: `${digit}xx`,
    });
    counts[digit].value += 1;
  };
}

// Batches of commands, as they are written.
export class CommitCounts {
  readonly #tookS: Spread;
  readonly #commands: Spread;

  constructor(board: Board) {
    this.#tookS = board.spread('sluice_journal_commit_seconds');
    this.#commands = board.spread('sluice_journal_batch_commands');
  }

  readonly add = (commands: number, tookMs: number): void => {
    this.#tookS.add(tookMs / 1000);
    this.#commands.add(commands);
  };
}

// The road in numbers: a fold over its events. A platform's numbers are all made when it appears, so that an event
// looks up its platform and nothing else, and so that a counter is seen at 0 before it rises: a rise from nowhere is
// no rise to Prometheus.

const OUTCOMES = ['sent', 'limited', 'refused', 'failed', 'uncertain'] as const satisfies readonly [
  Outcome['kind'],
  ...Outcome['kind'][],
];
// Nothing moves to `sending` in an event: that is told by its attempt.
const MOVED_TO = STATES.filter((state) => state !== 'sending');

// Beyond it what accounts do is counted for all of them together, until the minute is over.
const ACCOUNTS_KEPT_MAX = 10_000;

// Those that are seen at 0 before they rise.
const BROKEN_STATUSES = ['500', '502', '503', '504'];
const PASSED_STATUSES = ['2xx', '3xx', '4xx', '429', '5xx', 'none'] as const;
type PassedStatus = (typeof PASSED_STATUSES)[number];

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

type AccountCounts = { readonly sheet: Sheet; minute: MinuteCount };

export class RoadMetrics {
  readonly #board: Board;
  readonly #sheets = new Map<string, Sheet>();
  // The same sheets again: finding one by its account costs less than reading the platform out of it.
  readonly #ofAccount = new Map<AccountId, AccountCounts>();
  #others = new MinuteCount();
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
    // Gauges tell of it at each scrape.
    if (event.kind === 'store') return;
    const account = 'about' in event ? event.about.account : event.account;
    const counts = this.#ofAccount.get(account) ?? this.#countsOf(account);
    const { sheet } = counts;
    switch (event.kind) {
      case 'accepted':
        sheet.accepted[event.about.priority].value += 1;
        return;
      case 'attempted':
        this.#attempted(counts, event);
        return;
      case 'moved':
        this.#moved(counts, event);
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

  readonly passed = (account: AccountId, status: number | null): void => {
    const { sheet } = this.#ofAccount.get(account) ?? this.#countsOf(account);
    sheet.passed[passedStatusOf(status)].value += 1;
    if (status === 429) sheet.described['429_count'].value += 1;
    if (status !== null && status >= 500) sheet.described['5xx_count'].value += 1;
  };

  describedNames(): MetricShown[] {
    return [...this.#sheets.values()].flatMap(({ platform, described }) =>
      DESCRIBED_NAMES.map((name) => ({
        name: `${platform}_${name}`,
        kind: { type: 'counter', labels: [], help: DESCRIBED[name] } as const,
        series: new Map([['', described[name]]]),
      })),
    );
  }

  // By account, of those that did anything; '': more of them than are counted apart. The next minute begins.
  takeMinute(): [account: string, count: MinuteCount][] {
    const taken = this.minuteSoFar();
    for (const counts of this.#ofAccount.values()) counts.minute = new MinuteCount();
    this.#others = new MinuteCount();
    if (this.#ofAccount.size >= ACCOUNTS_KEPT_MAX) this.#ofAccount.clear();
    return taken;
  }

  // The same of the minute that runs.
  minuteSoFar(): [account: string, count: MinuteCount][] {
    const own = Array.from(this.#ofAccount, ([id, { minute }]) => [id, minute] as const);
    const all = [...own, ['', this.#others] as const];
    return all.flatMap(([id, count]) => (count.isEmpty ? [] : [[id, count]]));
  }

  #countsOf(account: AccountId): AccountCounts {
    const platform = platformOf(account);
    const sheet = this.#sheets.get(platform) ?? this.meet(platform);
    if (this.#ofAccount.size >= ACCOUNTS_KEPT_MAX) return { sheet, minute: this.#others };
    const counts = { sheet, minute: new MinuteCount() };
    this.#ofAccount.set(account, counts);
    return counts;
  }

  #attempted(
    { sheet, minute }: AccountCounts,
    event: Extract<RoadEvent, { kind: 'attempted' }>,
  ): void {
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
    if (outcome !== 'refused') minute.failed += 1;
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

  #moved({ sheet, minute }: AccountCounts, event: Extract<RoadEvent, { kind: 'moved' }>): void {
    const { to } = event;
    const moves = sheet.moves[to];
    if (moves !== undefined) moves.value += 1;
    if (to === 'sent') {
      sheet.agedS[event.about.priority].add(event.ageMs / 1000);
      minute.sent += 1;
      minute.waitedMs.add(event.ageMs);
    }
    if (to !== 'dead') return;
    minute.dead += 1;
    const reason = event.reason ?? 'unknown';
    const { platform } = sheet;
    this.#board.count('sluice_dead_letters_total', { platform, reason }).value += 1;
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
