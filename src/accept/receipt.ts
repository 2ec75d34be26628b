// Handing one drafted delivery to the road, and the receipt its caller gets: accepted and where it stands, or why not.

import { type Problem, problem } from '../domain/errors.ts';
import { formatId } from '../domain/ids.ts';
import type { Ended, Road } from '../road/road.ts';
import type { Appended } from '../store/ports/delivery.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { unreachable } from '../system/assert.ts';
import type { Clock } from '../system/clock.ts';
import { type Claimant, Shares } from '../system/shares.ts';
import type { AcceptContext } from './context.ts';
import type { Drafted } from './draft.ts';
import { fullProblem } from './problems.ts';
import { showTimeOrNull } from './time.ts';
import type { Receipt } from './told.ts';

export type {
  FollowUp,
  NotPossible,
  ObserverReceipt,
  Pending,
  Receipt,
} from './told.ts';
export { NOT_POSSIBLE } from './told.ts';

export type Submitted =
  | { kind: 'accepted'; seq: number; receipt: Receipt }
  | { kind: 'refused'; problem: Problem };

export const refused = (refusal: Problem): { kind: 'refused'; problem: Problem } => ({
  kind: 'refused',
  problem: refusal,
});

type ReceiptPorts = Pick<AcceptContext, 'road' | 'ledger' | 'tag'>;

export function submitOne(options: ReceiptPorts, drafted: Drafted): Promise<Submitted> {
  if (drafted.kind === 'refused') return Promise.resolve(drafted);
  const { delivery } = drafted;
  const appended = options.road.submit(delivery);
  return appended.then((known) => receiptOf(options, known, delivery.correlation), unavailable);
}

function unavailable(error: unknown): Submitted {
  if (error instanceof JournalUnavailable) return refused(journalProblem(error));
  throw error;
}

export function journalProblem(error: JournalUnavailable): Problem {
  return problem(error.code, '');
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
  const first = await options.ledger.get(seq);
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

export type Waited = { kind: 'ended'; ended: Ended } | { kind: 'time' | 'left' | 'stopping' };

// Whoever waits says `close` when it leaves.
export interface Caller {
  // It has left already.
  readonly destroyed?: boolean;
  once(event: 'close', left: () => void): unknown;
  off(event: 'close', left: () => void): unknown;
}

export class WaitingCallers {
  readonly #road: Pick<Road, 'ended'>;
  readonly #clock: Clock;
  readonly #places: Shares;
  readonly #stops = new Set<() => void>();
  // Of those who can take back what has not left yet.
  readonly #withdrawals = new Set<() => void>();
  #isStopping = false;

  constructor(road: Pick<Road, 'ended'>, clock: Clock, max: number) {
    this.#road = road;
    this.#clock = clock;
    this.#places = new Shares(max);
  }

  // A place to wait in, to be left again. False: there is none for this one.
  enter(claimant: Claimant): boolean {
    return this.#places.take(claimant);
  }

  leave(claimant: Claimant): void {
    this.#places.give(claimant);
  }

  // From now on no call is accepted that holds the line until the end: it could not go any more.
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
    const controller = new AbortController();
    let why: 'time' | 'left' | 'stopping' = 'time';
    const end = (reason: typeof why) => {
      why = reason;
      controller.abort();
    };
    const timer =
      ms === null ? null : this.#clock.schedule(this.#clock.now() + ms, () => end('time'));
    const left = () => end('left');
    const stop = () => end('stopping');
    caller.once('close', left);
    this.#stops.add(stop);
    if (canWithdraw) this.#withdrawals.add(stop);
    try {
      return { kind: 'ended', ended: await this.#road.ended(seq, controller.signal) };
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return { kind: why };
    } finally {
      timer?.cancel();
      caller.off('close', left);
      this.#stops.delete(stop);
      this.#withdrawals.delete(stop);
    }
  }

  // The gateway begins to stop: nothing more leaves.
  beginStop(): void {
    this.#isStopping = true;
    for (const stop of this.#withdrawals) stop();
  }

  // What was in flight has ended.
  stop(): void {
    this.#isStopping = true;
    for (const stop of this.#stops) stop();
  }
}
