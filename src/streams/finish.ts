// The end of a stream: its final is written down, put on the road as ordinary deliveries, and followed to its end.
// Nothing of it may be lost. What the queue does not take leaves the stream open; a message that can no longer be
// changed is sent once as a new one; and a process that ends halfway is followed by one that does the same again.

import type { Ended } from '../road/road.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { sleep } from '../system/clock.ts';
import { liveOf } from './calls.ts';
import { endOf, isOver } from './end-of.ts';
import { isPossible, type PlacingPorts, place } from './placing.ts';
import { plan } from './plan.ts';
import { messagesOf } from './render/content.ts';
import { digestsOf } from './showing.ts';
import type { Final, Stream } from './stream-state.ts';
import type { StreamChange } from './streams.ts';
import type { StreamWriter } from './writer.ts';

// A draft that is under way should not come after the message; longer than this it is not waited for.
const DRAFT_MS_MAX = 1000;
const AGAIN_MS = 1000;

export interface FinalPorts extends PlacingPorts {
  readonly writer: StreamWriter;
  isStopped(): boolean;
}

export type Finished = { kind: 'finished' } | { kind: 'full'; queueMax: number };

// Resolves when every delivery of the final is durable. Otherwise the stream is open with the text it had, as if it had
// never been asked: whoever asked may ask again.
export async function finish(
  ports: FinalPorts,
  stream: Stream,
  change: StreamChange | null,
  reason: string | null,
): Promise<Finished> {
  const before = stream.text;
  if (change !== null) stream.apply({ change, isLazy: false });
  stream.state = 'finishing';
  stream.reason = reason;
  try {
    await ports.writer.save(stream);
  } catch (error) {
    stream.state = 'open';
    stream.reason = null;
    throw error;
  }
  try {
    const finished = await placeAll(ports, stream);
    if (finished.kind === 'full') reopen(ports, stream, before);
    return finished;
  } catch (error) {
    reopen(ports, stream, before);
    throw error;
  }
}

function reopen({ writer }: FinalPorts, stream: Stream, text: string): void {
  if (stream.isLeft) return;
  stream.state = 'open';
  stream.reason = null;
  stream.finals = [];
  stream.text = text;
  stream.durable = text;
  void writer.save(stream).catch(ignoreStore);
}

// Also for a stream whose process ended after it said that it was finishing.
export async function placeAll(ports: FinalPorts, stream: Stream): Promise<Finished> {
  await underWay(ports, stream);
  const live = liveOf(ports, stream.asked.platform);
  const messages = messagesOf(stream, live, true);
  const { frame } = stream;
  // A preview that has not come to its end may still fail, and has less right of way than a final.
  if (frame?.kind === 'call' && stream.parts[frame.part] !== undefined) {
    stream.parts[frame.part] = { ...stream.parts[frame.part]!, digest: null };
  }
  const finals: Final[] = [];
  for (const step of plan(stream.parts, digestsOf(messages), true)) {
    if (!isPossible(ports, stream, step, true)) continue;
    const placed = await place(ports, stream, step, messages, true);
    if (placed.kind === 'full') return placed;
    if (placed.kind === 'placed') finals.push({ seq: placed.seq, part: step.part });
  }
  stream.finals = finals;
  // It is on disk with its deliveries; the record only saves the next process some work.
  await ports.writer.save(stream).catch(ignoreStore);
  return { kind: 'finished' };
}

// A showing whose number is not known yet, or a draft that is on its way.
async function underWay({ clock }: FinalPorts, stream: Stream): Promise<void> {
  await stream.submitting;
  const { frame } = stream;
  if (frame?.kind === 'draft') await Promise.race([frame.done, sleep(clock, DRAFT_MS_MAX)]);
}

// Resolves when the final has come to its end, for good or ill, and that is durable.
export async function follow(ports: FinalPorts, stream: Stream): Promise<void> {
  const ends: Ended[] = [];
  // The list grows when a final is sent anew.
  for (const { seq, part } of stream.finals) {
    const ended = await endOf(ports, seq, () => isOver(ports, stream));
    if (ended === null) return;
    const isAnew = ended.state !== 'sent' && (await sendAnew(ports, stream, part, ended));
    if (!isAnew) ends.push(ended);
  }
  for (const { state, seq, messageId } of ends) {
    if (state === 'sent') noteId(stream, seq, messageId);
  }
  const failed = ends.find(({ state }) => state !== 'sent');
  stream.state = failed === undefined ? 'done' : 'failed';
  if (failed !== undefined) stream.reason = failed.reason ?? failed.state;
  else stream.shownUnits = stream.text.length;
  stream.endedAt = ports.clock.now();
  await saveEnd(ports, stream);
}

function noteId(stream: Stream, seq: number, messageId: string | null): void {
  const part = stream.parts.findIndex((known) => known.seq === seq);
  const known = stream.parts[part];
  if (known !== undefined && known.messageId === null) stream.parts[part] = { ...known, messageId };
}

// The message to change is gone: its text is sent once as a new one. False: that would not help, or was done.
async function sendAnew(
  ports: FinalPorts,
  stream: Stream,
  part: number,
  ended: Ended,
): Promise<boolean> {
  const live = liveOf(ports, stream.asked.platform);
  const messages = messagesOf(stream, live, true);
  const isUseless = messages[part] === undefined || stream.resent.includes(part);
  if (isUseless || !live.isGone(ended.reason ?? '')) return false;
  // A queue that is full, or a store that cannot be written, is so for a while.
  for (; !isOver(ports, stream); await sleep(ports.clock, AGAIN_MS)) {
    try {
      const placed = await place(ports, stream, { kind: 'send', part }, messages, true);
      if (placed.kind !== 'placed') continue;
      stream.resent.push(part);
      stream.finals.push({ seq: placed.seq, part });
      await ports.writer.save(stream).catch(ignoreStore);
      return true;
    } catch (error) {
      ignoreStore(error);
    }
  }
  return false;
}

async function saveEnd(ports: FinalPorts, stream: Stream): Promise<void> {
  for (; !isOver(ports, stream); await sleep(ports.clock, AGAIN_MS)) {
    try {
      return await ports.writer.save(stream);
    } catch (error) {
      ignoreStore(error);
    }
  }
}

// What waits to be shown is not shown any more.
export async function withdraw(
  { road, clock }: Pick<FinalPorts, 'road' | 'clock'>,
  stream: Stream,
): Promise<void> {
  await stream.submitting;
  const { frame } = stream;
  if (frame?.kind !== 'call') return;
  const rest = { reason: 'stream_cancelled', by: 'sluice', body: null, queueMax: 0 };
  const { account } = stream.asked;
  const move = { account, seq: frame.seq, to: 'cancelled', at: clock.now(), ...rest } as const;
  await road.move(move).catch(ignoreStore);
}

export function ignoreStore(error: unknown): void {
  if (!(error instanceof JournalUnavailable)) throw error;
}
