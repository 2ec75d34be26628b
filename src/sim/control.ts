// The hidden hand: routes under /sim/ with which a test looks into the simulated Telegram and disturbs it.
// What it keeps is bounded: the newest CALLS_MAX calls. Tokens are never shown, only the bot's number.

import type { Clock } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import {
  type FaultRates,
  type Faults,
  randomFaults,
  type ScriptedFault,
  scriptedFaults,
} from './faults.ts';
import type { ChatState } from './telegram/chats.ts';
import type { JudgedCall, TelegramModel } from './telegram/model.ts';
import { intOf, jsonOf, listOf, type SimParams, textOf } from './telegram/params.ts';

export const CALLS_MAX = 200_000;

const CHAT_STATES = ['open', 'blocked', 'deactivated', 'kicked', 'missing', 'deleted', 'migrated'];

export class Control {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #script = scriptedFaults([]);
  #rates: Faults;
  readonly #calls: JudgedCall[] = [];
  #judged = 0;
  readonly #stats = { calls: 0, accepted: 0, messages: 0, limited: 0, flood: 0, held: 0 };

  constructor(clock: Clock, random: Random, faults: Faults) {
    this.#clock = clock;
    this.#random = random;
    this.#rates = faults;
  }

  readonly faults: Faults = {
    next: (target, now) => this.#script.next(target, now) ?? this.#rates.next(target, now),
  };

  readonly record = (call: JudgedCall): void => {
    this.#calls[this.#judged++ % CALLS_MAX] = call;
    const stats = this.#stats;
    stats.calls += 1;
    if (call.acceptedAt !== null) stats.accepted += 1;
    stats.messages += call.messageIds.length;
    if (call.retryAfterS !== null) stats.limited += 1;
    if (call.cause === 'flood') stats.flood += 1;
    if (call.holdMs > 0) stats.held += 1;
  };

  // null: no such route.
  handle(model: TelegramModel, route: string, params: SimParams): unknown {
    switch (route) {
      case 'GET /sim/stats':
        return { ...this.#stats, windowsExceeded: this.#stats.flood + this.#stats.held };
      case 'GET /sim/calls':
        return this.#since(intOf(params, 'since') ?? 0);
      case 'GET /sim/messages':
        return model.messagesOf(textOf(params, 'chat'));
      case 'POST /sim/update': {
        const text = textOf(params, 'text');
        return model.inject(
          textOf(params, 'token'),
          textOf(params, 'chat'),
          text,
          this.#clock.now(),
        );
      }
      case 'POST /sim/faults':
        return this.#setFaults(params);
      case 'POST /sim/chats':
        return this.#setChat(model, params);
      case 'POST /sim/revoke':
        model.revoke(textOf(params, 'token'));
        return { ok: true };
      default:
        return null;
    }
  }

  // `next` is what to ask from the next time.
  #since(since: number): unknown {
    const calls = [];
    for (let i = Math.max(since, this.#judged - CALLS_MAX); i < this.#judged; i++) {
      const { token, ...call } = this.#calls[i % CALLS_MAX]!;
      calls.push({ n: i, bot: token.split(':')[0], ...call });
    }
    return { next: this.#judged, calls };
  }

  // A script is added to what is there; rates replace what was; neither clears both.
  #setFaults(params: SimParams): unknown {
    const script = listOf(params, 'script') as readonly ScriptedFault[];
    const rates = jsonOf(params, 'rates') as FaultRates | undefined;
    for (const line of script) this.#script.add(line);
    if (rates !== undefined) this.#rates = randomFaults(this.#random, rates);
    if (script.length === 0 && rates === undefined) {
      this.#script.clear();
      this.#rates = randomFaults(this.#random, {});
    }
    return { ok: true };
  }

  #setChat(model: TelegramModel, params: SimParams): unknown {
    const chat = textOf(params, 'chat');
    const kind = textOf(params, 'state');
    if (kind !== '' && !CHAT_STATES.includes(kind)) return { ok: false, states: CHAT_STATES };
    if (kind === 'migrated') model.setChat(chat, { kind, to: textOf(params, 'to') });
    else if (kind !== '') model.setChat(chat, { kind } as ChatState);
    if (params.channel === true) model.setChannel(chat);
    const seconds = intOf(params, 'freezeSeconds');
    if (seconds !== null) model.freeze(textOf(params, 'token'), chat, seconds, this.#clock.now());
    return { ok: true };
  }
}
