// Other messages that a call is about: those it mentions, and the one it changes.

import { hash } from 'node:crypto';
import { type Delivery, type Queued, THREAD_LANE } from '../../domain/delivery.ts';
import { type AccountId, provisionalId } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { AccountLimits, Charge } from '../../limits/limits.ts';
import type { Platform, References } from '../../platforms/platform.ts';
import type { QueuePosition, SentMessage } from '../../road/road.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import type { Clock } from '../../system/clock.ts';

// A call may mention a message that was not sent yet when the call was made. Before it goes, the real id is put in;
// if the other still waits, so does this one; if the other never will be sent, this one is refused.

// Between two looks at a message that is not sent yet; its own expected time says when.
const LOOK_MS_MIN = 250;
const LOOK_MS_MAX = 60_000;
// How far a chain of replacements is followed.
const REPLACED_MAX = 100;

const REFERENCE_LOST = 'reference_lost';
// The name of this change in the attempt's record: provisional ids were replaced by real ones.
export const NAMED = 'named';

export type ResolvedReferences =
  | { kind: 'ready'; body: string }
  | { kind: 'wait'; until: number }
  | { kind: 'lost'; outcome: Outcome };

export interface Records {
  get(seq: number): Promise<Delivery | null>;
}

export interface QueuePositions {
  place(seq: number, now: number): QueuePosition | null;
}

// Null: the call mentions no such message (almost always).
export function resolve(
  platform: Platform,
  ports: { records: Records; positions: QueuePositions; now: () => number },
  queued: Queued,
  body: string,
): Promise<ResolvedReferences> | null {
  const { references } = platform;
  if (references === undefined) return null;
  const seqs = references.mentions(body);
  return seqs.length === 0 ? null : resolveAll(references, ports, queued, body, seqs);
}

async function resolveAll(
  references: References,
  ports: { records: Records; positions: QueuePositions; now: () => number },
  queued: Queued,
  body: string,
  seqs: readonly number[],
): Promise<ResolvedReferences> {
  const ids = new Map<number, string>();
  for (const seq of seqs) {
    const record = await known(ports.records, seq);
    if (record === 'unavailable') return { kind: 'wait', until: ports.now() + LOOK_MS_MIN };
    // A message of another account must not be reached, and a later one can only have been guessed.
    if (record === null || record.account !== queued.account) return lost(seq);
    if (seq >= queued.seq && !isBefore(record, queued)) return lost(seq);
    if (record.state === 'queued' || record.state === 'sending') {
      return { kind: 'wait', until: lookAt(ports.positions, record.seq, ports.now()) };
    }
    if (record.state !== 'sent' || record.messageId === null) return lost(seq);
    ids.set(seq, record.messageId);
  }
  return { kind: 'ready', body: references.named(body, ids) };
}

// A spill draws its numbers ahead, so numbers are not always in the order of acceptance; ranks are.
function isBefore(record: Delivery, queued: Queued): boolean {
  return record.seq !== queued.seq && record.rank < queued.rank;
}

// 'unavailable': the store cannot be read now.
async function known(records: Records, seq: number): Promise<Delivery | 'unavailable' | null> {
  try {
    return await latest(records, seq);
  } catch (error) {
    if (error instanceof JournalUnavailable) return 'unavailable';
    throw error;
  }
}

async function latest(records: Records, seq: number): Promise<Delivery | null> {
  let record = await records.get(seq);
  for (let i = 0; i < REPLACED_MAX && record?.state === 'superseded'; i++) {
    record = record.supersededBy === null ? null : await records.get(record.supersededBy);
  }
  return record;
}

function lookAt(positions: QueuePositions, seq: number, now: number): number {
  const eta = positions.place(seq, now)?.eta ?? now;
  return Math.min(Math.max(eta, now + LOOK_MS_MIN), now + LOOK_MS_MAX);
}

function lost(seq: number): ResolvedReferences {
  const detail = `the message ${-seq} it mentions was never sent, so it has no id`;
  const description = `Bad Request: message ${-seq} was not sent`;
  const result = JSON.stringify({ ok: false, error_code: 400, description });
  // A reply can still be sent without its target; an edit cannot.
  const cure = { kind: 'drop_reply' } as const;
  return {
    kind: 'lost',
    outcome: { kind: 'refused', reason: REFERENCE_LOST, detail, result, cure },
  };
}

// What the messages show, as far as we know it from our own calls: an edit that would leave a message as it is
// needs no call, and "message is not modified" is answered with the message.
// The hard thing is doubt. A call under way, a lost answer, two calls on one message at a time: then nothing is
// known until the next call is surely done. What we know is forgotten in time, for others may hold the token too; and
// at once when the account goes to another process, which may change the message before it comes back.

const MESSAGES_MAX = 10_000;
const FORGOTTEN_TOGETHER = 1_000;
const KNOWN_MS_MAX = 10 * 60_000;
// A longer answer is not kept; the caller of an unchanged edit then makes the call.
const RESULT_CHARS_MAX = 16_384;

type Sent = Extract<Outcome, { kind: 'sent' }>;
type TargetedCall = Pick<Queued, 'account' | 'chat' | 'method' | 'family'>;

export interface Known {
  // The delivery that left it so.
  readonly seq: number;
  // What it shows, as a digest; of a send the call itself, read when an edit first asks.
  readonly content: Content;
  readonly sent: Sent;
  readonly at: number;
  readonly generation: number;
}

type Content = { kind: 'digest'; digest: string } | { kind: 'call'; method: string; body: string };

// A call that is about to leave, and the messages it touches.
export interface Departure {
  readonly keys: readonly string[];
  readonly content: Content | null;
  readonly before: Known | null;
  readonly generation: number;
}

export class ContentCache {
  readonly #clock: Clock;
  // In order of use: the first is forgotten first.
  readonly #known = new Map<string, Known>();
  // Calls under way, by message; `alone`: no two of them at a time.
  readonly #calls = new Map<string, { count: number; alone: boolean }>();
  // Of the accounts that are open; what is known of a message holds for one generation of its account.
  readonly #generations = new Map<AccountId, number>();
  #generationsBegun = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  // The account is closed: whoever has it next may change what its messages show.
  forget(account: AccountId): void {
    this.#generations.delete(account);
  }

  // The answer to a call that would leave its message as it is; null: it must be made.
  same(platform: Platform, call: TargetedCall, body: string): Known | null {
    if (call.family !== 'edit') return null;
    const touch = platform.content?.touch(call.method, body) ?? null;
    if (touch === null || touch.content === null || touch.messages.length !== 1) return null;
    const known = this.#get(call, touch.messages[0]!);
    if (known === null) return null;
    return digestOfKnown(platform, known.content) === digestOf(touch.content) ? known : null;
  }

  // When the message that the call changes was last made or changed by us; null: that is not known.
  changedAt(platform: Platform, call: TargetedCall, body: string): number | null {
    const messages = platform.content?.touch(call.method, body)?.messages ?? [];
    if (messages.length !== 1) return null;
    return this.#get(call, messages[0]!)?.at ?? null;
  }

  depart(platform: Platform, call: TargetedCall, body: string): Departure | null {
    const generation = this.#generationOf(call.account);
    // Most messages are never edited: theirs is not read.
    if (call.family === 'send') {
      if (body.length > RESULT_CHARS_MAX) return null;
      const content = { kind: 'call', method: call.method, body } as const;
      return { keys: [], before: null, content, generation };
    }
    const touch = platform.content?.touch(call.method, body) ?? null;
    if (touch === null) return null;
    const keys = touch.messages.map((message) => keyOf(call, message));
    const before = keys.length === 1 ? this.#get(call, touch.messages[0]!) : null;
    for (const key of keys) {
      this.#known.delete(key);
      const flight = this.#calls.get(key);
      if (flight === undefined) this.#calls.set(key, { count: 1, alone: true });
      else this.#calls.set(key, { count: flight.count + 1, alone: false });
    }
    const { content } = touch;
    const digest = content === null ? null : digestOf(content);
    const changed: Content | null = digest === null ? null : { kind: 'digest', digest };
    return { keys, before, content: changed, generation };
  }

  // Returns the outcome for the caller: where the platform only says "not modified", with the message known before.
  arrive(departure: Departure, queued: Queued, outcome: Outcome): Outcome {
    const { keys, before, content } = departure;
    let alone = true;
    for (const key of keys) alone = this.#finish(key) && alone;
    if (outcome.kind !== 'sent') return outcome;
    // Only of an edit: the answer to a deletion stays as it is.
    const isBare = outcome.messageId === null && content !== null && keys.length === 1;
    const sent = isBare && before !== null ? before.sent : outcome;
    if (alone) this.#remember(departure, queued, sent);
    return sent;
  }

  #remember({ keys, content, generation }: Departure, queued: Queued, sent: Sent): void {
    const key = keys[0] ?? (sent.messageId === null ? null : keyOf(queued, sent.messageId));
    if (key === null || content === null || keys.length > 1) return;
    if (sent.result.length > RESULT_CHARS_MAX) return;
    this.#known.delete(key);
    this.#known.set(key, { seq: queued.seq, content, sent, at: this.#clock.now(), generation });
    if (this.#known.size > MESSAGES_MAX) this.#forgetOldest();
  }

  // Many at a time: a map walks over what was deleted from its front, so one at a time costs more and more.
  #forgetOldest(): void {
    let left = FORGOTTEN_TOGETHER;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      left -= 1;
      if (left === 0) return;
    }
  }

  // Whether the call was alone on its message.
  #finish(key: string): boolean {
    const flight = this.#calls.get(key);
    if (flight === undefined) return false;
    flight.count -= 1;
    if (flight.count === 0) this.#calls.delete(key);
    return flight.alone;
  }

  #get(call: TargetedCall, message: string): Known | null {
    const key = keyOf(call, message);
    const known = this.#known.get(key);
    if (known === undefined) return null;
    const isCurrent = known.generation === this.#generations.get(call.account);
    if (isCurrent && this.#clock.now() - known.at <= KNOWN_MS_MAX) return known;
    this.#known.delete(key);
    return null;
  }

  #generationOf(account: AccountId): number {
    const known = this.#generations.get(account);
    if (known !== undefined) return known;
    this.#generationsBegun += 1;
    this.#generations.set(account, this.#generationsBegun);
    return this.#generationsBegun;
  }
}

function keyOf({ account, chat }: Pick<TargetedCall, 'account' | 'chat'>, message: string): string {
  return `${account}|${chat}|${message}`;
}

// null: nothing that an edit could leave as it is.
function digestOfKnown(platform: Platform, content: Content): string | null {
  if (content.kind === 'digest') return content.digest;
  const shown = platform.content?.touch(content.method, content.body)?.content ?? null;
  return shown === null ? null : digestOf(shown);
}

function digestOf(content: string): string {
  return hash('sha1', content, 'base64');
}

// In which thread a message of ours stands. A call that changes a message names the chat and not the thread, and yet it
// belongs behind what waits there, and not behind other threads. Kept in memory: of what is forgotten the calls go in
// the lane of the chat, as those of other people's messages do.

const THREADS_MAX = 20_000;

type Queuing = Pick<Queued, 'seq' | 'account' | 'chat' | 'lane'>;

export class MessageThreads {
  // In order of use: the first is forgotten first.
  readonly #threads = new Map<string, string>();

  // `messageId` null: it has none yet, and goes by its provisional one.
  learn({ seq, account, chat, lane }: Queuing, messageId: string | null): void {
    if (!lane.startsWith(THREAD_LANE)) return;
    const thread = lane.slice(THREAD_LANE.length);
    this.#set(keyOf({ account, chat }, String(provisionalId(seq))), thread);
    if (messageId !== null) this.#set(keyOf({ account, chat }, messageId), thread);
  }

  of(account: AccountId, chat: string, messageId: string): string | null {
    const key = keyOf({ account, chat }, messageId);
    const thread = this.#threads.get(key);
    if (thread === undefined) return null;
    this.#set(key, thread);
    return thread;
  }

  #set(key: string, thread: string): void {
    this.#threads.delete(key);
    this.#threads.set(key, thread);
    if (this.#threads.size <= THREADS_MAX) return;
    // Many at a time: a map walks over what was deleted from its front.
    let left = FORGOTTEN_TOGETHER;
    for (const oldest of this.#threads.keys()) {
      if (left-- === 0) return;
      this.#threads.delete(oldest);
    }
  }
}

// `message` null: it has no id yet.
export function noteSent(
  road: { readonly threads: MessageThreads; readonly plainSends: PlainSends },
  limits: AccountLimits,
  queued: Queued,
  message: string | null,
  now: number,
): void {
  road.threads.learn(queued, message);
  road.plainSends.learn(limits, { ...queued, message }, now);
}

// Messages that were sent as any other, where live output has limits of its own. A text that grows may begin with one:
// then that was live output, and counts there since it was sent.

const PLAIN_SENDS_MAX = 10_000;

export class PlainSends {
  // The one that was sent first is forgotten first.
  readonly #sent = new Map<string, { readonly charge: Charge; readonly at: number }>();

  learn(limits: AccountLimits, sent: Charge & SentMessage, at: number): void {
    const { chat, user, family, budget, live, cost, message } = sent;
    if (message === null || family !== 'send' || live || !limits.hasLiveRules(sent)) return;
    const charge = { chat, user, family, budget, live, cost };
    const key = keyOf(sent, message);
    this.#sent.delete(key);
    this.#sent.set(key, { charge, at });
    if (this.#sent.size <= PLAIN_SENDS_MAX) return;
    // Many at a time: a map walks over what was deleted from its front.
    let left = FORGOTTEN_TOGETHER;
    for (const oldest of this.#sent.keys()) {
      if (left-- === 0) return;
      this.#sent.delete(oldest);
    }
  }

  // The account is closed: whoever has it next finds them among its calls of late.
  forget(account: AccountId): void {
    for (const key of this.#sent.keys()) if (key.startsWith(`${account}|`)) this.#sent.delete(key);
  }

  // Once per message.
  beganLive(limits: AccountLimits, { account, chat, message }: SentMessage): void {
    const key = message === null ? '' : keyOf({ account, chat }, message);
    const sent = this.#sent.get(key);
    if (sent === undefined) return;
    this.#sent.delete(key);
    limits.wasLive(sent.charge, sent.at);
  }
}
