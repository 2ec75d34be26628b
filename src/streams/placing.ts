// Puts one step of a plan on the road, and keeps the stream's parts in line with what the road took.
// The hard promise is that no part ever gets two messages. A send is known by its number, so the next process finds the
// one a crash left unrecorded; and a final takes the place of a waiting send only where that surely has not begun.

import type { AskedRoad } from '../road/road.ts';
import type { Appended } from '../store/ports/delivery.ts';
import { TakenOver } from '../store/ports/unavailable.ts';
import type { Clock } from '../system/clock.ts';
import { type CallPorts, deliveryOf, hasEdits, keyOf, liveOf, slotOf, stepCall } from './calls.ts';
import type { PlanStep } from './plan.ts';
import type { RenderedMessage } from './render/content.ts';
import type { Stream } from './stream-state.ts';

export interface PlacingPorts extends CallPorts {
  readonly road: AskedRoad;
  readonly clock: Clock;
  // Takes a slot for the next message; when it goes.
  slotFor(stream: Stream, isFinal: boolean): number;
}

export type PlacedStep =
  | { kind: 'placed'; seq: number; isSend: boolean }
  // A final of its slot waits already.
  | { kind: 'late' }
  | { kind: 'full'; queueMax: number };

export async function place(
  ports: PlacingPorts,
  stream: Stream,
  step: PlanStep,
  messages: readonly RenderedMessage[],
  isFinal: boolean,
): Promise<PlacedStep> {
  // In one turn of the loop with the submission: what waits now is replaced before it can begin.
  const isReplacing = isFinal && step.kind === 'edit' && sendWaits(ports, stream, step.part);
  const asked: PlanStep = isReplacing ? { kind: 'send', part: step.part } : step;
  const isNew = step.kind === 'send';
  const call = stepCall(liveOf(ports, stream.asked.platform), stream, asked, messages);
  const now = ports.clock.now();
  const slotAt = ports.slotFor(stream, isFinal);
  const sendOptions = { slot: slotOf(stream, asked), final: isFinal, slotAt, now };
  const key = isNew ? keyOf(stream) : null;
  const appended = await ports.road.submit(
    deliveryOf(ports, stream, call, { ...sendOptions, key }),
  );
  const digest = messages[step.part]?.digest ?? null;
  const found = take(stream, asked, isNew, digest, appended);
  if (found !== null) return found;
  const live = liveOf(ports, stream.asked.platform);
  // A message of this number exists, and shows something else.
  if (!hasEdits(live)) return { kind: 'placed', seq: stream.parts[step.part]!.seq, isSend: true };
  return place(ports, stream, changeOf(stream, step.part), messages, isFinal);
}

// Where nothing can be edited, what is shown stays; what still waits can be replaced.
export function isPossible(
  ports: PlacingPorts,
  stream: Stream,
  step: PlanStep,
  isFinal: boolean,
): boolean {
  if (step.kind === 'send' || hasEdits(liveOf(ports, stream.asked.platform))) return true;
  return isFinal && step.kind === 'edit' && sendWaits(ports, stream, step.part);
}

function sendWaits({ road }: PlacingPorts, { frame }: Stream, part: number): boolean {
  return frame?.kind === 'call' && frame.isSend && frame.part === part && road.isWaiting(frame.seq);
}

// null: the message is there already, and must be changed instead.
function take(
  stream: Stream,
  step: PlanStep,
  isNew: boolean,
  digest: string | null,
  appended: Appended,
): PlacedStep | null {
  const isSend = step.kind === 'send';
  switch (appended.kind) {
    case 'accepted': {
      const { seq } = appended.queued;
      if (isSend) adopt(stream, step.part, seq, digest, isNew);
      else if (step.kind === 'remove') stream.parts.length = step.part;
      else stream.parts[step.part] = { ...stream.parts[step.part]!, digest };
      return { kind: 'placed', seq, isSend };
    }
    case 'repeated':
      adopt(stream, step.part, appended.seq, digest, isNew);
      return { kind: 'placed', seq: appended.seq, isSend };
    case 'conflict':
      adopt(stream, step.part, appended.seq, null, isNew);
      return null;
    case 'superseded':
      return { kind: 'late' };
    case 'full':
      return { kind: 'full', queueMax: appended.queueMax };
    // To be tried again, as when the store cannot be written: whoever has the account then goes on from its record.
    case 'not_owner':
      throw new TakenOver();
  }
}

function adopt(
  stream: Stream,
  part: number,
  seq: number,
  digest: string | null,
  isNew: boolean,
): void {
  if (isNew) stream.made += 1;
  stream.parts[part] = { seq, messageId: null, digest, isLost: false };
}

function changeOf({ parts }: Stream, part: number): PlanStep {
  return { kind: 'edit', part, seq: parts[part]!.seq };
}
