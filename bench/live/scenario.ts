// Sessions that edit a message each for a while and then show their last text, and a command in between: what
// people saw of it, by the record of the simulated Telegram.

import type { SeenCall } from '../streams/staleness.ts';
import type { Door, Session } from './doors.ts';
import { type Handed, showingsAhead } from './fairness.ts';

const COMMAND_AFTER_MS = 15_000;
const LAST = 'last of';
// Edits whose answers may be on their way when the last text is ready.
const UNANSWERED = 8;

export interface Scenario {
  readonly name: string;
  readonly sessions: number;
  readonly isPrivate: boolean;
  readonly everyMs: number;
  readonly editsMs: number;
  // Each edit waits for the answer to the one before.
  readonly isAwaited: boolean;
  // The slowest last text, from being ready to being shown.
  readonly finalMsMax: number;
  // After the first messages of all, which count in the chat's budget like any other.
  readonly restMs: number;
  // The command; null: none is sent.
  readonly commandMsMax: number | null;
}

interface Edited {
  readonly chat: number;
  readonly messageId: number;
  readonly name: string;
  readonly handed: Handed[];
  readyAt: number;
}

export interface Played {
  readonly edited: readonly Edited[];
  readonly commandMs: number | null;
}

export interface Judged {
  // Infinity: one was never shown, or something was shown after it.
  readonly slowestFinalMs: number;
  readonly commandMs: number | null;
  readonly limited: number;
  // How often each session was shown before the first last text was ready.
  readonly showings: readonly number[];
  // By how many of them one was ahead of another that had something to show.
  readonly ahead: number;
}

export async function play(door: Door, scenario: Scenario, place: number): Promise<Played> {
  const { sessions, isPrivate, everyMs, editsMs, isAwaited } = scenario;
  const chatOf = (n: number) => (isPrivate ? place + n : -1_001_000_000_000 - place);
  const threadOf = (n: number) => (isPrivate || sessions === 1 ? null : 10 + n);
  const session = (n: number, isLast: boolean): Session => {
    return { name: `s${n}`, thread: threadOf(n), isLast };
  };
  const numbers = Array.from({ length: sessions }, (_, n) => n);
  const edited: Edited[] = await Promise.all(
    numbers.map(async (n) => {
      const chat = chatOf(n);
      const messageId = await door.send(chat, 'start', session(n, false));
      return { chat, messageId, name: String(n), handed: [], readyAt: 0 };
    }),
  );
  await pause(scenario.restMs);
  const began = Date.now();
  const edit = async (n: number, each: Edited) => {
    const answers: Promise<unknown>[] = [];
    for (let i = 0; Date.now() - began < editsMs; i++) {
      const text = `${n}: ${i}`;
      each.handed.push({ at: Date.now(), text });
      const done = door.edit(each.chat, each.messageId, text, session(n, false)).catch(() => null);
      answers.push(done);
      if (isAwaited) await done;
      await pause(everyMs);
    }
    each.readyAt = Date.now();
    // On another connection the last text could come in before the one before it.
    await Promise.all(answers.slice(-UNANSWERED));
    const last = session(n, true);
    await door.edit(each.chat, each.messageId, `${LAST} ${n}`, last).catch(() => null);
  };
  const command = scenario.commandMsMax === null ? null : commanding(door, chatOf(0));
  await Promise.all(edited.map((each, n) => edit(n, each)));
  return { edited, commandMs: await command };
}

async function commanding(door: Door, chat: number): Promise<number> {
  await pause(COMMAND_AFTER_MS);
  const began = Date.now();
  await door.send(chat, 'command', null);
  return Date.now() - began;
}

export function judge({ edited, commandMs }: Played, calls: readonly SeenCall[]): Judged {
  const shown = edited.map((each) => shownOf(each, calls));
  const finals = edited.map(({ name, readyAt }, n) => {
    const last = shown[n]!.at(-1);
    return last?.text === `${LAST} ${name}` ? last.acceptedAt! - readyAt : Number.POSITIVE_INFINITY;
  });
  // Before the first last text was ready: from then on there are fewer to take turns.
  const until = Math.min(...edited.map(({ readyAt }) => readyAt));
  const watched = edited.map(({ handed }, n) => {
    const own = shown[n]!.map(({ acceptedAt, text }) => ({ at: acceptedAt!, text }));
    return { handed, shown: own };
  });
  const showings = watched.map(({ shown }) => shown.filter(({ at }) => at < until).length);
  const chats = new Set(edited.map(({ chat }) => String(chat)));
  const limited = calls.filter(({ chat, status }) => status === 429 && chats.has(chat ?? ''));
  return {
    slowestFinalMs: Math.max(...finals),
    commandMs,
    limited: limited.length,
    showings,
    ahead: showingsAhead(watched, until),
  };
}

function shownOf({ chat, messageId }: Edited, calls: readonly SeenCall[]): SeenCall[] {
  const isOwn = (call: SeenCall) =>
    call.chat === String(chat) && call.acceptedAt !== null && call.messageIds.includes(messageId);
  return calls.filter(isOwn).sort((a, b) => a.acceptedAt! - b.acceptedAt!);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
