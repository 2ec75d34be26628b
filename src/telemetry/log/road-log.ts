// The road's events as log lines: one wide line when a delivery ends, with all that a person asks at night,
// instead of five narrow ones. Acceptance is told at debug, because at full speed it is only noise.

import { SESSION_LANE } from '../../domain/delivery.ts';
import type { About, RoadEvent, RoadListener } from '../../domain/event.ts';
import { unreachable } from '../../system/assert.ts';

export interface LineLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  // Left out: every level is wanted.
  isLevelEnabled?(level: string): boolean;
}

type Attempted = Extract<RoadEvent, { kind: 'attempted' }>;
type Moved = Extract<RoadEvent, { kind: 'moved' }>;

// Tries whose move has not come yet: about as many as are in flight.
const PENDING_MAX = 10_000;

export function roadLog(log: LineLog): RoadListener {
  const lastTry = new Map<number, Attempted>();
  // Fields are made only for lines that are wanted; levels do not change while the process runs.
  const isOn = (level: string) => log.isLevelEnabled?.(level) ?? true;
  const [debugs, infos] = [isOn('debug'), isOn('info')];
  return (event) => {
    switch (event.kind) {
      case 'accepted':
        if (debugs) log.debug(fieldsOf(event.about), 'accepted');
        return;
      case 'attempted':
        if (lastTry.size >= PENDING_MAX) lastTry.clear();
        lastTry.set(event.about.seq, event);
        return;
      case 'moved':
        if (infos || isTrouble(event)) {
          tellMove(log, event, lastTry.get(event.about.seq) ?? null);
        }
        lastTry.delete(event.about.seq);
        return;
      case 'cosmetic': {
        const { account, chat, method, end } = event;
        log.debug({ account, chat, method, end }, 'cosmetic');
        return;
      }
      case 'frozen': {
        const { account, scope, cause } = event;
        log.warn({ account, scope, cause, until: iso(event.until) }, 'frozen');
        return;
      }
      case 'breaker': {
        const { account, state, cause } = event;
        const fields = { account, state, cause, until: iso(event.until) };
        if (state === 'open') log.warn(fields, 'breaker');
        else log.info(fields, 'breaker');
        return;
      }
      default:
        unreachable(event);
    }
  };
}

function tellMove(log: LineLog, event: Moved, attempt: Attempted | null): void {
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
  if (isTrouble(event)) log.warn(fields, event.to === 'queued' ? 'retry' : event.to);
  else log.info(fields, event.to);
}

function isTrouble(event: Moved): boolean {
  if (event.to === 'dead' || event.to === 'uncertain' || event.to === 'expired') return true;
  // Without a reason it is the next message of its call.
  return event.to === 'queued' && event.from === 'sending' && event.reason !== null;
}

function fieldsOf(about: About) {
  const { id, account, chat, lane, method, priority } = about;
  const platform = account.slice(0, account.indexOf(':'));
  const session = lane.startsWith(SESSION_LANE) ? { session: lane.slice(SESSION_LANE.length) } : {};
  return { delivery: id, platform, account, chat, lane, ...session, method, priority };
}

function tryOf(attempt: Attempted) {
  return {
    tries: attempt.n,
    outcome: attempt.outcome,
    waitedMs: Math.round(attempt.waitedMs),
    tookMs: Math.round(attempt.tookMs),
    ...(attempt.retryAfterMs === null ? {} : { retryAfterMs: attempt.retryAfterMs }),
    ...(attempt.payload === null ? {} : { payload: attempt.payload }),
  };
}

// The last moment a Date can hold; a hold without an end is later.
const TIME_MS_MAX = 8.64e15;

function iso(ms: number): string | null {
  return ms > 0 && ms <= TIME_MS_MAX ? new Date(ms).toISOString() : null;
}
