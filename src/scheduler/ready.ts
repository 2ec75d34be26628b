// The chats of one account that could go now, by gate and class. A chat stands where its offer and its best class say;
// gates take turns at being asked first, classes share by weight, chats of a class take turns.

import { GATES } from '../domain/call.ts';
import type { Chat, Flow } from './chat.ts';
import type { Pacing } from './pacing.ts';
import { CLASS_COUNT, ClassPicker, type Weights } from './picker.ts';
import { FairRings } from './turns.ts';

export class Ready {
  readonly #picker: ClassPicker;
  // By gate, then by class; made when first needed, because most accounts use few of them.
  readonly #turns: (FairRings | undefined)[] = Array(GATES.length * CLASS_COUNT).fill(undefined);
  #gateTurn = 0;
  // Of the last choice.
  #class = 0;
  #present = 0;

  constructor(weights: Weights) {
    this.#picker = new ClassPicker(weights);
  }

  place(chat: Chat, isLong: boolean): void {
    this.#turnsOf(chat, chat.offer!).place(chat, isLong);
  }

  // A chat whose gate is open, by class and turn; or when a gate opens.
  choose(limits: Pacing, now: number): Chat | number {
    let opens = Number.POSITIVE_INFINITY;
    let present = 0;
    const candidates: (Chat | undefined)[] = [];
    // So that no gate wins every tie.
    this.#gateTurn = (this.#gateTurn + 1) % GATES.length;
    for (let g = 0; g < GATES.length; g++) {
      const gate = (g + this.#gateTurn) % GATES.length;
      for (let c = 0; c < CLASS_COUNT; c++) {
        const chat = this.#turns[gate * CLASS_COUNT + c]?.next() ?? null;
        if (chat === null) continue;
        const at = limits.earliestAccount(chat.offer!.head!.queued, now);
        if (at > now) {
          opens = Math.min(opens, at);
          continue;
        }
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
    const place = GATES.indexOf(offer.head!.queued.gate) * CLASS_COUNT + best;
    let turns = this.#turns[place];
    if (turns === undefined) {
      turns = new FairRings();
      this.#turns[place] = turns;
    }
    return turns;
  }
}
