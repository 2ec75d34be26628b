// Is a token really refused? A single 401 or 404 may come from a reverse proxy, and would stop a bot for good. So the
// account is held and the platform is asked whose token it is; only if it refuses that too is the token taken for
// refused. A refused token is asked about again, after growing pauses, and at once when an operator probes.

import type { RoadEvent } from '../../domain/event.ts';
import type { AccountId } from '../../domain/ids.ts';
import { ACCOUNT_REFUSED } from '../../domain/outcome.ts';
import type { Identified } from '../../platforms/platform.ts';
import type { Probed } from '../../road/road.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { type Clock, sleep, type Timer } from '../../system/clock.ts';
import type { AccountAvailability } from './availability.ts';
import type { Profile } from './profile.ts';

// Between two questions, at first and at most.
const PAUSE_MS = 60_000;
const PAUSE_MS_MAX = 3_600_000;
// Before a doubt is dropped because nobody can be asked.
const ASK_AGAIN_MS = [1_000, 3_000, 9_000] as const;

const TAKEN = 'the platform accepts its token';

export interface TokenRoad {
  readonly availability: AccountAvailability;
  readonly events: { emit(event: RoadEvent): void };
  profileOf(account: AccountId): Profile;
  // Nothing is to be said of one that was closed while the platform was asked.
  isOpen(account: AccountId): boolean;
  wake(): void;
}

export interface TokenPorts {
  readonly clock: Clock;
  readonly accounts: {
    stateOf(id: AccountId): { refused: string | null };
    credentialOf(id: AccountId): string | null;
    setRefused(id: AccountId, reason: string | null): Promise<unknown>;
  };
}

export class TokenChecks {
  readonly #road: TokenRoad;
  readonly #p: TokenPorts;
  // Work that a stop waits for.
  readonly #track: (work: Promise<unknown>) => void;
  // By account.
  readonly #asking = new Map<AccountId, Promise<Identified>>();
  readonly #timers = new Map<AccountId, Timer>();
  #isStopped = false;

  constructor(road: TokenRoad, ports: TokenPorts, track: (work: Promise<unknown>) => void) {
    this.#road = road;
    this.#p = ports;
    this.#track = track;
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
  }

  // An answer said that the token is refused. Resolves to whether it is; nothing of the account goes meanwhile.
  async isRefused(account: AccountId): Promise<boolean> {
    const { clock } = this.#p;
    this.#road.availability.doubt(account, ACCOUNT_REFUSED, clock.now());
    const found = await this.#askAtLength(account);
    if (!this.#road.isOpen(account)) return false;
    if (found.kind !== 'refused') {
      this.#road.availability.renew(account, clock.now());
      this.#road.wake();
      return false;
    }
    // Before the attempt is settled, so that a crash in between does not make the next process send again.
    await this.#write(account, ACCOUNT_REFUSED);
    if (!this.#road.isOpen(account)) return false;
    this.#publish(account, 'refused', inWords(found));
    this.#watch(account);
    return true;
  }

  // The same for a call that was no delivery: nothing is held or written, so no caller can stop an account with it.
  async isRefusedNow(account: AccountId): Promise<boolean> {
    return (await this.#ask(account)).kind === 'refused';
  }

  // An account of which something has come; it may have been refused before the start.
  opened(account: AccountId): void {
    if (this.#p.accounts.stateOf(account).refused === ACCOUNT_REFUSED) this.#watch(account);
  }

  // Whoever has it now asks about it.
  closed(account: AccountId): void {
    this.#timers.get(account)?.cancel();
    this.#timers.delete(account);
  }

  // It is refused, and asked about until it is not.
  #watch(account: AccountId, pauseMs = PAUSE_MS): void {
    if (this.#isStopped || this.#timers.has(account) || !this.#road.isOpen(account)) return;
    const { clock } = this.#p;
    const timer = clock.schedule(clock.now() + pauseMs, () => {
      this.#timers.delete(account);
      if (this.#p.accounts.stateOf(account).refused !== ACCOUNT_REFUSED) return;
      this.#track(
        this.#look(account).then(({ found }) => {
          if (found !== 'taken') this.#watch(account, Math.min(PAUSE_MS_MAX, 2 * pauseMs));
        }),
      );
    });
    this.#timers.set(account, timer);
  }

  // By hand. If the platform takes the token, an open breaker lets the next call probe.
  async probe(account: AccountId): Promise<Probed> {
    const probed = await this.#look(account);
    const isTaken = probed.found === 'taken' && this.#road.isOpen(account);
    if (isTaken) this.#road.availability.tryNow(account, this.#p.clock.now());
    this.#road.wake();
    return probed;
  }

  async #look(account: AccountId): Promise<Probed> {
    const { refused } = this.#p.accounts.stateOf(account);
    const asked = await this.#ask(account);
    switch (asked.kind) {
      case 'known':
        if (refused === ACCOUNT_REFUSED) await this.#retake(account);
        return { found: 'taken', detail: TAKEN };
      case 'refused':
        return { found: 'refused', detail: inWords(asked) };
      case 'unreachable':
        return { found: 'unreachable', detail: asked.detail };
    }
  }

  async #retake(account: AccountId): Promise<void> {
    if (!this.#road.isOpen(account)) return;
    await this.#write(account, null);
    if (!this.#road.isOpen(account)) return;
    this.#publish(account, 'taken', TAKEN);
    this.#road.availability.renew(account, this.#p.clock.now());
    this.#road.wake();
  }

  #publish(account: AccountId, state: 'refused' | 'taken', detail: string): void {
    const at = this.#p.clock.now();
    this.#road.events.emit({ kind: 'token', at, account, state, detail });
  }

  // A platform that does not answer is asked again a few times; the account is held meanwhile.
  async #askAtLength(account: AccountId): Promise<Identified> {
    for (const pauseMs of ASK_AGAIN_MS) {
      const found = await this.#ask(account);
      if (found.kind !== 'unreachable' || this.#isStopped) return found;
      await sleep(this.#p.clock, pauseMs);
    }
    return this.#ask(account);
  }

  // One question at a time, whoever wants to know.
  #ask(account: AccountId): Promise<Identified> {
    const known = this.#asking.get(account);
    if (known !== undefined) return known;
    const asking = this.#identify(account).finally(() => this.#asking.delete(account));
    this.#asking.set(account, asking);
    return asking;
  }

  async #identify(account: AccountId): Promise<Identified> {
    const credential = this.#p.accounts.credentialOf(account);
    if (credential === null) return { kind: 'unreachable', detail: 'it has no token here' };
    return this.#road.profileOf(account).platform.wire.identify(credential);
  }

  async #write(account: AccountId, reason: string | null): Promise<void> {
    try {
      await this.#p.accounts.setRefused(account, reason);
    } catch (error) {
      // The breaker holds it in memory; only a restart would ask once more.
      if (!(error instanceof JournalUnavailable)) throw error;
    }
  }
}

function inWords({ status, detail }: Extract<Identified, { kind: 'refused' }>): string {
  return `the platform says ${status}: ${detail}`;
}
