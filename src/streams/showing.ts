// Shows a stream once: the first call of what it takes to bring its messages up to its text, or a draft of it.
// A preview is worth one try: what did not go is made up for by the next, with a newer text.

import { hash } from 'node:crypto';
import type { LiveOutput } from '../platforms/platform.ts';
import type { CosmeticAnswer, Ended } from '../road/road.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { cosmeticOf, liveOf } from './calls.ts';
import { endOf, isOver } from './end-of.ts';
import { isPossible, type PlacingPorts, place } from './placing.ts';
import { type PlanStep, plan } from './plan.ts';
import { finishedTo } from './render/chunks.ts';
import { messagesOf, type RenderedMessage } from './render/content.ts';
import type { Stream } from './stream-state.ts';
import type { StreamWriter } from './writer.ts';

// So many refusals in a row, and a stream is shown no more before its final.
const FAULTS_MAX = 3;
const DRAFT_ID_MAX = 2 ** 31 - 1;

export interface ShowingPorts extends PlacingPorts {
  readonly writer: StreamWriter;
  isStopped(): boolean;
  // A text that waited since then is on the screen.
  shown(stream: Stream, staleSince: number): void;
  // The chat offers no drafts.
  lacksDrafts(stream: Stream): void;
}

// `nothing`: all of it is shown already. `waits`: it could not be shown now, and still wants to be.
export type ShowResult = 'shown' | 'nothing' | 'waits';

export async function show(ports: ShowingPorts, stream: Stream): Promise<ShowResult> {
  if (!(await isKept(ports, stream)) || stream.state !== 'open') return 'waits';
  if (stream.isMuted) return 'nothing';
  const live = liveOf(ports, stream.asked.platform);
  if (stream.transport === 'chunks') cut(stream);
  const messages = messagesOf(stream, live, false);
  const lasting = lastingOf(stream, messages);
  const steps = plan(stream.parts, digestsOf(lasting), false);
  const [step, ...further] = steps.filter((each) => isPossible(ports, stream, each, false));
  if (step !== undefined) {
    const shown = await showMessage(ports, stream, step, messages);
    const isMore = further.length > 0 || stream.transport === 'draft';
    if (isMore) stream.staleSince ??= ports.clock.now();
    return shown;
  }
  if (stream.transport === 'draft') return showDraft(ports, stream, live, messages);
  return 'nothing';
}

// What a draft shows becomes a message only with the final, or when the next begins.
function lastingOf({ transport, parts }: Stream, messages: readonly RenderedMessage[]) {
  if (transport !== 'draft' || parts.length >= messages.length) return messages;
  return messages.slice(0, -1);
}

export function digestsOf(messages: readonly RenderedMessage[]): string[] {
  return messages.map(({ digest }) => digest);
}

async function isKept({ writer }: ShowingPorts, stream: Stream): Promise<boolean> {
  try {
    await writer.saveText(stream);
    return true;
  } catch (error) {
    if (!(error instanceof JournalUnavailable)) throw error;
    return false;
  }
}

function cut(stream: Stream): void {
  const from = stream.cuts.at(-1) ?? 0;
  const to = finishedTo(stream.durable, from);
  if (to > from) stream.cuts.push(to);
}

async function showMessage(
  ports: ShowingPorts,
  stream: Stream,
  step: PlanStep,
  messages: readonly RenderedMessage[],
): Promise<ShowResult> {
  const { staleSince } = stream;
  const units = stream.durable.length;
  stream.staleSince = null;
  const submitting = submit(ports, stream, step, messages);
  stream.submitting = submitting;
  const seq = await submitting;
  stream.submitting = null;
  if (seq === null) {
    stream.staleSince = staleSince ?? ports.clock.now();
    return 'waits';
  }
  // Best effort: what a crash loses of it is found again by the message's number.
  void ports.writer.save(stream).catch(() => {});
  const ended = await endOf(ports, seq, () => isOver(ports, stream));
  stream.frame = null;
  const isShown = ended !== null && learn(ports, stream, step, ended);
  if (!isShown) {
    stream.staleSince ??= staleSince ?? ports.clock.now();
    return 'waits';
  }
  stream.shownUnits = Math.min(units, stream.text.length);
  ports.shown(stream, staleSince ?? stream.changedAt);
  return 'shown';
}

// The delivery's number; null: it was not taken.
async function submit(
  ports: ShowingPorts,
  stream: Stream,
  step: PlanStep,
  messages: readonly RenderedMessage[],
): Promise<number | null> {
  try {
    const placed = await place(ports, stream, step, messages, false);
    if (placed.kind !== 'placed') return null;
    stream.frame = { kind: 'call', seq: placed.seq, part: step.part, isSend: placed.isSend };
    return placed.seq;
  } catch (error) {
    if (!(error instanceof JournalUnavailable)) throw error;
    return null;
  }
}

// What the end of a call says about the message it made or changed. True: it is on the screen.
function learn(ports: ShowingPorts, stream: Stream, step: PlanStep, ended: Ended): boolean {
  const part = stream.parts[step.part];
  if (ended.state === 'sent') {
    stream.faults = 0;
    if (part !== undefined && step.kind === 'send') {
      stream.parts[step.part] = { ...part, messageId: ended.messageId };
    }
    return true;
  }
  if (part !== undefined) stream.parts[step.part] = { ...part, digest: null };
  if (stream.state !== 'open') return false;
  const live = liveOf(ports, stream.asked.platform);
  const isGone = step.kind !== 'send' && live.isGone(ended.reason ?? '');
  if (step.kind === 'send' || isGone) {
    if (part !== undefined) stream.parts[step.part] = { ...part, digest: null, isLost: true };
  }
  stream.faults += 1;
  if (step.kind === 'send' || stream.faults >= FAULTS_MAX) stream.isMuted = true;
  return false;
}

async function showDraft(
  ports: ShowingPorts,
  stream: Stream,
  live: LiveOutput,
  messages: readonly RenderedMessage[],
): Promise<ShowResult> {
  const message = messages.at(stream.parts.length);
  if (message === undefined || message.digest === stream.draftDigest) return 'nothing';
  const { staleSince } = stream;
  const units = stream.durable.length;
  stream.staleSince = null;
  const call = live.draft!(message.content, message.place, draftIdOf(stream));
  const done = ports.road.cosmetic(cosmeticOf(ports, stream, call));
  stream.frame = { kind: 'draft', done };
  const answer = await done;
  stream.frame = null;
  if (answer.end === 'sent') {
    stream.faults = 0;
    stream.draftDigest = message.digest;
    stream.draftedAt = ports.clock.now();
    stream.shownUnits = Math.min(units, stream.text.length);
    ports.shown(stream, staleSince ?? stream.changedAt);
    return 'shown';
  }
  stream.staleSince ??= staleSince ?? ports.clock.now();
  if (answer.end === 'refused') refused(ports, stream, live, answer);
  return 'waits';
}

// Another way is taken where the chat offers no drafts, and only there: never because it must wait.
function refused(
  ports: ShowingPorts,
  stream: Stream,
  live: LiveOutput,
  { result }: CosmeticAnswer,
): void {
  if (live.lacksDrafts(result ?? '')) ports.lacksDrafts(stream);
  else {
    stream.faults += 1;
    if (stream.faults >= FAULTS_MAX) stream.isMuted = true;
  }
}

// A sign that more is coming, where nothing can be shown before it is finished.
export async function showTyping(ports: ShowingPorts, stream: Stream): Promise<void> {
  const live = liveOf(ports, stream.asked.platform);
  if (live.typing === undefined || stream.isMuted) return;
  const { chat, thread, params } = stream.asked;
  const place = { chat, thread, params, isFirst: false, isLast: false };
  const sign = live.typing(place);
  if (sign !== null) await ports.road.cosmetic(cosmeticOf(ports, stream, sign));
}

// The same for all drafts of a stream, in any process; never 0.
function draftIdOf({ id }: Stream): number {
  return 1 + (Number.parseInt(hash('sha1', id, 'hex').slice(0, 8), 16) % DRAFT_ID_MAX);
}
