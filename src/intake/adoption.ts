// Orphans: deliveries whose caller left before the answer (its client timed out, its process ended). A delivery does
// not end with its caller, so the same request again is not a second message: it gets the first one's result.
// Only orphans are adopted. A caller that had its answer and says the same again means it, and both are sent.

import { hash } from 'node:crypto';
import type { NewDelivery } from '../domain/delivery.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../system/clock.ts';
import type { Road } from './road.ts';

// How long after its delivery an orphan may still be claimed.
const CLAIM_MS = 60_000;
const ORPHANS_MAX = 10_000;
// After a start every caller of the process before is gone; those who come back do so within this time.
const RETURN_MS = 120_000;
// What was taken longer ago than this before the start is not looked for.
const BEFORE_START_MS = 3_600_000;
// The newest of a chat that are looked through for a caller who returns after a start.
const LOOK_BACK_MAX = 200;

interface Orphan {
  readonly seq: number;
  // null: still on its way.
  claimUntil: number | null;
}

export interface AdoptionPorts {
  readonly clock: Clock;
  readonly road: Pick<Road, 'ended'>;
  readonly ledger: Pick<Ledger, 'search' | 'countByState'>;
}

// What makes two requests the same; null: it cannot be told (its Idempotency-Key tells already).
export function fingerprint(delivery: NewDelivery): string | null {
  if (delivery.idempotencyKey !== null) return null;
  const { account, method, chat, thread, session, body } = delivery;
  return hash('sha1', JSON.stringify([account, method, chat, thread, session, body]), 'base64');
}

export class Adoption {
  readonly #ports: AdoptionPorts;
  readonly #startedAt: number;
  // By fingerprint, each in order of loss.
  readonly #orphans = new Map<string, Orphan[]>();
  // Whether the process before left anything on its way; asked once, so that a fresh store costs nothing.
  readonly #inherited: Promise<boolean>;
  #mayInherit = true;
  // Of the process before, claimed already.
  readonly #claimed = new Set<number>();
  #size = 0;

  constructor(ports: AdoptionPorts) {
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
    this.#inherited = ports.ledger.countByState().then(
      (counts) => counts.some(({ state }) => state === 'queued' || state === 'sending'),
      () => true,
    );
    void this.#inherited.then((has) => {
      this.#mayInherit = has;
    });
  }

  // There is nobody to adopt, so a request need not be looked at.
  get isEmpty(): boolean {
    if (this.#size > 0) return false;
    return !this.#mayInherit || this.#ports.clock.now() - this.#startedAt > RETURN_MS;
  }

  // Its caller has left.
  lost(print: string, seq: number): void {
    const orphan: Orphan = { seq, claimUntil: null };
    const orphans = this.#orphans.get(print);
    if (orphans === undefined) this.#orphans.set(print, [orphan]);
    else orphans.push(orphan);
    this.#size += 1;
    if (this.#size > ORPHANS_MAX) this.#dropOldest();
    this.#follow(print, orphan).catch(() => this.#drop(print, orphan));
  }

  // The orphan that such a request may have; from now on it has a caller again.
  async claim(print: string, delivery: NewDelivery): Promise<number | null> {
    const now = this.#ports.clock.now();
    for (const orphan of this.#orphans.get(print) ?? []) {
      this.#drop(print, orphan);
      if (orphan.claimUntil === null || orphan.claimUntil >= now) return orphan.seq;
    }
    if (now - this.#startedAt > RETURN_MS || !(await this.#inherited)) return null;
    return this.#claimOld(delivery);
  }

  // When it ends: what was sent, or may have been, can be claimed for a while; what failed is to be tried anew.
  async #follow(print: string, orphan: Orphan): Promise<void> {
    const { clock, road } = this.#ports;
    const { state } = await road.ended(orphan.seq, NEVER);
    if (state === 'sent' || state === 'uncertain') orphan.claimUntil = clock.now() + CLAIM_MS;
    else this.#drop(print, orphan);
  }

  // Taken by the process before, and not settled by it: its caller cannot have had an answer.
  async #claimOld(delivery: NewDelivery): Promise<number | null> {
    const { account, chat, method, thread, session, body } = delivery;
    const filter = { account, chat, since: this.#startedAt - BEFORE_START_MS };
    const page = { limit: LOOK_BACK_MAX, before: null };
    const found = await this.#ports.ledger.search({ ...filter, until: this.#startedAt }, page);
    const claimFrom = Math.max(this.#startedAt, this.#ports.clock.now() - CLAIM_MS);
    // The oldest first: callers return in the order they came.
    const own = found.toReversed().find((old) => {
      const isSame = old.method === method && old.thread === thread && old.session === session;
      if (!isSame || old.body !== body || this.#claimed.has(old.seq)) return false;
      if (old.state === 'queued' || old.state === 'sending') return true;
      const ended = old.state === 'sent' || old.state === 'uncertain';
      return ended && (old.settledAt ?? 0) >= claimFrom;
    });
    if (own === undefined) return null;
    this.#claimed.add(own.seq);
    return own.seq;
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
