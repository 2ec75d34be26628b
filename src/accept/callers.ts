// Hands one drafted delivery to the road, and says what its caller gets: the receipt (accepted and where it stands, or
// why not); the end, if it waits for it; and the end of the first one, if it left and asks again.

import { changesMessage, type NewDelivery } from '../domain/delivery.ts';
import { type Problem, problem } from '../domain/errors.ts';
import { type AccountId, formatId } from '../domain/ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Ended, Road } from '../road/road.ts';
import { answersRepeat, fingerprintOf } from '../store/ports/callers.ts';
import type { Appended } from '../store/ports/delivery.ts';
import {
  JournalUnavailable,
  OwnerSilent,
  TakenOver,
  tolerateUnavailable,
} from '../store/ports/unavailable.ts';
import { unreachable } from '../system/assert.ts';
import type { Clock, Timer } from '../system/clock.ts';
import { type Claimant, Shares } from '../system/shares.ts';
import type { AcceptContext } from './context.ts';
import type { Drafted } from './draft.ts';
import { fullProblem } from './problems.ts';
import type { Receipt } from './receipt.ts';
import { showTimeOrNull } from './time.ts';
import { endedLater, recordOf } from './unread.ts';

export type {
  FollowUp,
  NotPossible,
  ObserverReceipt,
  Pending,
  Receipt,
} from './receipt.ts';
export { NOT_POSSIBLE } from './receipt.ts';

export type Submitted =
  | { kind: 'accepted'; seq: number; receipt: Receipt }
  | { kind: 'refused'; problem: Problem };

export const refused = (refusal: Problem): { kind: 'refused'; problem: Problem } => ({
  kind: 'refused',
  problem: refusal,
});

type ReceiptPorts = Pick<AcceptContext, 'road' | 'followUps' | 'ledger' | 'tag'>;

export function submitOne(options: ReceiptPorts, drafted: Drafted): Promise<Submitted> {
  if (drafted.kind === 'refused') return Promise.resolve(drafted);
  const { delivery } = drafted;
  const isPlainSend = !changesMessage(delivery) && delivery.copyOf === undefined;
  const road = isPlainSend ? options.road : (options.followUps ?? options.road);
  return road
    .submit(delivery)
    .then((known) => receiptOf(options, known, delivery.correlation), unavailable);
}

function unavailable(error: unknown): Submitted {
  if (error instanceof JournalUnavailable) return refused(journalProblem(error));
  throw error;
}

export function journalProblem(error: JournalUnavailable): Problem {
  if (error instanceof OwnerSilent) return problem('owner_silent', '');
  return problem(error instanceof TakenOver ? 'not_owner' : error.code, '');
}

function receiptOf(
  options: ReceiptPorts,
  appended: Appended,
  named: string | null,
): Submitted | Promise<Submitted> {
  const { tag } = options;
  switch (appended.kind) {
    case 'accepted':
      return accepted(options, appended.queued.seq, 'queued', named);
    case 'repeated':
      return repeated(options, appended);
    case 'superseded': {
      const late = accepted(options, appended.seq, 'superseded', named);
      return { ...late, receipt: { ...late.receipt, supersededBy: formatId(tag, appended.by) } };
    }
    case 'conflict':
      return refused(problem('idempotency_conflict', '', { id: formatId(tag, appended.seq) }));
    case 'full':
      return refused(fullProblem(appended));
    case 'not_owner':
      return refused(problem('not_owner', ''));
    default:
      return unreachable(appended);
  }
}

// Of the first one: it may have been named otherwise.
async function repeated(
  options: ReceiptPorts,
  { seq, state }: Extract<Appended, { kind: 'repeated' }>,
): Promise<Submitted> {
  const first = await recordOf(options, seq);
  const again = accepted(options, seq, state, first?.correlation ?? null);
  return { ...again, receipt: { ...again.receipt, repeated: true } };
}

export function accepted(options: ReceiptPorts, seq: number, state: string, named: string | null) {
  const place = options.road.place(seq);
  const id = formatId(options.tag, seq);
  const receipt: Receipt = {
    id,
    correlation: named ?? id,
    state,
    position: place?.position ?? null,
    eta: place === null ? null : showTimeOrNull(place.eta),
  };
  return { kind: 'accepted' as const, seq, receipt };
}

// Callers who wait for a delivery's end. Bounded in number (in all, per account and per address) and in time; a
// caller who hangs up, or a gateway that stops, ends the waiting and never the delivery.

export type Waited =
  | { kind: 'ended'; ended: Ended }
  // `full`: the disk is full, and has been for a while.
  | { kind: 'time' | 'left' | 'stopping' | 'full' };

// A disk that is nearly full takes a write now and then: after so long nobody is kept waiting for the next.
export const FULL_MS = 5_000;

// Whoever waits says `close` when it leaves.
export interface Caller {
  // It has left already.
  readonly destroyed?: boolean;
  once(event: 'close', left: () => void): unknown;
  off(event: 'close', left: () => void): unknown;
}

type WaitedRoad = Pick<Road, 'ended' | 'listen'>;

// A caller that waits.
interface Wait {
  readonly controller: AbortController;
  // It gets back what has not left yet when the gateway stops, and an answer when the disk is full.
  readonly canWithdraw: boolean;
  // What ends the waiting, unless the delivery does.
  why: Exclude<Waited['kind'], 'ended'>;
}

function end(wait: Wait, why: Wait['why']): void {
  wait.why = why;
  wait.controller.abort();
}

export class WaitingCallers {
  readonly #road: WaitedRoad;
  readonly #clock: Clock;
  readonly #places: Shares;
  readonly #waits = new Set<Wait>();
  #isStopping = false;
  #isFull = false;
  #filling: Timer | null = null;

  constructor(road: WaitedRoad, clock: Clock, max: number) {
    this.#road = road;
    this.#clock = clock;
    this.#places = new Shares(max);
    road.listen((event) => {
      if (event.kind === 'store') this.#onStore(event.trouble === 'disk_full');
    }, 'trouble');
  }

  #onStore(isFull: boolean): void {
    if (isFull) this.#filling ??= this.#clock.schedule(this.#clock.now() + FULL_MS, this.#onFull);
    else {
      this.#filling?.cancel();
      this.#filling = null;
      this.#isFull = false;
    }
  }

  readonly #onFull = (): void => {
    this.#isFull = true;
    this.#end('full', ({ canWithdraw }) => canWithdraw);
  };

  // Takes a place among the waiting callers, to be left again. False: there is none for this one.
  enter(claimant: Claimant): boolean {
    return this.#places.take(claimant);
  }

  leave(claimant: Claimant): void {
    this.#places.give(claimant);
  }

  // From now on no call is accepted whose caller waits for the end: it could not go any more.
  get isStopping(): boolean {
    return this.#isStopping;
  }

  // `ms` null: as long as it takes.
  async until(
    seq: number,
    ms: number | null,
    caller: Caller,
    canWithdraw = false,
  ): Promise<Waited> {
    if (caller.destroyed === true) return { kind: 'left' };
    if (canWithdraw && this.#isFull) return { kind: 'full' };
    const wait: Wait = { controller: new AbortController(), canWithdraw, why: 'time' };
    const { signal } = wait.controller;
    const timer =
      ms === null ? null : this.#clock.schedule(this.#clock.now() + ms, () => end(wait, 'time'));
    const left = () => end(wait, 'left');
    caller.once('close', left);
    this.#waits.add(wait);
    try {
      return { kind: 'ended', ended: await this.#road.ended(seq, signal) };
    } catch (error) {
      if (signal.aborted) return { kind: wait.why };
      tolerateUnavailable(error);
      const ended = await endedLater(this.#road, this.#clock, seq, signal);
      return ended === null ? { kind: wait.why } : { kind: 'ended', ended };
    } finally {
      timer?.cancel();
      caller.off('close', left);
      this.#waits.delete(wait);
    }
  }

  // The gateway begins to stop: nothing more leaves, and who would get back what has not left gets it.
  beginStop(): void {
    this.#isStopping = true;
    this.#end('stopping', ({ canWithdraw }) => canWithdraw);
  }

  // What was in flight has ended.
  stop(): void {
    this.#isStopping = true;
    this.#end('stopping', () => true);
  }

  #end(why: Wait['why'], isMeant: (wait: Wait) => boolean): void {
    for (const wait of this.#waits) if (isMeant(wait)) end(wait, why);
  }
}

// Orphans: deliveries whose caller left before the answer (its client timed out, its line broke, our process was
// killed). A delivery does not end with its caller, so the same request again is not a second message: it gets the
// first one's result, whatever became of it meanwhile, unless it failed and is to be tried anew. Each is adopted once.
// Only orphans are adopted. A caller that had its answer and says the same again means it, and both are sent; where the
// process ended so soon after the answer that it may be lost, the second is marked as a possible repeat.

// How long after its delivery an orphan may still be claimed.
const CLAIM_MS = 60_000;
const ORPHANS_MAX = 10_000;
// After a start every caller of the process before is gone; those who come back do so within this time.
const RETURN_MS = 600_000;
// As many as can wait at once, and some who left.
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

// What makes two requests the same; null: not needed, because the Idempotency-Key says it.
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
  lost(print: string, account: AccountId, seq: number): void {
    const orphan: Orphan = { seq, isAnswered: false, claimUntil: null };
    this.#add(print, orphan);
    if (this.#size > ORPHANS_MAX + INHERITED_MAX) this.#dropOldest();
    this.#ports.road.caller(account, seq, false);
    this.#follow(print, orphan).catch(() => this.#drop(print, orphan));
  }

  // The orphan that such a request adopts; from now on it has a caller again.
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
