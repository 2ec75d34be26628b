// Telegram as a pure function of calls and time: who may, what is said, how long it is slept.
// No clock inside: `now` is the moment a call is judged. Written from what is known of the platform,
// never from our own limits, because a simulator that shares code with what it tests shares its mistakes.

import type { Clock } from '../../system/clock.ts';
import type { SimServing, SimVerdict } from '../model.ts';
import type { SimParams } from '../params.ts';
import type { Act, Scene } from './act.ts';
import {
  albumBroke,
  BAD_GATEWAY,
  granted,
  INVALID_TOKEN,
  METHOD_NOT_FOUND,
  NOT_FOUND,
  RESTARTING,
  refused,
  type SimRefusal,
  TOO_LARGE,
  tooManyRequests,
  UNAUTHORIZED,
} from './answers.ts';
import { Bot, type Update } from './bots.ts';
import { type ChatState, chatIdOf, type SimChat } from './chats.ts';
import { control } from './control.ts';
import { incoming, pressed } from './incoming.ts';
import { Messages, type StoredMessage } from './messages.ts';
import { methodOf } from './methods.ts';
import { type SimTelegramOptions, telegramOptions } from './options.ts';
import type { Injected, JudgedCall, TelegramModel } from './port.ts';
import { TelegramServing } from './serving.ts';

export type { JudgedCall, TelegramModel } from './port.ts';

type Verdict = SimVerdict<JudgedCall>;

// Beyond it the simulator forgets everyone: it serves tests and sandboxes, not the world.
const BOTS_MAX = 20_000;
const TOKEN = /^(\d{1,20}):[\w-]{1,100}$/;
const RESTART_RETRY_S = 5;
const ACTIVE_HOLD_MS = 3000;
const ACTIVE_RETRY_S = 60;

export function createTelegramModel(given: {
  options?: Partial<SimTelegramOptions>;
  onCall?: (call: JudgedCall) => void;
}): TelegramModel {
  return new Model(telegramOptions(given.options ?? {}), given.onCall ?? (() => {}));
}

class Model implements TelegramModel {
  readonly platform = 'telegram';
  readonly pulledBy = 'getUpdates';
  readonly broken = { badGateway: BAD_GATEWAY, internalError: RESTARTING, tooLarge: TOO_LARGE };
  readonly #options: SimTelegramOptions;
  readonly #onCall: (call: JudgedCall) => void;
  readonly #bots = new Map<string, Bot>();
  readonly #messages = new Messages();
  readonly #states = new Map<string, ChatState>();
  readonly #said = { channels: new Set<string>(), plain: new Set<string>() };
  readonly #revoked = new Set<string>();
  readonly #pollers = new Map<string, Set<() => void>>();
  #restartUntil = 0;

  constructor(options: SimTelegramOptions, onCall: (call: JudgedCall) => void) {
    this.#options = options;
    this.#onCall = onCall;
  }

  serve(clock: Clock): SimServing<JudgedCall> {
    return new TelegramServing(this, clock);
  }

  control(route: string, params: SimParams, now: number): unknown {
    return control(this, route, params, now);
  }

  call(token: string, method: string, params: SimParams, now: number): Verdict {
    const verdict = this.#judge(token, method, params, now);
    this.#onCall(verdict.call);
    return verdict;
  }

  #judge(token: string, name: string, params: SimParams, now: number): Verdict {
    const blank: JudgedCall = {
      token,
      method: name,
      chat: chatIdOf(params),
      thread: null,
      arrivedAt: now,
      acceptedAt: null,
      holdMs: 0,
      status: 200,
      cause: null,
      retryAfterS: null,
      cost: 0,
      messageIds: [],
      text: '',
    };
    const bot = this.#botOf(token);
    if ('status' in bot) return this.#refuse(blank, bot);
    const method = methodOf(name);
    if (method === null) return this.#refuse(blank, METHOD_NOT_FOUND);
    const named = { ...blank, method: method.name };
    if (now < this.#restartUntil) {
      return this.#refuse({ ...named, cause: 'restart' }, tooManyRequests(RESTART_RETRY_S));
    }
    const planned = method.plan(this.#scene(bot, params, now));
    if (planned.kind === 'refused') {
      const cause = planned.refusal.status === 429 ? 'webhook' : null;
      return this.#refuse({ ...named, cause }, planned.refusal);
    }
    const { thread, text } = planned;
    return this.#perform(bot, planned, { ...named, thread, text });
  }

  // Flood control, then what only the core knows, then the deed.
  #perform(bot: Bot, act: Act, call: JudgedCall): Verdict {
    const now = call.arrivedAt;
    const cost = act.charge?.cost ?? 0;
    if (bot.heldAt(now) >= this.#options.activeMax) {
      const held = { ...call, cause: 'active', holdMs: ACTIVE_HOLD_MS } as const;
      return this.#refuse(held, tooManyRequests(ACTIVE_RETRY_S));
    }
    const flood =
      act.charge === null || act.chat === null
        ? ({ kind: 'pass', holdMs: 0 } as const)
        : act.chat.flood.judge(act.charge, now, act.backend === null);
    if (flood.holdMs > 0) bot.hold(now + flood.holdMs);
    const judged = { ...call, cost, holdMs: flood.holdMs };
    if (flood.kind === 'refused') {
      const wait = tooManyRequests(flood.retryAfterS);
      const cause = flood.forced ? 'forced' : 'flood';
      const told = { ...judged, cause, retryAfterS: flood.retryAfterS } as const;
      if (flood.admitted === 0) return this.#refuse(told, wait);
      return this.#breakAlbum(told, act, flood.admitted, wait.description);
    }
    if (act.backend !== null) return this.#refuse(judged, act.backend);
    if (act.brokenItem > 0) {
      return this.#breakAlbum(judged, act, act.brokenItem - 1, 'WEBPAGE_MEDIA_EMPTY');
    }
    const acceptedAt = now + flood.holdMs;
    const done = act.run(acceptedAt, cost);
    const accepted = { ...judged, acceptedAt, messageIds: done.messageIds };
    return { answer: granted(done.result), holdMs: flood.holdMs, call: accepted };
  }

  #breakAlbum(call: JudgedCall, act: Act, delivered: number, why: string): Verdict {
    const at = call.arrivedAt + call.holdMs;
    const done = act.run(at, delivered);
    const acceptedAt = delivered > 0 ? at : null;
    const part = { ...call, acceptedAt, messageIds: done.messageIds };
    return this.#refuse(part, albumBroke(delivered + 1, why));
  }

  #refuse(call: JudgedCall, refusal: SimRefusal): Verdict {
    const retryAfterS = refusal.parameters?.retry_after ?? call.retryAfterS;
    return {
      answer: refused(refusal, this.#options.retryAfterHeader),
      holdMs: call.holdMs,
      call: { ...call, status: refusal.status, retryAfterS },
    };
  }

  #botOf(token: string): Bot | SimRefusal {
    const id = TOKEN.exec(token)?.[1];
    if (id === undefined) {
      return this.#options.malformedTokenStatus === 404 ? NOT_FOUND : INVALID_TOKEN;
    }
    if (this.#revoked.has(token)) return UNAUTHORIZED;
    let bot = this.#bots.get(id);
    if (bot === undefined) {
      if (this.#bots.size >= BOTS_MAX) this.#bots.clear();
      bot = new Bot(id, this.#options);
      this.#bots.set(id, bot);
    }
    return bot;
  }

  #known(token: string): Bot {
    const bot = this.#botOf(token);
    if ('status' in bot) throw new Error('the simulator has no such bot');
    return bot;
  }

  #scene(bot: Bot, params: SimParams, now: number): Scene {
    return {
      bot,
      params,
      now,
      messages: this.#messages,
      said: this.#said,
      replyWindowMs: this.#options.replyWindowMs,
      stateOf: (chat) => this.#states.get(chat) ?? { kind: 'open' },
    };
  }

  userWrote(token: string, chat: string, now: number): void {
    this.#chatOf(token, chat).wroteAt = now;
  }

  inject(token: string, chatId: string, text: string, now: number): Injected {
    const bot = this.#known(token);
    const chat = this.#chatOf(token, chatId);
    chat.wroteAt = now;
    const message = incoming(bot, chat, text, now);
    this.#messages.add(message.stored);
    const update = this.#tell(bot, { message: message.view });
    const posted = { ...update, update_id: Math.floor(now) };
    return { update, posted, messageId: message.stored.id };
  }

  press(token: string, chatId: string, messageId: number, data: string): void {
    const bot = this.#known(token);
    const under = this.#messages.get(bot.id, chatId, messageId);
    if (under === null) throw new Error('the simulator has no such message');
    this.#tell(bot, { callback_query: pressed(bot, this.#chatOf(token, chatId), under, data) });
  }

  #tell(bot: Bot, content: Readonly<Record<string, unknown>>): Update {
    const update = bot.addUpdate(content);
    for (const run of this.#pollers.get(bot.id) ?? []) run();
    return update;
  }

  setChat(chat: string, state: ChatState): void {
    if (state.kind === 'open') this.#states.delete(chat);
    else this.#states.set(chat, state);
  }

  isBlocked(chat: string): boolean {
    return this.#states.get(chat)?.kind === 'blocked';
  }

  setChannel(chat: string): void {
    this.#said.channels.add(chat);
  }

  setPlain(chat: string): void {
    this.#said.plain.add(chat);
  }

  freeze(token: string, chat: string, seconds: number, now: number): void {
    this.#chatOf(token, chat).flood.freeze(now, seconds);
  }

  revoke(token: string): void {
    this.#revoked.add(token);
  }

  restart(until: number): void {
    this.#restartUntil = Math.max(this.#restartUntil, until);
  }

  messagesOf(chat: string): StoredMessage[] {
    return this.#messages.ofChat(chat);
  }

  newestByChat(max: number): StoredMessage[] {
    return this.#messages.newestByChat(max);
  }

  onUpdate(token: string, run: () => void): () => void {
    const { id } = this.#known(token);
    const waiting = this.#pollers.get(id) ?? new Set();
    this.#pollers.set(id, waiting);
    waiting.add(run);
    return () => waiting.delete(run);
  }

  #chatOf(token: string, chat: string): SimChat {
    return this.#known(token).chat(chat, this.#said);
  }
}
