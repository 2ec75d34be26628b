// Whose turn it is among the chats of an account that could go now.

import { type Chat, CLASS_COUNT, ClassPicker, type Flow, type Weights } from './chat.ts';
import { leaveRing, Ring } from './collections.ts';
import type { Hindrances } from './hindrances.ts';
import type { Pacing } from './pacing.ts';

// The account among whose chats is chosen.
interface Chosen {
  readonly limits: Pacing;
  readonly hindrances: Hindrances | null;
  noted(): Hindrances;
}

// Whose turn is it among the chats of one class? Two rings take turns: all chats in order, and those with a long way
// to go. A chat that has far more waiting than others is bound by its own pace: served only in order with all others
// it would still be sending, alone, long after they are done. Every chat keeps at least half of its fair share.

export class FairRings {
  readonly #all = new Ring<Chat>();
  readonly #long = new Ring<Chat>();
  #longIsNext = false;

  place(chat: Chat, isLong: boolean): void {
    const ring = isLong ? this.#long : this.#all;
    if (chat.ring === (ring as unknown)) return;
    leaveRing(chat);
    ring.push(chat);
  }

  next(): Chat | null {
    const [first, second] = this.#longIsNext ? [this.#long, this.#all] : [this.#all, this.#long];
    return first.turn() ?? second.turn();
  }

  // Before the chat leaves its ring.
  served(chat: Chat): void {
    if (chat.ring === (this.#long as unknown)) this.#longIsNext = false;
    else if (chat.ring === (this.#all as unknown)) this.#longIsNext = true;
  }
}

// The chats of one account that could go now, by budget and class. A chat stands where its offer and its best class
// say; budgets take turns at being asked first, classes share by weight, chats of a class take turns.

export class Ready {
  readonly #picker: ClassPicker;
  // Budgets in the order they were first seen here, and the turns of each, by class; made when first needed.
  readonly #budgets: string[] = [];
  readonly #turns: (FairRings | undefined)[] = [];
  #first = 0;
  // Of the last choice.
  #class = 0;
  #present = 0;

  constructor(weights: Weights) {
    this.#picker = new ClassPicker(weights);
  }

  place(chat: Chat, isLong: boolean): void {
    this.#turnsOf(chat, chat.offer!).place(chat, isLong);
  }

  // A chat whose budget is open, by class and turn; or when a budget opens.
  choose(account: Chosen, now: number): Chat | number {
    const { limits } = account;
    let opens = Number.POSITIVE_INFINITY;
    let present = 0;
    const candidates: (Chat | undefined)[] = [];
    const count = this.#budgets.length;
    // So that no budget wins every tie.
    this.#first = this.#first + 1 < count ? this.#first + 1 : 0;
    for (let b = 0; b < count; b++) {
      const budget = (b + this.#first) % count;
      for (let c = 0; c < CLASS_COUNT; c++) {
        const chat = this.#turns[budget * CLASS_COUNT + c]?.next() ?? null;
        if (chat === null) continue;
        const { queued } = chat.offer!.head!;
        const at = limits.earliestAccount(queued, now);
        if (at > now) {
          account.noted().closed(limits, queued, at, now);
          opens = Math.min(opens, at);
          continue;
        }
        account.hindrances?.opened(queued, now);
        present |= 1 << c;
        candidates[c] ??= chat;
      }
    }
    if (present === 0) return opens;
    this.#present = present;
    this.#class = this.#picker.choose(present);
    return candidates[this.#class]!;
  }

  // The choice is taken: its class pays. Before the chat leaves its ring.
  served(chat: Chat, cost: number): void {
    this.#picker.charge(this.#class, cost, this.#present);
    this.#turnsOf(chat, chat.offer!).served(chat);
  }

  // The best class it has waiting decides, so that nothing high waits behind something low.
  #turnsOf(chat: Chat, offer: Flow): FairRings {
    const best = 31 - Math.clz32(chat.present & -chat.present);
    const { budget } = offer.head!.queued;
    let at = this.#budgets.indexOf(budget);
    if (at === -1) {
      at = this.#budgets.push(budget) - 1;
      for (let c = 0; c < CLASS_COUNT; c++) this.#turns.push(undefined);
    }
    const place = at * CLASS_COUNT + best;
    this.#turns[place] ??= new FairRings();
    return this.#turns[place];
  }
}
