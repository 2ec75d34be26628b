// What is said in a mixed world: single messages, bursts, growing texts, messages that expire, are for later, are taken
// back or deleted. Each chat has chance of its own, so that what happens elsewhere changes nothing of what it says.

import type { AccountId } from '../../domain/ids.ts';
import type { Priority } from '../../domain/priority.ts';
import { type Clock, sleep } from '../../system/clock.ts';
import { intBelow, pick, type Random } from '../../system/random.ts';
import type { WorldMessage } from '../world/engine.ts';
import type { Said } from '../world/traffic.ts';
import type { MixedCall, MixedPlatform } from './platforms.ts';

export interface MixedChat {
  readonly platform: MixedPlatform;
  readonly account: { readonly id: AccountId; readonly token: string };
  readonly id: string;
  readonly isPoison: boolean;
  readonly random: Random;
  // The number of its next text, which is no other chat's.
  nextNumber(): number;
}

export interface MixedTraffic {
  readonly clock: Clock;
  readonly until: number;
  // Between two things that happen in a chat.
  readonly pauseMsMax: number;
  // null: nobody took it.
  say(message: WorldMessage): Promise<Said | null>;
}

const PRIORITIES: readonly Priority[] = ['normal', 'normal', 'normal', 'high', 'low', 'critical'];
const EDIT_PAUSE_MS = 700;
const REGRET_MS_MAX = 8000;

export async function liveIn(traffic: MixedTraffic, chat: MixedChat): Promise<void> {
  for (;;) {
    await sleep(traffic.clock, traffic.pauseMsMax * chat.random.next());
    if (traffic.clock.now() >= traffic.until) return;
    happen(traffic, chat);
  }
}

function happen(traffic: MixedTraffic, chat: MixedChat): void {
  const dice = chat.random.next();
  const now = traffic.clock.now();
  if (dice < 0.4) void traffic.say(text(chat));
  else if (dice < 0.6) for (let i = intBelow(chat.random, 6); i >= 0; i--) burst(traffic, chat);
  else if (dice < 0.75) void grow(traffic, chat);
  else if (dice < 0.82) void regret(traffic, chat);
  else if (dice < 0.88) void deleteLater(traffic, chat);
  else if (dice < 0.94) {
    void traffic.say({ ...text(chat), expiresAt: now + 5000 * (1 + 10 * chat.random.next()) });
  } else void traffic.say({ ...text(chat), notBefore: now + 120_000 * chat.random.next() });
}

function burst(traffic: MixedTraffic, chat: MixedChat): void {
  void traffic.say(text(chat, 'normal'));
}

async function grow(traffic: MixedTraffic, chat: MixedChat): Promise<void> {
  const id = await shown(traffic, chat);
  const { edit } = chat.platform;
  if (id === null || edit === undefined) return;
  const edits = 4 + intBelow(chat.random, 12);
  for (let i = 1; i <= edits && traffic.clock.now() < traffic.until; i++) {
    await sleep(traffic.clock, EDIT_PAUSE_MS * (0.5 + chat.random.next()));
    const call = edit(chat.id, id, words(chat, i === edits ? 'has said' : 'is saying'));
    const live = { live: true, final: i === edits, priority: 'normal' as const, changes: true };
    void traffic.say({ ...message(chat, call), ...live });
  }
}

// Says some things and takes the last back, which may be too late.
async function regret(traffic: MixedTraffic, chat: MixedChat): Promise<void> {
  for (let i = 0; i < 4; i++) void traffic.say(text(chat, 'normal'));
  const last = await traffic.say(text(chat, 'normal'));
  await sleep(traffic.clock, REGRET_MS_MAX * chat.random.next());
  await last?.cancel();
}

async function deleteLater(traffic: MixedTraffic, chat: MixedChat): Promise<void> {
  const id = await shown(traffic, chat);
  const { remove } = chat.platform;
  if (id === null || remove === undefined) return;
  await sleep(traffic.clock, REGRET_MS_MAX * chat.random.next());
  const call = remove(chat.id, id, words(chat, 'signs'));
  void traffic.say({ ...message(chat, call), changes: true });
}

// The id of a message that is there; null: it never came to be.
async function shown(traffic: MixedTraffic, chat: MixedChat): Promise<string | null> {
  const said = await traffic.say(text(chat));
  const end = await said?.ended();
  return end?.state === 'sent' ? end.messageId : null;
}

function text(chat: MixedChat, priority = pick(chat.random, PRIORITIES)): WorldMessage {
  const call = chat.platform.send(chat.id, words(chat, 'says'));
  return { ...message(chat, call), priority, changes: false };
}

function message({ account, id }: MixedChat, { method, params }: MixedCall): WorldMessage {
  return {
    ...{ account: account.id, token: account.token, chat: id, thread: null, method, params },
    ...{ priority: 'normal', isReply: false, live: false, final: false },
    ...{ notBefore: 0, expiresAt: 0 },
  };
}

function words(chat: MixedChat, what: string): string {
  return `#${chat.nextNumber()} ${what} ${'so '.repeat(intBelow(chat.random, 20))}`.trim();
}
