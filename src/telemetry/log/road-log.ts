// The road's events as log lines: one wide line when a delivery ends, with all that a person asks at night,
// instead of five narrow ones. Acceptances are told too, up to a bound: at full speed they would only be noise.

import { SESSION_LANE } from '../../domain/delivery.ts';
import type { About, Interest, RoadEvent, RoadListener, StoreTrouble } from '../../domain/event.ts';
import type { FaultStage, ReportFault } from '../../domain/fault.ts';
import { type AccountId, parseAccountId, platformOf } from '../../domain/ids.ts';
import { unreachable } from '../../system/assert.ts';
import type { Clock } from '../../system/clock.ts';
import { faultInWords, placeOf } from '../../system/fault.ts';
import type { LineLog } from './line-log.ts';
import { OutageLines } from './outage-log.ts';

const STORE_LINE_EVERY_MS = 60_000;
// What has happened, and what to do.
const STORE_TROUBLE = {
  disk_full:
    'the disk is full: nothing is accepted and nothing is sent; free space on the disk of the data folder, ' +
    'and it goes on by itself',
  journal_failed:
    'the store cannot be written: nothing is accepted and nothing is sent; look at the disk and the data ' +
    'folder, and it goes on by itself',
} as const satisfies Record<StoreTrouble, string>;

type Attempted = Extract<RoadEvent, { kind: 'attempted' }>;
type Moved = Extract<RoadEvent, { kind: 'moved' }>;

// Tries whose move has not come yet: about as many as are in flight.
const PENDING_MAX = 10_000;
// Above this one line says how many acceptances were left out of a second; at level debug they are told one by one.
export const ACCEPTED_LINES_PER_S_MAX = 50;

// Where lines of level info are not wanted, routine has nothing to say.
export function followRoad(
  road: { listen(listener: RoadListener, interest?: Interest): unknown },
  log: LineLog,
): void {
  road.listen(roadLog(log), (log.isLevelEnabled?.('info') ?? true) ? undefined : 'trouble');
}

export function roadLog(log: LineLog): RoadListener {
  const lastTry = new Map<number, Attempted>();
  // Fields are made only for lines that are wanted; levels do not change while the process runs.
  const isOn = (level: string) => log.isLevelEnabled?.(level) ?? true;
  const [debugs, infos] = [isOn('debug'), isOn('info')];
  const acceptances = new AcceptanceLines(log, debugs);
  const storeLines = new StoreLines(log);
  const outages = new OutageLines(log);
  return (event) => {
    if (infos) acceptances.passTo(event.at);
    switch (event.kind) {
      case 'accepted':
        if (infos) acceptances.write(event.about);
        return;
      case 'attempted':
        if (lastTry.size >= PENDING_MAX) lastTry.clear();
        lastTry.set(event.about.seq, event);
        if (event.outcome === 'limited') logLimited(log, event);
        return;
      case 'moved':
        if (infos || isTrouble(event)) {
          logMove(log, event, lastTry.get(event.about.seq) ?? null);
        }
        lastTry.delete(event.about.seq);
        return;
      case 'cosmetic': {
        const { account, chat, method, end } = event;
        const platform = platformOf(account);
        log.debug({ platform, account, chat, method, end }, 'cosmetic');
        return;
      }
      case 'frozen': {
        const { account, scope, cause } = event;
        const platform = platformOf(account);
        log.warn({ platform, account, scope, cause, until: iso(event.until) }, 'frozen');
        return;
      }
      case 'breaker':
        outages.write(event);
        return;
      case 'store':
        storeLines.write(event);
        return;
      case 'token': {
        const { account, state, detail } = event;
        const fields = { platform: platformOf(account), account, detail };
        if (state === 'refused') log.warn(fields, 'token refused');
        else log.info(fields, 'token accepted again');
        return;
      }
      default:
        unreachable(event);
    }
  };
}

// A disk that is nearly full takes a small write now and then: whatever it does, a minute has one line of each kind.
class StoreLines {
  readonly #log: LineLog;
  readonly #loggedAt = new Map<StoreTrouble | null, number>();

  constructor(log: LineLog) {
    this.#log = log;
  }

  write({ at, trouble }: Extract<RoadEvent, { kind: 'store' }>): void {
    if (at - (this.#loggedAt.get(trouble) ?? Number.NEGATIVE_INFINITY) < STORE_LINE_EVERY_MS)
      return;
    this.#loggedAt.set(trouble, at);
    if (trouble === null) this.#log.info({}, 'the store takes writes again');
    else this.#log.error({ code: trouble }, STORE_TROUBLE[trouble]);
  }
}

// By the times of the events: no timer runs for it, and whatever happens next tells what was left out.
class AcceptanceLines {
  readonly #log: LineLog;
  readonly #debugs: boolean;
  #second = 0;
  #lines = 0;
  // By platform.
  readonly #leftOut = new Map<string, number>();

  constructor(log: LineLog, debugs: boolean) {
    this.#log = log;
    this.#debugs = debugs;
  }

  passTo(at: number): void {
    const second = Math.floor(at / 1000);
    if (second === this.#second) return;
    this.#second = second;
    this.#lines = 0;
    if (this.#leftOut.size === 0) return;
    for (const [platform, leftOut] of this.#leftOut) {
      this.#log.info({ platform, leftOut }, 'accepted more');
    }
    this.#leftOut.clear();
  }

  write(about: About): void {
    this.#lines += 1;
    if (this.#lines <= ACCEPTED_LINES_PER_S_MAX) this.#log.info(fieldsOf(about), 'accepted');
    else if (this.#debugs) this.#log.debug(fieldsOf(about), 'accepted');
    else {
      const platform = platformOf(about.account);
      this.#leftOut.set(platform, (this.#leftOut.get(platform) ?? 0) + 1);
    }
  }
}

// The words that operators look for, once for each refusal, whatever becomes of what was refused.
function logLimited(log: LineLog, event: Attempted): void {
  const { retryAfterMs } = event;
  const until = retryAfterMs === null ? {} : { dueAt: iso(event.at + retryAfterMs) };
  log.warn({ ...fieldsOf(event.about), ...tryOf(event), ...until }, 'Rate limited');
}

function logMove(log: LineLog, event: Moved, attempt: Attempted | null): void {
  // The start of a try is told with its end.
  if (event.to === 'sending') return;
  const fields = {
    ...fieldsOf(event.about),
    from: event.from,
    ageMs: Math.round(event.ageMs),
    ...(event.reason === null ? {} : { reason: event.reason }),
    ...(attempt === null ? {} : tryOf(attempt)),
    ...(event.to === 'queued' && event.dueAt > 0 ? { dueAt: iso(event.dueAt) } : {}),
  };
  if (!isTrouble(event)) log.info(fields, event.to);
  else if (event.to !== 'queued') log.warn(fields, event.to);
  // Its refusal was told as it came.
  else if (attempt?.outcome === 'limited') log.debug(fields, 'retry');
  else log.warn(fields, 'retry');
}

function isTrouble(event: Moved): boolean {
  if (event.to === 'dead' || event.to === 'uncertain' || event.to === 'expired') return true;
  // Without a reason it is the next message of its call.
  return event.to === 'queued' && event.from === 'sending' && event.reason !== null;
}

function fieldsOf(about: About) {
  const { id, correlation, account, chat, lane, method, priority } = about;
  const platform = platformOf(account);
  const session = lane.startsWith(SESSION_LANE) ? { session: lane.slice(SESSION_LANE.length) } : {};
  return { delivery: id, correlation, platform, account, chat, lane, ...session, method, priority };
}

function tryOf(attempt: Attempted) {
  return {
    tries: attempt.n,
    outcome: attempt.outcome,
    waitedMs: Math.round(attempt.waitedMs),
    tookMs: Math.round(attempt.tookMs),
    ...(attempt.retryAfterMs === null ? {} : { retryAfterMs: attempt.retryAfterMs }),
    ...(attempt.detail === undefined ? {} : { detail: attempt.detail }),
    ...(attempt.payload === null ? {} : { payload: attempt.payload }),
  };
}

// The last moment a Date can hold; a hold without an end is later.
const TIME_MS_MAX = 8.64e15;

function iso(ms: number): string | null {
  return ms > 0 && ms <= TIME_MS_MAX ? new Date(ms).toISOString() : null;
}

// Refusals for a full queue as log lines: the first of a queue at once, then at most one a minute with how many there
// were. A producer that does not slow down must not fill the log too.

export const FULL_LOG_EVERY_MS = 60_000;
// Beyond so many full queues the oldest is told anew.
const QUEUES_MAX = 10_000;

export interface FullQueue {
  readonly account: AccountId;
  // The platform whose queue is full, or all accounts; neither: the account's own is.
  readonly platform?: string;
  readonly whose?: string;
  readonly waiting: number;
  readonly queueMax: number;
  // Left out: deliveries.
  readonly unit?: string;
}

export function fullLog(clock: Clock, log: Pick<LineLog, 'warn'>): (full: FullQueue) => void {
  const logged = new Map<string, { at: number; since: number }>();
  return ({ account, platform, whose, waiting, queueMax, unit = 'deliveries' }) => {
    const queue = platform ?? whose ?? account;
    const last = logged.get(queue);
    const now = clock.now();
    if (last !== undefined && now - last.at < FULL_LOG_EVERY_MS) {
      last.since += 1;
      return;
    }
    logged.delete(queue);
    if (logged.size >= QUEUES_MAX) logged.delete(logged.keys().next().value!);
    logged.set(queue, { at: now, since: 0 });
    const refused = (last?.since ?? 0) + 1;
    const fields = { queue, platform: platform ?? platformOf(account), account };
    log.warn({ ...fields, waiting, queueMax, unit, refused }, 'queue full');
  };
}

// Contained exceptions, counted and logged: the first of a place at once with its stack, then at most one a minute with
// how many there were. A fault that comes with every message must not fill the log too.

export const FAULT_LOG_EVERY_MS = 60_000;
// Beyond so many places the oldest is told anew.
const PLACES_MAX = 1000;

export interface ErrorLog {
  error(fields: object, message: string): void;
}

export function faultLog(
  clock: Clock,
  log: ErrorLog,
  count: (stage: FaultStage) => void,
): ReportFault {
  const logged = new Map<string, { at: number; since: number }>();
  return (stage, error, about) => {
    count(stage);
    const place = `${stage} ${placeOf(error)}`;
    const last = logged.get(place);
    const now = clock.now();
    if (last !== undefined && now - last.at < FAULT_LOG_EVERY_MS) {
      last.since += 1;
      return;
    }
    logged.delete(place);
    if (logged.size >= PLACES_MAX) logged.delete(logged.keys().next().value!);
    logged.set(place, { at: now, since: 0 });
    const { account } = about as { account?: unknown };
    const id = typeof account === 'string' ? parseAccountId(account) : null;
    const of = id === null ? null : { platform: platformOf(id) };
    const fields = { stage, ...of, ...about, fault: faultInWords(error), stack: framesOf(error) };
    log.error({ ...fields, times: (last?.since ?? 0) + 1 }, 'internal fault');
  };
}

// Without the message before them, which may quote a payload.
function framesOf(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  return error.stack.split('\n').filter((line) => line.startsWith('    at '));
}
