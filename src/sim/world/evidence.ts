// Everything the world saw, kept for the checkers, and the story of each message put together from it.
// The checkers read this and nothing else: never the engine, never its limits.

import type { SimCall } from '../model.ts';
import { textOf } from '../params.ts';
import type { JudgedCall } from '../telegram/model.ts';
import type { SimTelegramOptions } from '../telegram/options.ts';
import type { Exchange } from '../transport.ts';
import type { WorldMessage, WorldRecord } from './engine.ts';
import type { WorldChat } from './population.ts';
import { numberOf } from './traffic.ts';

export interface Evidence {
  readonly seed: number;
  readonly truth: number;
  // Every chat has more to say than it may: all are late, and none by another's fault.
  readonly isSaturated: boolean;
  readonly edits: SimTelegramOptions['edits'];
  // Until when things were said, and until when it was watched.
  readonly startedAt: number;
  readonly quietAt: number;
  readonly finishedAt: number;
  readonly replyWindowMs: number;
  readonly stories: readonly Story[];
  readonly bySeq: ReadonlyMap<number, Story>;
  // In the order they ended.
  readonly tries: readonly Try[];
  readonly crashes: readonly number[];
  // Of nodes of a fleet.
  readonly troubles?: readonly NodeTrouble[];
  readonly strangers?: readonly string[];
  // By how much the clocks of who sends may be off.
  readonly clockMsMax?: number;
  // When someone wrote, by token and chat.
  readonly wrote: ReadonlyMap<string, readonly number[]>;
  // Tokens that were revoked; chats that were frozen for no fault of the bot's.
  readonly revoked: ReadonlySet<string>;
  readonly frozen: ReadonlySet<string>;
  readonly chats: ReadonlyMap<string, WorldChat>;
}

export type Lives = Pick<Evidence, 'crashes' | 'troubles'>;

export interface NodeTrouble {
  readonly tokens: ReadonlySet<string>;
  readonly from: number;
  readonly until: number;
}

// One message, from what was said to what became of it.
export interface Story {
  readonly number: number;
  readonly message: WorldMessage;
  readonly submittedAt: number;
  // null: never acknowledged (refused, or a crash came first).
  seq: number | null;
  refused: string | null;
  // When someone asked to cancel it, and when it was granted; null: not.
  cancelAskedAt: number | null;
  cancelledAt: number | null;
  record: WorldRecord | null;
  readonly tries: Try[];
}

// One call as both ends saw it.
export interface Try {
  readonly token: string;
  readonly chat: string;
  // Of the text it carried.
  readonly number: number | null;
  readonly leftAt: number;
  readonly endedAt: number;
  // What the engine was told: the answer's status, or that there was none.
  readonly said: number | 'unsent' | 'lost';
  readonly fault: string | null;
  // What the platform made of it; null: it never got there. `cost`: in messages.
  readonly call: (SimCall & { readonly cost: number }) | null;
}

export function tryOf(exchange: Exchange<JudgedCall>): Try {
  const { token, params, leftAt, endedAt, reply, fault, call } = exchange;
  const shown = textOf(params, 'text') || JSON.stringify(params);
  return {
    token,
    chat: textOf(params, 'chat_id'),
    number: numberOf(shown),
    leftAt,
    endedAt,
    said: reply.kind === 'answered' ? reply.status : reply.kind,
    fault: fault?.kind ?? null,
    call,
  };
}

// One broken promise: which, of what, and the facts a person needs to see it.
export interface Finding {
  readonly check: string;
  // One line: of which chat or account, and why.
  readonly facts: string;
}

export type Check = (evidence: Evidence) => Finding[];

// After an answer reached the engine, so long until it surely is on disk.
const SETTLE_MS_MAX = 250;

export function placeOf(of: { token: string; chat: string }): string {
  return `${of.token}/${of.chat}`;
}

export function connect(
  stories: readonly Story[],
  records: readonly WorldRecord[],
  tries: readonly Try[],
): Map<number, Story> {
  const byNumber = new Map(stories.map((story) => [story.number, story]));
  const bySeq = new Map<number, Story>();
  for (const record of records) {
    // Also what a crash kept from being acknowledged.
    const story = byNumber.get(numberOf(record.body) ?? -1);
    if (story === undefined) continue;
    story.record = record;
    bySeq.set(record.seq, story);
  }
  const asTheyLeft = [...tries].sort((a, b) => a.leftAt - b.leftAt);
  for (const one of asTheyLeft) byNumber.get(one.number ?? -1)?.tries.push(one);
  return bySeq;
}

// It took effect as a whole.
export function isDelivered({ call }: Try): boolean {
  return call !== null && call.acceptedAt !== null && call.status === 200;
}

// When it first took effect, be it in part; null: never.
export function takenAt({ tries }: Story): number | null {
  const times = tries.map((one) => one.call?.acceptedAt ?? null).filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

// The engine cannot know what became of it: no answer, a broken one, or a crash before it was on disk.
export function isInDoubt(one: Try, lives: Lives): boolean {
  if (one.said === 'lost' || (one.said !== 'unsent' && one.said >= 500)) return true;
  return wasForgotten(one, lives);
}

export function wasForgotten({ token, leftAt, endedAt }: Try, lives: Lives): boolean {
  const { crashes, troubles = [] } = lives;
  const knownAt = endedAt + SETTLE_MS_MAX;
  return (
    crashes.some((at) => at >= leftAt && at <= knownAt) ||
    troubles.some(
      ({ tokens, from, until }) => tokens.has(token) && from <= knownAt && leftAt <= until,
    )
  );
}

// The wait the engine was told, and until when it holds as the platform counts; null: none reached it.
export function toldToWait(one: Try): { seconds: number; until: number } | null {
  const { call, said } = one;
  if (call === null || call.retryAfterS === null || (said !== 429 && said !== 400)) return null;
  return { seconds: call.retryAfterS, until: call.arrivedAt + call.retryAfterS * 1000 };
}

// Doing it again changes nothing more: edits, deletions, reactions.
export function isRepeatable({ message }: Story): boolean {
  return message.changes ?? !message.method.startsWith('send');
}

export function tell(story: Story, startedAt: number): string {
  const { message, record, tries } = story;
  const where = message.thread === null ? message.chat : `${message.chat}/${message.thread}`;
  const fate = record === null ? 'no record' : tellRecord(record);
  return [
    `#${story.number} ${message.method} to ${where}, ${message.priority}`,
    `submitted ${clockTime(story.submittedAt, startedAt)}, seq ${record?.seq ?? story.seq ?? 'none'}`,
    fate,
    tries.length === 0 ? 'no tries' : tries.map((one) => tellTry(one, startedAt)).join('; '),
  ].join(' · ');
}

function tellRecord({ state, reason, doubts, failures }: WorldRecord): string {
  return `${state} (${reason ?? 'no reason'}), doubts ${doubts}, failures ${failures}`;
}

export function tellTry({ call, said, fault, leftAt }: Try, startedAt: number): string {
  const judged = call === null ? 'not judged' : `judged ${clockTime(call.arrivedAt, startedAt)}`;
  const wait = call?.retryAfterS == null ? '' : ` (wait ${call.retryAfterS} s, ${call.cause})`;
  const trouble = fault === null ? '' : `, ${fault}`;
  return `left ${clockTime(leftAt, startedAt)}, ${judged}${trouble}, told ${said}${wait}`;
}

// Seconds since the world began.
export function clockTime(at: number, startedAt: number): string {
  return `${((at - startedAt) / 1000).toFixed(3)}s`;
}
