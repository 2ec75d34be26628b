// What holds a whole account back: an operator's pause, its own breaker, or its host's.
// A host that cannot be reached is one breaker for all its accounts: one probe, not one per account.

import { SANDBOX_OFF } from '../../domain/account-id.ts';
import type { RoadEvent } from '../../domain/event.ts';
import { INTERNAL } from '../../domain/fault.ts';
import type { AccountView } from '../../road/road.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import { assert } from '../../system/assert.ts';
import type { Random } from '../../system/random.ts';
import type { Health } from '../settle.ts';
import { Breaker, type BreakerSettings } from './breaker.ts';

interface Host {
  readonly breaker: Breaker;
  readonly accounts: Set<string>;
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
  readonly #accounts = new Map<string, HeldAccount>();
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
    id: string,
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

  remove(id: string): void {
    this.#accounts.get(id)?.host.accounts.delete(id);
    this.#accounts.delete(id);
  }

  // Called for each call that is about to go. True: it is a probe; everything else waits for its answer.
  probes(id: string, now: number): boolean {
    const { breaker, host } = this.#of(id);
    const own = breaker.probes(now);
    const shared = host.breaker.probes(now);
    if (own) this.#apply(id);
    if (shared) this.#applyAll(host);
    return own || shared;
  }

  // The probe never left (its delivery was withdrawn): the next one may try.
  probeGone(id: string, now: number): void {
    const { breaker, host } = this.#of(id);
    breaker.probeGone(now);
    host.breaker.probeGone(now);
    this.#applyAll(host);
  }

  // `unknown` must not come here: it teaches nothing.
  learn(
    id: string,
    chat: string,
    health: Exclude<Health, 'unknown'>,
    cause: string,
    now: number,
  ): void {
    const { breaker, host } = this.#of(id);
    const hostDown = health === 'host_down';
    const hostChanged = hostDown
      ? host.breaker.failed(chat, true, cause, now)
      : host.breaker.answered();
    const changed = this.#learnOwn(breaker, chat, health, cause, now);
    if (changed) this.#changed(id, breaker, now);
    if (hostChanged) for (const each of host.accounts) this.#changed(each, host.breaker, now);
    // A probe of its own that met a dead host is no longer out.
    if (hostDown && !hostChanged) this.#apply(id);
  }

  // Nothing of the account goes now, or only one call that probes.
  isBlocked(id: string): boolean {
    const { paused, breaker, host } = this.#of(id);
    return paused || breaker.state !== 'closed' || host.breaker.state !== 'closed';
  }

  // Neither its own breaker nor its host's is open or probing.
  hasClosedBreakers(id: string): boolean {
    const { breaker, host } = this.#of(id);
    return breaker.state === 'closed' && host.breaker.state === 'closed';
  }

  setPaused(id: string, paused: boolean): void {
    this.#of(id).paused = paused;
    this.#apply(id);
  }

  // A new token: whatever refused the old one is over.
  renew(id: string, now: number): void {
    const { breaker } = this.#of(id);
    if (breaker.renew()) this.#changed(id, breaker, now);
  }

  view(id: string): AccountView['breaker'] {
    const account = this.#accounts.get(id);
    if (account === undefined) return { state: 'closed', until: 0, cause: '' };
    const { breaker, host } = account;
    const { state, until, cause } = breaker.state === 'closed' ? host.breaker : breaker;
    return { state, until, cause };
  }

  #learnOwn(
    breaker: Breaker,
    chat: string,
    health: Exclude<Health, 'unknown'>,
    cause: string,
    now: number,
  ): boolean {
    switch (health) {
      case 'answered':
        return breaker.answered();
      case 'refused':
        return breaker.refuse(cause);
      case 'broken':
        return breaker.failed(chat, false, cause, now);
      case 'host_down':
        breaker.probeGone(now);
        return false;
    }
  }

  #changed(id: string, breaker: Breaker, at: number): void {
    const { state, until, cause } = breaker;
    this.#emit({ kind: 'breaker', at, account: id, state, until, cause });
    this.#apply(id);
  }

  #applyAll(host: Host): void {
    for (const id of host.accounts) this.#apply(id);
  }

  #apply(id: string): void {
    const { paused, breaker, host } = this.#of(id);
    if (paused) {
      this.#scheduler.hold(id, Number.POSITIVE_INFINITY, 'paused by an operator');
      return;
    }
    const worst = breaker.until >= host.breaker.until ? breaker : host.breaker;
    this.#scheduler.hold(id, worst.until, inWords(worst));
  }

  #of(id: string): HeldAccount {
    const account = this.#accounts.get(id);
    assert(account !== undefined, 'holds know every account of the road');
    return account;
  }
}

function inWords({ state, until, cause }: Breaker): string {
  if (state === 'closed') return '';
  if (state === 'half_open') return `one call probes whether the platform works again (${cause})`;
  if (until !== Number.POSITIVE_INFINITY)
    return `its breaker is open (${cause}), one call will probe`;
  return ENDLESS[cause] ?? `the platform refuses it (${cause}) until its token changes`;
}

// Where not the platform refuses, but we do not ask it.
const ENDLESS: Readonly<Record<string, string>> = {
  [SANDBOX_OFF]:
    'it is of the built-in simulator, which is switched off here; SLUICE_SANDBOX=on switches it on',
  [INTERNAL]:
    'a fault of Sluice keeps its token from being used; the log of the start has it, a new token may end it',
};
