// Stops calling what does not answer: closed → open → half open with one probe → closed or open again.
// A call that waits is the probe, so nothing is probed for nobody. While callers wait they are to notice the end of an
// outage soon: the next probe comes after a small share of the time the outage has lasted, so that waiting on after its
// end costs little beside the outage itself, and one that lasts for hours is not asked every second.
// Accounts that failed together do not probe together: each wait is lengthened by chance.
// Time is an argument, chance is injected. One poison chat must not open it, so failures must come from two chats,
// unless the host itself could not be reached. A refused account stays open until its token changes.

import type { Random } from '../../system/random.ts';

export interface BreakerSettings {
  // So many failures in a row open it.
  readonly failuresMax: number;
  // Between two probes, at least and at most.
  readonly openMs: number;
  readonly openMsMax: number;
}

// With the jitter at most a thirtieth: after a minute without an answer two seconds, after an hour two minutes.
const OUTAGE_SHARE = 1 / 36;
// A wait is up to so much longer than that.
const JITTER = 0.2;

export type BreakerState = 'closed' | 'open' | 'half_open';

export class Breaker {
  state: BreakerState = 'closed';
  until = 0;
  cause = '';
  readonly #settings: BreakerSettings;
  readonly #random: Random;
  #failures = 0;
  #chat: string | null = null;
  #manyChats = false;
  // When it opened first, since it was last closed.
  #openedAt: number | null = null;
  #isRefused = false;

  constructor(settings: BreakerSettings, random: Random) {
    this.#settings = settings;
    this.#random = random;
  }

  // Before a call: true when this call is the one probe of an open breaker.
  probes(now: number): boolean {
    if (this.state !== 'open' || now < this.until) return false;
    this.state = 'half_open';
    this.until = Number.POSITIVE_INFINITY;
    return true;
  }

  // All of these answer whether the state changed.
  answered(): boolean {
    // An answer to a call that left before the refusal says nothing about the token now.
    return this.#isRefused ? false : this.#close();
  }

  // A new token: whatever refused the old one is over.
  renew(): boolean {
    this.#isRefused = false;
    return this.#close();
  }

  #close(): boolean {
    this.#failures = 0;
    this.#chat = null;
    this.#manyChats = false;
    this.#openedAt = null;
    if (this.state === 'closed') return false;
    this.state = 'closed';
    this.until = 0;
    this.cause = '';
    return true;
  }

  failed(chat: string, hostDown: boolean, cause: string, now: number): boolean {
    if (this.state === 'half_open') return this.#open(cause, now);
    if (this.state === 'open') return false;
    this.#failures += 1;
    this.#manyChats ||= hostDown || (this.#chat !== null && this.#chat !== chat);
    this.#chat = chat;
    if (this.#failures < this.#settings.failuresMax || !this.#manyChats) return false;
    return this.#open(cause, now);
  }

  // Until renew().
  refuse(cause: string): boolean {
    this.#isRefused = true;
    this.state = 'open';
    this.until = Number.POSITIVE_INFINITY;
    this.cause = cause;
    return true;
  }

  // A probe that never left: the next one may try.
  probeGone(now: number): void {
    if (this.state !== 'half_open') return;
    this.state = 'open';
    this.until = now;
  }

  #open(cause: string, now: number): boolean {
    const { openMs, openMsMax } = this.#settings;
    this.state = 'open';
    this.#openedAt ??= now;
    const outageMs = now - this.#openedAt;
    const waitMs = Math.max(openMs, outageMs * OUTAGE_SHARE);
    this.until = now + Math.min(openMsMax, waitMs * (1 + JITTER * this.#random.next()));
    this.cause = cause;
    return true;
  }
}
