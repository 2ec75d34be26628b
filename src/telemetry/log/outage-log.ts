// Platforms that do not answer, as log lines: one when it begins, again at growing intervals while it lasts, and one
// when it is over. Every failed probe is no news, and an outage of a night must not fill the log.

import type { RoadEvent } from '../../domain/event.ts';
import { type AccountId, platformOf } from '../../domain/ids.ts';
import { outageInWords } from '../../domain/outage.ts';
import type { LineLog } from './line-log.ts';

type BreakerEvent = Extract<RoadEvent, { kind: 'breaker' }>;

export const OUTAGE_LINE_AGAIN_MS = 60_000;
const OUTAGE_LINE_AGAIN_MS_MAX = 3_600_000;
// Beyond so many accounts the oldest outage is told anew.
const OUTAGES_MAX = 10_000;

interface Outage {
  readonly since: number;
  cause: string;
  probes: number;
  logAt: number;
  againMs: number;
}

const REFUSES = 'the platform refuses this account';
const TRIED = 'one call tries whether the platform answers';
const ANSWERS = 'the platform answers again';

export class OutageLines {
  readonly #log: LineLog;
  readonly #outages = new Map<string, Outage>();

  constructor(log: LineLog) {
    this.#log = log;
  }

  write(event: BreakerEvent): void {
    const { at, account, state, cause, detail } = event;
    const outage = this.#outages.get(account);
    const fields = { platform: platformOf(account), account, state, cause, detail };
    if (state !== 'open') {
      this.#outages.delete(account);
      const lasted = outage === undefined ? {} : { outageMs: Math.round(at - outage.since) };
      this.#log.info({ ...fields, ...lasted }, state === 'closed' ? ANSWERS : TRIED);
      return;
    }
    const until = untilOf(event);
    if (outage === undefined || outage.cause !== cause) {
      this.#begin(event);
      this.#log.warn({ ...fields, until }, saidOf(cause, until));
      return;
    }
    outage.probes += 1;
    if (at < outage.logAt) return;
    outage.againMs = Math.min(outage.againMs * 2, OUTAGE_LINE_AGAIN_MS_MAX);
    outage.logAt = at + outage.againMs;
    const outageMs = Math.round(at - outage.since);
    const line = { ...fields, until, outageMs, probes: outage.probes };
    this.#log.warn(line, saidOf(cause, until));
  }

  #begin({ at, account, cause }: BreakerEvent): void {
    const { size } = this.#outages;
    if (size >= OUTAGES_MAX) this.#outages.delete(this.#outages.keys().next().value!);
    const again = { logAt: at + OUTAGE_LINE_AGAIN_MS, againMs: OUTAGE_LINE_AGAIN_MS };
    this.#outages.set(account, { since: at, cause, probes: 0, ...again });
  }
}

function saidOf(cause: string, until: string | null): string {
  return until === null ? REFUSES : outageInWords(cause);
}

// The last moment a Date can hold; an outage without an end is later.
const TIME_MS_MAX = 8.64e15;

function untilOf({ until }: BreakerEvent): string | null {
  return until > 0 && until <= TIME_MS_MAX ? new Date(until).toISOString() : null;
}

// Told as often as it is called: who calls it knows how often that is right.
export function unreachableLog(
  log: Pick<LineLog, 'warn'>,
): (account: { id: AccountId; detail: string }) => void {
  return ({ id, detail }) =>
    log.warn(
      { platform: platformOf(id), account: id, detail },
      'the platform cannot be asked whose token this is; its messages are refused until it answers',
    );
}
