// What the bots of the world say: single messages, bursts, answers, albums, growing texts, broadcasts,
// reactions, deletions, messages that expire, messages for later and messages taken back. Every text begins
// with its number (`#17 …`), by which the checkers know it again wherever it turns up.

import type { Priority } from '../../domain/priority.ts';
import { type Clock, sleep } from '../../system/clock.ts';
import { intBelow, pick, type Random } from '../../system/random.ts';
import type { WorldEnd, WorldMessage } from './engine.ts';
import type { Population, WorldAccount, WorldChat } from './population.ts';

export interface Said {
  ended(): Promise<WorldEnd>;
  cancel(): Promise<void>;
}

export interface Mouth {
  // null: nobody took it (refused, or the engine is down).
  say(message: WorldMessage): Promise<Said | null>;
  // Someone writes to the bot there: the id of that message; null: the bot is no more.
  hear(chat: WorldChat): number | null;
  // The number of the next text.
  nextNumber(): number;
}

interface Stage {
  readonly random: Random;
  readonly clock: Clock;
  readonly mouth: Mouth;
  readonly until: number;
}

const PRIORITIES: readonly Priority[] = [
  ...(['normal', 'normal', 'normal', 'normal', 'normal', 'normal'] as const),
  ...(['high', 'high', 'low', 'critical'] as const),
];
const BROADCAST_PAUSE_MS = 240_000;
const EDIT_PAUSE_MS = 700;
const GONE_BY = 1_000_000;
const REGRET_MS_MAX = 8_000;
const ALWAYS_WAITING = 4;
const LOOK_AGAIN_MS = 1_000;
const PATIENCE_MS = 60_000;

// Starts it all; everything stops by itself at `until`.
export function startTraffic(stage: Stage, { accounts, chats }: Population): void {
  for (const chat of chats) void liveIn(stage, chat);
  for (const account of accounts) void broadcastNowAndThen(stage, account);
}

// Every chat always has a few messages waiting: whatever budget there is, it is used up.
export function saturate(stage: Stage, { chats }: Population): void {
  for (const chat of chats) {
    for (let i = 0; i < ALWAYS_WAITING; i++) void talkOn(stage, chat);
  }
}

// A crash may keep the end from us: whoever hears nothing for a while goes on.
async function talkOn(stage: Stage, chat: WorldChat): Promise<void> {
  const { clock, mouth, until } = stage;
  while (clock.now() < until) {
    const message = text(stage, chat, { priority: 'normal', thread: null });
    const said = mouth.say(message).then(async (taken) => {
      await (taken === null ? sleep(clock, LOOK_AGAIN_MS) : taken.ended());
    });
    await Promise.race([said, sleep(clock, PATIENCE_MS)]);
  }
}

async function liveIn(stage: Stage, chat: WorldChat): Promise<void> {
  const { clock, random } = stage;
  for (;;) {
    await sleep(clock, chat.pauseMs * 2 * random.next());
    if (clock.now() >= stage.until) return;
    happen(stage, chat);
  }
}

function happen(stage: Stage, chat: WorldChat): void {
  const dice = stage.random.next();
  if (dice < 0.35) void stage.mouth.say(text(stage, chat, {}));
  else if (dice < 0.38) void deleteLater(stage, chat);
  else if (dice < 0.41) void react(stage, chat);
  else if (dice < 0.45) void regret(stage, chat);
  else if (dice < 0.6) sayMany(stage, chat, 3 + intBelow(stage.random, 6));
  else if (dice < 0.75) answerSomeone(stage, chat);
  else if (dice < 0.87) void grow(stage, chat);
  else if (dice < 0.92) void stage.mouth.say(album(stage, chat));
  else if (dice < 0.96)
    void stage.mouth.say(text(stage, chat, { expiresInMs: 5000 * (1 + 10 * stage.random.next()) }));
  else void stage.mouth.say(text(stage, chat, { dueInMs: 120_000 * stage.random.next() }));
}

function sayMany(stage: Stage, chat: WorldChat, count: number): void {
  const thread = threadIn(stage, chat);
  for (let i = 0; i < count; i++) void stage.mouth.say(text(stage, chat, { thread }));
}

// Now and then the message it answers is gone, or the markup is not sound: both have a cure.
function answerSomeone(stage: Stage, chat: WorldChat): void {
  const heard = stage.mouth.hear(chat);
  if (heard === null) return;
  const message_id = stage.random.next() < 0.1 ? heard + GONE_BY : heard;
  const markup = stage.random.next() < 0.1 ? { parse_mode: 'HTML' } : {};
  const more = { reply_parameters: { message_id }, ...markup };
  void stage.mouth.say(text(stage, chat, { isReply: true, priority: 'high', more }));
}

// A text that grows: one message, then edits faster than any chat affords, and a final.
async function grow(stage: Stage, chat: WorldChat): Promise<void> {
  const { clock, mouth, random } = stage;
  const first = await mouth.say(text(stage, chat, {}));
  const end = await first?.ended();
  if (end === undefined || end.state !== 'sent' || end.messageId === null) return;
  const edits = 4 + intBelow(random, 12);
  for (let i = 1; i <= edits && clock.now() < stage.until; i++) {
    await sleep(clock, EDIT_PAUSE_MS * (0.5 + random.next()));
    void mouth.say(edit(stage, chat, Number(end.messageId), i === edits));
  }
}

// Says some things and takes the last back, which may be too late.
async function regret(stage: Stage, chat: WorldChat): Promise<void> {
  const { clock, mouth, random } = stage;
  const thread = threadIn(stage, chat);
  const priority = 'normal';
  for (let i = 0; i < 4; i++) void mouth.say(text(stage, chat, { thread, priority }));
  const last = await mouth.say(text(stage, chat, { thread, priority }));
  await sleep(clock, REGRET_MS_MAX * random.next());
  await last?.cancel();
}

async function deleteLater(stage: Stage, chat: WorldChat): Promise<void> {
  const said = await stage.mouth.say(text(stage, chat, {}));
  const end = await said?.ended();
  if (end === undefined || end.state !== 'sent' || end.messageId === null) return;
  await sleep(stage.clock, REGRET_MS_MAX * stage.random.next());
  void stage.mouth.say(sign(stage, chat, 'deleteMessage', Number(end.messageId), {}));
}

// A bot that changes its mind: the last reaction is the one that counts.
async function react(stage: Stage, chat: WorldChat): Promise<void> {
  const heard = stage.mouth.hear(chat);
  if (heard === null) return;
  for (const emoji of ['👀', '👍', '🔥']) {
    const reaction = [{ type: 'emoji', emoji }];
    void stage.mouth.say(sign(stage, chat, 'setMessageReaction', heard, { reaction }));
    await sleep(stage.clock, EDIT_PAUSE_MS * stage.random.next());
  }
}

async function broadcastNowAndThen(stage: Stage, account: WorldAccount): Promise<void> {
  const { clock, random } = stage;
  for (;;) {
    await sleep(clock, BROADCAST_PAUSE_MS * 2 * random.next());
    if (clock.now() >= stage.until) return;
    for (const chat of account.chats) {
      void stage.mouth.say(text(stage, chat, { priority: 'low', thread: null }));
    }
  }
}

interface TextOptions {
  readonly priority?: Priority;
  readonly thread?: string | null;
  readonly isReply?: boolean;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly expiresInMs?: number;
  readonly dueInMs?: number;
}

function text(stage: Stage, chat: WorldChat, options: TextOptions): WorldMessage {
  const thread = options.thread === undefined ? threadIn(stage, chat) : options.thread;
  const what = options.more?.parse_mode === undefined ? 'says' : 'says <b>';
  const now = stage.clock.now();
  return {
    ...message(stage, chat, thread, 'sendMessage', { text: words(stage, what), ...options.more }),
    priority: options.priority ?? pick(stage.random, PRIORITIES),
    isReply: options.isReply ?? false,
    expiresAt: options.expiresInMs === undefined ? 0 : now + options.expiresInMs,
    notBefore: options.dueInMs === undefined ? 0 : now + options.dueInMs,
  };
}

function album(stage: Stage, chat: WorldChat): WorldMessage {
  const caption = words(stage, 'shows');
  const media = Array.from({ length: 2 + intBelow(stage.random, 5) }, (_, i) => ({
    type: 'photo',
    media: `https://example.org/${i}.jpg`,
    // On each: when an album breaks, the rest may go alone.
    caption,
  }));
  return message(stage, chat, threadIn(stage, chat), 'sendMediaGroup', { media });
}

function edit(stage: Stage, chat: WorldChat, message_id: number, final: boolean): WorldMessage {
  const params = { message_id, text: words(stage, final ? 'has said' : 'is saying') };
  return { ...message(stage, chat, null, 'editMessageText', params), live: true, final };
}

// A call without a text: its number travels in a parameter that the platform does not know.
function sign(
  stage: Stage,
  chat: WorldChat,
  method: string,
  message_id: number,
  more: Readonly<Record<string, unknown>>,
): WorldMessage {
  const note = words(stage, 'signs');
  const priority = 'normal';
  return { ...message(stage, chat, null, method, { message_id, note, ...more }), priority };
}

function message(
  stage: Stage,
  chat: WorldChat,
  thread: string | null,
  method: string,
  content: Readonly<Record<string, unknown>>,
): WorldMessage {
  const topic = thread === null ? {} : { message_thread_id: Number(thread) };
  return {
    account: chat.account.id,
    token: chat.account.token,
    chat: chat.id,
    thread,
    method,
    params: { chat_id: Number(chat.id), ...topic, ...content },
    priority: pick(stage.random, method === 'editMessageText' ? ['normal'] : PRIORITIES),
    isReply: false,
    live: false,
    final: false,
    notBefore: 0,
    expiresAt: 0,
  };
}

function threadIn(stage: Stage, chat: WorldChat): string | null {
  return chat.threads.length === 0 ? null : pick(stage.random, chat.threads);
}

function words(stage: Stage, what: string): string {
  return `#${stage.mouth.nextNumber()} ${what} ${'so '.repeat(intBelow(stage.random, 20))}`.trim();
}

const NUMBER = /#(\d+) /;

// The number of a text, or of the JSON it is in; null: not one of ours.
export function numberOf(text: string): number | null {
  const found = NUMBER.exec(`${text} `)?.[1];
  return found === undefined ? null : Number(found);
}
