// What holds a whole account back: an operator's pause, its own breaker, or its host's; and whether it answers at all.
// A host that cannot be reached is one breaker for all its accounts: one probe, not one per account. But one account's
// trouble is its own: a host that answers is down only when several accounts say so.

import type { RoadEvent } from '../../domain/event.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { AccountView } from '../../road/road.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import { assert } from '../../system/assert.ts';
import type { Random } from '../../system/random.ts';
import { holdInWords, nameOfHold, PAUSED } from './hold-reason.ts';

// What an attempt says about the account and its host, for the breakers.
// `unknown`: the attempt ended within the gateway, which says nothing about either.
// `host_down`: nothing connects. `host_sick`: an answer said so, perhaps to this account alone.
export type Health = 'answered' | 'refused' | 'broken' | 'host_sick' | 'host_down' | 'unknown';

interface Host {
  readonly breaker: Breaker;
  readonly accounts: Set<AccountId>;
}

interface HeldAccount {
  readonly breaker: Breaker;
  readonly host: Host;
  paused: boolean;
}

export class AccountAvailability {
  readonly #scheduler: Scheduler;
  // Of the hosts' breakers; each account brings its own.
  readonly #settings: BreakerSettings;
  readonly #random: Random;
  readonly #emit: (event: RoadEvent) => void;
  readonly #accounts = new Map<AccountId, HeldAccount>();
  readonly #hosts = new Map<string, Host>();

  constructor(
    scheduler: Scheduler,
    settings: BreakerSettings,
    random: Random,
    emit: (event: RoadEvent) => void,
  ) {
    this.#scheduler = scheduler;
    this.#settings = settings;
    this.#random = random;
    this.#emit = emit;
  }

  add(
    id: AccountId,
    { host: hostName, breaker: settings }: { host: string; breaker: BreakerSettings },
    state: { paused: boolean; refused: string | null },
  ): void {
    let host = this.#hosts.get(hostName);
    if (host === undefined) {
      host = { breaker: new Breaker(this.#settings, this.#random), accounts: new Set() };
      this.#hosts.set(hostName, host);
    }
    host.accounts.add(id);
    const breaker = new Breaker(settings, this.#random);
    if (state.refused !== null) breaker.refuse(state.refused);
    this.#accounts.set(id, { breaker, host, paused: state.paused });
    this.#apply(id);
  }

  remove(id: AccountId): void {
    this.#accounts.get(id)?.host.accounts.delete(id);
    this.#accounts.delete(id);
  }

  // Called for each call that is about to go. True: it is a probe; everything else waits for its answer.
  probes(id: AccountId, now: number): boolean {
    const { breaker, host } = this.#of(id);
    const own = breaker.probes(now);
    const shared = host.breaker.probes(now);
    if (own) this.#apply(id);
    if (shared) this.#applyAll(host);
    return own || shared;
  }

  // The probe never left (its delivery was withdrawn): the next one may try.
  probeGone(id: AccountId, now: number): void {
    const { breaker, host } = this.#of(id);
    breaker.probeGone(now);
    host.breaker.probeGone(now);
    this.#applyAll(host);
  }

  // `unknown` must not come here: it teaches nothing.
  learn(
    id: AccountId,
    chat: string,
    health: Exclude<Health, 'unknown'>,
    cause: BreakerCause,
    now: number,
  ): void {
    const { breaker, host } = this.#of(id);
    const hostDown = health === 'host_down';
    const hostChanged =
      hostDown || health === 'host_sick'
        ? host.breaker.failed(id, hostDown, cause, now)
        : host.breaker.answered();
    if (this.#learnOwn(breaker, chat, health, cause, now)) this.#changed(id, breaker, now);
    if (hostChanged) for (const each of host.accounts) this.#changed(each, host.breaker, now);
    if (hostDown && !hostChanged) this.#apply(id);
  }

  // Nothing of the account goes now, or only one call that probes.
  isBlocked(id: AccountId): boolean {
    const { paused, breaker, host } = this.#of(id);
    return paused || !breaker.isClosed || !host.breaker.isClosed;
  }

  // Neither its own breaker nor its host's is open or probing.
  hasClosedBreakers(id: AccountId): boolean {
    const { breaker, host } = this.#of(id);
    return breaker.isClosed && host.breaker.isClosed;
  }

  setPaused(id: AccountId, paused: boolean): void {
    this.#of(id).paused = paused;
    this.#apply(id);
  }

  // The platform may have refused its token: nothing goes until that is known.
  doubt(id: AccountId, cause: string, now: number): void {
    const { breaker } = this.#of(id);
    if (breaker.refuse(cause)) this.#changed(id, breaker, now);
  }

  // Nothing goes until its token is there again. No trouble of the platform's, so no event.
  withhold(id: AccountId, cause: string): void {
    this.#of(id).breaker.refuse(cause);
    this.#apply(id);
  }

  // By hand: the next call probes.
  tryNow(id: AccountId, now: number): void {
    const { breaker, host } = this.#of(id);
    breaker.tryNow(now);
    host.breaker.tryNow(now);
    this.#applyAll(host);
  }

  // A new token, or the old one is taken again: whatever refused it is over.
  renew(id: AccountId, now: number): void {
    const { breaker } = this.#of(id);
    if (breaker.renew()) this.#changed(id, breaker, now);
  }

  view(id: AccountId): BreakerStanding {
    const account = this.#accounts.get(id);
    if (account === undefined) return CLOSED;
    const { breaker, host } = account;
    return (breaker.isClosed ? host.breaker : breaker).standing;
  }

  #learnOwn(
    breaker: Breaker,
    chat: string,
    health: Exclude<Health, 'unknown'>,
    cause: BreakerCause,
    now: number,
  ): boolean {
    switch (health) {
      case 'answered':
        return breaker.answered();
      case 'refused':
        return breaker.refuse(cause.reason, cause.detail);
      case 'broken':
        return breaker.failed(chat, false, cause, now);
      case 'host_sick':
        return breaker.failed(chat, true, cause, now);
      case 'host_down':
        breaker.probeGone(now);
        return false;
    }
  }

  #changed(id: AccountId, breaker: Breaker, at: number): void {
    this.#emit({ kind: 'breaker', at, account: id, ...breaker.standing });
    this.#apply(id);
  }

  #applyAll(host: Host): void {
    for (const id of host.accounts) this.#apply(id);
  }

  #apply(id: AccountId): void {
    const { paused, breaker, host } = this.#of(id);
    if (paused) {
      this.#scheduler.hold(id, Number.POSITIVE_INFINITY, 'paused by an operator', PAUSED);
      return;
    }
    const [own, shared] = [breaker.standing, host.breaker.standing];
    const worst = own.until >= shared.until ? own : shared;
    this.#scheduler.hold(id, worst.until, holdInWords(worst), nameOfHold(worst));
  }

  #of(id: AccountId): HeldAccount {
    const account = this.#accounts.get(id);
    assert(account !== undefined, 'the account was added before it is asked about');
    return account;
  }
}

// Stops calling what does not answer: closed → open → half open with one probe → closed or open again.
// The probe is a call that waits anyway, so without traffic nothing is probed. The next probe comes after a small share
// of the time that the outage has lasted: its end is noticed soon compared with its length, and a host that is down for
// hours is not asked every second.
// Accounts that failed together do not probe together: each wait is lengthened by chance.
// One poison chat must not open an account's, nor one account its host's: failures must come from two of them, unless
// nothing connects. A refused account stays open until its token changes or is taken again.

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

// A code, and the error as the system or the platform worded it.
export interface BreakerCause {
  readonly reason: string;
  readonly detail: string;
}

const DETAIL_CHARS_MAX = 300;

type BreakerStanding = AccountView['breaker'];
const CLOSED: BreakerStanding = { state: 'closed', until: 0, cause: '', detail: '' };

export class Breaker {
  #standing = CLOSED;
  readonly #settings: BreakerSettings;
  readonly #random: Random;
  #failures = 0;
  // Where the last failure came from (a chat, or an account), and whether there were others.
  #source: string | null = null;
  #isOfMany = false;
  // When it opened first, since it was last closed.
  #openedAt: number | null = null;
  #isRefused = false;

  constructor(settings: BreakerSettings, random: Random) {
    this.#settings = settings;
    this.#random = random;
  }

  get standing(): BreakerStanding {
    return this.#standing;
  }

  get isClosed(): boolean {
    return this.#standing.state === 'closed';
  }

  // Before a call: true when this call is the one probe of an open breaker.
  probes(now: number): boolean {
    const { state, until } = this.#standing;
    if (state !== 'open' || now < until) return false;
    this.#standing = { ...this.#standing, state: 'half_open', until: Number.POSITIVE_INFINITY };
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
    this.#source = null;
    this.#isOfMany = false;
    this.#openedAt = null;
    if (this.isClosed) return false;
    this.#standing = CLOSED;
    return true;
  }

  // `isSure`: one source is enough.
  failed(source: string, isSure: boolean, cause: BreakerCause, now: number): boolean {
    if (this.#standing.state === 'half_open') return this.#open(cause, now);
    if (this.#standing.state === 'open') return false;
    this.#failures += 1;
    this.#isOfMany ||= isSure || (this.#source !== null && this.#source !== source);
    this.#source = source;
    if (this.#failures < this.#settings.failuresMax || !this.#isOfMany) return false;
    return this.#open(cause, now);
  }

  // Until renew().
  refuse(cause: string, detail = ''): boolean {
    if (this.#isRefused && this.#standing.cause === cause) return false;
    this.#isRefused = true;
    this.#set(Number.POSITIVE_INFINITY, cause, detail);
    return true;
  }

  // By hand: the operator knows better than the timer.
  tryNow(now: number): void {
    const { state, until } = this.#standing;
    if (state !== 'open' || this.#isRefused) return;
    this.#standing = { ...this.#standing, until: Math.min(until, now) };
  }

  // A probe that never left: the next one may try.
  probeGone(now: number): void {
    if (this.#standing.state !== 'half_open') return;
    this.#standing = { ...this.#standing, state: 'open', until: now };
  }

  #set(until: number, cause: string, detail: string): void {
    this.#standing = { state: 'open', until, cause, detail: detail.slice(0, DETAIL_CHARS_MAX) };
  }

  #open({ reason, detail }: BreakerCause, now: number): boolean {
    const { openMs, openMsMax } = this.#settings;
    this.#openedAt ??= now;
    const outageMs = now - this.#openedAt;
    const waitMs = Math.max(openMs, outageMs * OUTAGE_SHARE);
    const until = now + Math.min(openMsMax, waitMs * (1 + JITTER * this.#random.next()));
    this.#set(until, reason, detail);
    return true;
  }
}
