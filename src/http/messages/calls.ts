// What can be asked of one message and done to it, as values: the routes answer with them, and so does the library.

import { gone, moveProblem, readId } from '../../accept/problems.ts';
import { showTime, showTimeOrNull } from '../../accept/time.ts';
import type { State } from '../../domain/delivery.ts';
import type { Problem } from '../../domain/errors.ts';
import type { HttpParts } from '../context.ts';
import { pastInWords, pastOf } from './past.ts';
import { showFully } from './view.ts';

type MessagePorts = Pick<HttpParts, 'tag' | 'ledger' | 'road' | 'clock'>;

/**
 * All that is known of a message: its state, attempts, history, and where it stands while it
 * waits.
 */
export type MessageStory = ReturnType<typeof showFully> & {
  readonly position: number | null;
  readonly eta: string | null;
};

/** Why a message has not gone out; of one that no longer waits, what it has waited for. */
export interface MessageExplanation {
  readonly id: string;
  readonly correlation: string;
  readonly state: State;
  readonly position: number | null;
  readonly eta: string | null;
  readonly summary: string;
  readonly cause: string | null;
  readonly waitsFor: string | null;
  readonly causes: readonly {
    readonly kind: string;
    readonly name: string;
    readonly scope?: string;
    readonly until: string | null;
    readonly detail: string;
  }[];
  readonly past?: readonly {
    readonly kind: string;
    readonly from: string;
    readonly ms: number;
    readonly detail: string;
  }[];
}

/** A message that was moved by hand. */
export interface MovedMessage {
  readonly id: string;
  readonly state: State;
}

export async function findMessage(
  { tag, ledger, road }: MessagePorts,
  id: string,
): Promise<MessageStory | Problem> {
  const seq = readId(tag, id);
  if (typeof seq !== 'number') return seq;
  const [delivery, attempts, history] = await Promise.all([
    ledger.get(seq),
    ledger.attempts(seq),
    ledger.history(seq),
  ]);
  if (delivery === null) return gone();
  const place = road.place(seq);
  return {
    ...showFully(tag, delivery, { attempts, history }),
    position: place?.position ?? null,
    eta: showTimeOrNull(place?.eta ?? null),
  };
}

export async function cancelMessage(
  { tag, ledger, road, clock }: MessagePorts,
  id: string,
  by: string,
): Promise<MovedMessage | Problem> {
  const seq = readId(tag, id);
  if (typeof seq !== 'number') return seq;
  const delivery = await ledger.get(seq);
  if (delivery === null) return gone();
  const moved = await road.move({
    account: delivery.account,
    seq,
    to: 'cancelled',
    at: clock.now(),
    reason: 'cancelled',
    by,
    body: null,
    queueMax: 0,
  });
  return moveProblem(moved) ?? { id, state: 'cancelled' };
}

export async function explainMessage(
  { tag, ledger, road }: MessagePorts,
  asked: string,
): Promise<MessageExplanation | Problem> {
  const seq = readId(tag, asked);
  if (typeof seq !== 'number') return seq;
  const known = await ledger.get(seq);
  if (known === null) return gone();
  const { id, correlation } = known;
  const waits = road.explain(seq);
  if (waits !== null) {
    const causes = waits.causes.map((cause) => ({ ...cause, until: showTimeOrNull(cause.until) }));
    return { ...waits, id, correlation, eta: showTimeOrNull(waits.eta), causes };
  }
  // It may have ended since it was read.
  const delivery = (await ledger.get(seq)) ?? known;
  const { state } = delivery;
  const [attempts, history] = await Promise.all([ledger.attempts(seq), ledger.history(seq)]);
  const past = pastOf(delivery, attempts, history);
  const summary = pastInWords(delivery, past);
  const shown = past.map(({ kind, from, to, detail }) => {
    return { kind, from: showTime(from), ms: Math.round(to - from), detail };
  });
  const ended = { position: null, eta: null, summary, cause: delivery.reason, waitsFor: null };
  return { id, correlation, state, ...ended, causes: [], past: shown };
}
