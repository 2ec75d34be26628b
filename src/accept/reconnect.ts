// Orphans: deliveries whose caller left before the answer (its client timed out, its line broke, our process was
// killed). A delivery does not end with its caller, so the same request again is not a second message: it gets the
// first one's result, whatever became of it meanwhile, unless it failed and is to be tried anew. Each is adopted once.
// Only orphans are adopted. A caller that had its answer and says the same again means it, and both are sent; where the
// process ended so soon after the answer that it may be lost, the second says that it may be a repeat.

import type { NewDelivery } from '../domain/delivery.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Road } from '../road/road.ts';
import { answersRepeat, fingerprintOf } from '../store/ports/callers.ts';
import type { Clock } from '../system/clock.ts';

// How long after its delivery an orphan may still be claimed.
const CLAIM_MS = 60_000;
const ORPHANS_MAX = 10_000;
// After a start every caller of the process before is gone; those who come back do so within this time.
const RETURN_MS = 600_000;
// As many as ever hold the line at once, and some who left.
const INHERITED_MAX = 50_000;
const SWEEP_MS = 10_000;

interface Orphan {
  readonly seq: number;
  // Its answer was given, and may be lost.
  readonly isAnswered: boolean;
  // null: still on its way.
  claimUntil: number | null;
}

export type Claimed =
  | { kind: 'adopted'; seq: number; correlation: string }
  // To be sent, as one that may repeat that delivery.
  | { kind: 'repeats'; seq: number };

export interface AdoptionPorts {
  readonly clock: Clock;
  readonly road: Pick<Road, 'ended' | 'place' | 'caller' | 'unanswered'>;
  readonly ledger: Pick<Ledger, 'get'>;
}

// What makes two requests the same; null: it cannot be told (its Idempotency-Key tells already).
export function fingerprint(delivery: NewDelivery): string | null {
  return delivery.held === true ? fingerprintOf(delivery) : null;
}

export class Adoption {
  readonly #ports: AdoptionPorts;
  readonly #startedAt: number;
  // By fingerprint, each in order of loss.
  readonly #orphans = new Map<string, Orphan[]>();
  // Those of the process before; null: not asked for, or the store did not answer.
  #inherited: Promise<void> | null;
  #isLoaded = false;
  #size = 0;
  #sweepAt = 0;

  constructor(ports: AdoptionPorts) {
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
    this.#inherited = this.#load();
  }

  // There is nobody to adopt, so a request need not be looked at.
  get isEmpty(): boolean {
    if (this.#size > 0) this.#sweep(this.#ports.clock.now());
    return this.#size === 0 && this.#isLoaded;
  }

  // Its caller has left.
  lost(print: string, account: string, seq: number): void {
    const orphan: Orphan = { seq, isAnswered: false, claimUntil: null };
    this.#add(print, orphan);
    if (this.#size > ORPHANS_MAX + INHERITED_MAX) this.#dropOldest();
    this.#ports.road.caller(account, seq, false);
    this.#follow(print, orphan).catch(() => this.#drop(print, orphan));
  }

  // The orphan that such a request may have; from now on it has a caller again.
  async claim(print: string): Promise<Claimed | null> {
    this.#inherited ??= this.#load();
    await this.#inherited;
    for (;;) {
      const orphan = this.#take(print);
      if (orphan === null) return null;
      const { seq, isAnswered } = orphan;
      if (isAnswered) return { kind: 'repeats', seq };
      const record = await this.#ports.ledger.get(seq);
      if (record === null || !answersRepeat(record.state)) continue;
      this.#ports.road.caller(record.account, seq, true);
      return { kind: 'adopted', seq, correlation: record.correlation };
    }
  }

  async #load(): Promise<void> {
    try {
      const bounds = { endedMsMax: RETURN_MS, max: INHERITED_MAX };
      for (const { seq, print, answered } of await this.#ports.road.unanswered(bounds)) {
        const claimUntil = this.#startedAt + RETURN_MS;
        this.#add(print, { seq, isAnswered: answered, claimUntil });
      }
      this.#isLoaded = true;
    } catch {
      // The store cannot be read now: the next who asks asks it again.
      this.#inherited = null;
    }
  }

  // The next in order whose caller had no answer, else one whose caller may have had none.
  #take(print: string): Orphan | null {
    const now = this.#ports.clock.now();
    const open = (this.#orphans.get(print) ?? []).filter((orphan) => !this.#isOver(orphan, now));
    const next = open.find(({ isAnswered }) => !isAnswered) ?? open[0] ?? null;
    if (next !== null) this.#drop(print, next);
    return next;
  }

  #isOver({ seq, claimUntil }: Orphan, now: number): boolean {
    if (claimUntil === null || claimUntil >= now) return false;
    return this.#ports.road.place(seq) === null;
  }

  // When it ends: what was sent, or may have been, can be claimed for a while; what failed is to be tried anew.
  async #follow(print: string, orphan: Orphan): Promise<void> {
    const { clock, road } = this.#ports;
    const { state } = await road.ended(orphan.seq, NEVER);
    if (state === 'sent' || state === 'uncertain') orphan.claimUntil = clock.now() + CLAIM_MS;
    else this.#drop(print, orphan);
  }

  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP_MS;
    for (const [print, orphans] of this.#orphans) {
      for (const orphan of orphans) if (this.#isOver(orphan, now)) this.#drop(print, orphan);
    }
  }

  #add(print: string, orphan: Orphan): void {
    const orphans = this.#orphans.get(print);
    if (orphans === undefined) this.#orphans.set(print, [orphan]);
    else orphans.push(orphan);
    this.#size += 1;
  }

  #drop(print: string, orphan: Orphan): void {
    const orphans = this.#orphans.get(print);
    if (orphans === undefined || !orphans.includes(orphan)) return;
    this.#size -= 1;
    const left = orphans.filter((other) => other !== orphan);
    if (left.length === 0) this.#orphans.delete(print);
    else this.#orphans.set(print, left);
  }

  #dropOldest(): void {
    for (const [print, [oldest]] of this.#orphans) {
      this.#drop(print, oldest!);
      return;
    }
  }
}

const NEVER = new AbortController().signal;
