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

export interface WorldSender {
  // null: nobody took it (refused, or the engine is down).
  say(message: WorldMessage): Promise<Said | null>;
  // Someone writes to the bot there: the id of that message; null: the bot is no more.
  incoming(chat: WorldChat): number | null;
  // The number of the next text.
  nextNumber(): number;
}

interface Traffic {
  readonly random: Random;
  readonly clock: Clock;
  readonly sender: WorldSender;
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
export function startTraffic(traffic: Traffic, { accounts, chats }: Population): void {
  for (const chat of chats) void liveIn(traffic, chat);
  for (const account of accounts) void broadcastNowAndThen(traffic, account);
}

// Every chat always has a few messages waiting: whatever budget there is, it is used up.
export function saturate(traffic: Traffic, { chats }: Population): void {
  for (const chat of chats) {
    for (let i = 0; i < ALWAYS_WAITING; i++) void talkOn(traffic, chat);
  }
}

// A crash may keep the end from us: whoever hears nothing for a while goes on.
async function talkOn(traffic: Traffic, chat: WorldChat): Promise<void> {
  const { clock, sender, until } = traffic;
  while (clock.now() < until) {
    const message = text(traffic, chat, { priority: 'normal', thread: null });
    const said = sender.say(message).then(async (taken) => {
      await (taken === null ? sleep(clock, LOOK_AGAIN_MS) : taken.ended());
    });
    await Promise.race([said, sleep(clock, PATIENCE_MS)]);
  }
}

async function liveIn(traffic: Traffic, chat: WorldChat): Promise<void> {
  const { clock, random } = traffic;
  for (;;) {
    await sleep(clock, chat.pauseMs * 2 * random.next());
    if (clock.now() >= traffic.until) return;
    happen(traffic, chat);
  }
}

function happen(traffic: Traffic, chat: WorldChat): void {
  const dice = traffic.random.next();
  if (dice < 0.35) void traffic.sender.say(text(traffic, chat, {}));
  else if (dice < 0.38) void deleteLater(traffic, chat);
  else if (dice < 0.41) void react(traffic, chat);
  else if (dice < 0.45) void regret(traffic, chat);
  else if (dice < 0.6) sayMany(traffic, chat, 3 + intBelow(traffic.random, 6));
  else if (dice < 0.75) answerSomeone(traffic, chat);
  else if (dice < 0.87) void grow(traffic, chat);
  else if (dice < 0.92) void traffic.sender.say(album(traffic, chat));
  else if (dice < 0.96)
    void traffic.sender.say(
      text(traffic, chat, { expiresInMs: 5000 * (1 + 10 * traffic.random.next()) }),
    );
  else void traffic.sender.say(text(traffic, chat, { dueInMs: 120_000 * traffic.random.next() }));
}

function sayMany(traffic: Traffic, chat: WorldChat, count: number): void {
  const thread = threadIn(traffic, chat);
  for (let i = 0; i < count; i++) void traffic.sender.say(text(traffic, chat, { thread }));
}

// Now and then the message it answers is gone, or the markup is not sound: both have a cure.
function answerSomeone(traffic: Traffic, chat: WorldChat): void {
  const incoming = traffic.sender.incoming(chat);
  if (incoming === null) return;
  const message_id = traffic.random.next() < 0.1 ? incoming + GONE_BY : incoming;
  const markup = traffic.random.next() < 0.1 ? { parse_mode: 'HTML' } : {};
  const more = { reply_parameters: { message_id }, ...markup };
  void traffic.sender.say(text(traffic, chat, { isReply: true, priority: 'high', more }));
}

// A text that grows: one message, then edits faster than any chat affords, and a final.
async function grow(traffic: Traffic, chat: WorldChat): Promise<void> {
  const { clock, sender, random } = traffic;
  const first = await sender.say(text(traffic, chat, {}));
  const end = await first?.ended();
  if (end === undefined || end.state !== 'sent' || end.messageId === null) return;
  const edits = 4 + intBelow(random, 12);
  for (let i = 1; i <= edits && clock.now() < traffic.until; i++) {
    await sleep(clock, EDIT_PAUSE_MS * (0.5 + random.next()));
    void sender.say(edit(traffic, chat, Number(end.messageId), i === edits));
  }
}

// Says some things and takes the last back, which may be too late.
async function regret(traffic: Traffic, chat: WorldChat): Promise<void> {
  const { clock, sender, random } = traffic;
  const thread = threadIn(traffic, chat);
  const priority = 'normal';
  for (let i = 0; i < 4; i++) void sender.say(text(traffic, chat, { thread, priority }));
  const last = await sender.say(text(traffic, chat, { thread, priority }));
  await sleep(clock, REGRET_MS_MAX * random.next());
  await last?.cancel();
}

async function deleteLater(traffic: Traffic, chat: WorldChat): Promise<void> {
  const said = await traffic.sender.say(text(traffic, chat, {}));
  const end = await said?.ended();
  if (end === undefined || end.state !== 'sent' || end.messageId === null) return;
  await sleep(traffic.clock, REGRET_MS_MAX * traffic.random.next());
  void traffic.sender.say(sign(traffic, chat, 'deleteMessage', Number(end.messageId), {}));
}

// A bot that changes its mind: the last reaction is the one that counts.
async function react(traffic: Traffic, chat: WorldChat): Promise<void> {
  const incoming = traffic.sender.incoming(chat);
  if (incoming === null) return;
  for (const emoji of ['👀', '👍', '🔥']) {
    const reaction = [{ type: 'emoji', emoji }];
    void traffic.sender.say(sign(traffic, chat, 'setMessageReaction', incoming, { reaction }));
    await sleep(traffic.clock, EDIT_PAUSE_MS * traffic.random.next());
  }
}

async function broadcastNowAndThen(traffic: Traffic, account: WorldAccount): Promise<void> {
  const { clock, random } = traffic;
  for (;;) {
    await sleep(clock, BROADCAST_PAUSE_MS * 2 * random.next());
    if (clock.now() >= traffic.until) return;
    for (const chat of account.chats) {
      void traffic.sender.say(text(traffic, chat, { priority: 'low', thread: null }));
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

function text(traffic: Traffic, chat: WorldChat, options: TextOptions): WorldMessage {
  const thread = options.thread === undefined ? threadIn(traffic, chat) : options.thread;
  const what = options.more?.parse_mode === undefined ? 'says' : 'says <b>';
  const now = traffic.clock.now();
  return {
    ...message(traffic, chat, thread, 'sendMessage', {
      text: words(traffic, what),
      ...options.more,
    }),
    priority: options.priority ?? pick(traffic.random, PRIORITIES),
    isReply: options.isReply ?? false,
    expiresAt: options.expiresInMs === undefined ? 0 : now + options.expiresInMs,
    notBefore: options.dueInMs === undefined ? 0 : now + options.dueInMs,
  };
}

function album(traffic: Traffic, chat: WorldChat): WorldMessage {
  const caption = words(traffic, 'shows');
  const media = Array.from({ length: 2 + intBelow(traffic.random, 5) }, (_, i) => ({
    type: 'photo',
    media: `https://example.org/${i}.jpg`,
    // On each: when an album breaks, the rest may go alone.
    caption,
  }));
  return message(traffic, chat, threadIn(traffic, chat), 'sendMediaGroup', { media });
}

function edit(traffic: Traffic, chat: WorldChat, message_id: number, final: boolean): WorldMessage {
  const params = { message_id, text: words(traffic, final ? 'has said' : 'is saying') };
  return { ...message(traffic, chat, null, 'editMessageText', params), live: true, final };
}

// A call without a text: its number travels in a parameter that the platform does not know.
function sign(
  traffic: Traffic,
  chat: WorldChat,
  method: string,
  message_id: number,
  more: Readonly<Record<string, unknown>>,
): WorldMessage {
  const note = words(traffic, 'signs');
  const priority = 'normal';
  return { ...message(traffic, chat, null, method, { message_id, note, ...more }), priority };
}

function message(
  traffic: Traffic,
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
    priority: pick(traffic.random, method === 'editMessageText' ? ['normal'] : PRIORITIES),
    isReply: false,
    live: false,
    final: false,
    notBefore: 0,
    expiresAt: 0,
  };
}

function threadIn(traffic: Traffic, chat: WorldChat): string | null {
  return chat.threads.length === 0 ? null : pick(traffic.random, chat.threads);
}

function words(traffic: Traffic, what: string): string {
  return `#${traffic.sender.nextNumber()} ${what} ${'so '.repeat(intBelow(traffic.random, 20))}`.trim();
}

const NUMBER = /#(\d+) /;

// The number of a text, or of the JSON it is in; null: not one of ours.
export function numberOf(text: string): number | null {
  const found = NUMBER.exec(`${text} `)?.[1];
  return found === undefined ? null : Number(found);
}
