// Handing one drafted delivery to the road, and the receipt its caller gets: accepted and where it stands, or why not.

import { type Problem, problem } from '../domain/errors.ts';
import { formatId } from '../domain/ids.ts';
import type { Appended } from '../store/ports/delivery.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { unreachable } from '../system/assert.ts';
import type { AcceptContext } from './context.ts';
import type { Drafted } from './draft.ts';
import { fullProblem } from './problems.ts';
import { showTimeOrNull } from './time.ts';

export interface Receipt {
  readonly id: string;
  readonly state: string;
  readonly position: number | null;
  readonly eta: string | null;
  readonly repeated?: true;
  readonly supersededBy?: string;
  // When the caller waited for the end: why, the platform's message id, and its answer.
  readonly reason?: string | null;
  readonly detail?: string | null;
  readonly messageId?: string | null;
  readonly result?: unknown;
  // Fan-out: what became of each observer's copy, in order.
  readonly observers?: readonly (Receipt | Problem | Pending)[];
}

// An observer whose platform has not yet said whether it knows the account.
export interface Pending {
  readonly state: 'pending';
  readonly detail: string;
}

export type Submitted =
  | { kind: 'accepted'; seq: number; receipt: Receipt }
  | { kind: 'refused'; problem: Problem };

export const refused = (refusal: Problem): { kind: 'refused'; problem: Problem } => ({
  kind: 'refused',
  problem: refusal,
});

export function submitOne(options: AcceptContext, drafted: Drafted): Promise<Submitted> {
  if (drafted.kind === 'refused') return Promise.resolve(drafted);
  const appended = options.road.submit(drafted.delivery);
  return appended.then((known) => receiptOf(options, known), unavailable);
}

function unavailable(error: unknown): Submitted {
  if (error instanceof JournalUnavailable) return refused(journalProblem(error));
  throw error;
}

export function journalProblem(error: JournalUnavailable): Problem {
  return problem(error.code, '');
}

function receiptOf(options: AcceptContext, appended: Appended): Submitted {
  const { tag } = options;
  switch (appended.kind) {
    case 'accepted':
      return accepted(options, appended.queued.seq, 'queued');
    case 'repeated': {
      const { seq, state } = appended;
      const again = accepted(options, seq, state);
      return { ...again, receipt: { ...again.receipt, repeated: true } };
    }
    case 'superseded': {
      const late = accepted(options, appended.seq, 'superseded');
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

export function accepted(options: AcceptContext, seq: number, state: string) {
  const place = options.road.place(seq);
  const receipt: Receipt = {
    id: formatId(options.tag, seq),
    state,
    position: place?.position ?? null,
    eta: place === null ? null : showTimeOrNull(place.eta),
  };
  return { kind: 'accepted' as const, seq, receipt };
}
