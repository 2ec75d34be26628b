// Flood control: may these messages pass, how long are they slept, or are they refused?
// One `ChatFlood` per bot and chat, one `BotFlood` per bot. All windows of a call are entered together
// or none. The one hard thing: short waits are not refusals but latency, longer ones are penalties.

import { SimWindow } from '../window.ts';
import type { SimTelegramOptions } from './options.ts';
import { Penalty } from './penalty.ts';

export type Bucket = 'message' | 'edit' | 'reaction' | 'typing';

export interface SimCharge {
  readonly bucket: Bucket;
  // Messages it counts for.
  readonly cost: number;
  // Which budget of the bot it spends; edits, answers and the rest spend none.
  readonly budget: 'broadcast' | 'paid' | 'none';
}

export type Flood =
  | { kind: 'pass'; holdMs: number }
  // `forced`: not earned by calling too fast. `admitted`: of an album, the part that still went through.
  | { kind: 'refused'; retryAfterS: number; forced: boolean; admitted: number; holdMs: number };

interface Toll {
  readonly window: SimWindow;
  readonly cost: number;
  readonly owner: 'chat' | 'bot';
}

export class BotFlood {
  readonly broadcast: SimWindow;
  readonly paid: SimWindow;
  readonly penalty: Penalty;

  constructor(options: SimTelegramOptions) {
    this.broadcast = new SimWindow(options.broadcast);
    this.paid = new SimWindow(options.paid);
    this.penalty = new Penalty(options);
  }
}

export class ChatFlood {
  readonly #options: SimTelegramOptions;
  readonly #bot: BotFlood;
  readonly #isPrivate: boolean;
  readonly #windows = new Map<string, SimWindow>();
  readonly #penalties = new Map<Bucket, Penalty>();

  constructor(options: SimTelegramOptions, bot: BotFlood, isPrivate: boolean) {
    this.#options = options;
    this.#bot = bot;
    this.#isPrivate = isPrivate;
  }

  // `isTaken`: the chat takes messages; one that does not takes no part of an album either.
  judge(charge: SimCharge, now: number, isTaken: boolean): Flood {
    if (this.#options.truth === Number.POSITIVE_INFINITY) return { kind: 'pass', holdMs: 0 };
    const bucket = this.#bucketOf(charge.bucket);
    const met = this.#activePenalty(bucket, charge, now);
    if (met !== null) return met;
    const hiddenMsMax =
      bucket === 'typing' ? this.#options.hiddenTypingMsMax : this.#options.hiddenWaitMsMax;
    const tolls = this.#tolls(bucket, charge);
    const waitMs = Math.max(0, ...tolls.map((t) => t.window.earliest(now, t.cost) - now));
    if (waitMs <= hiddenMsMax)
      return { kind: 'pass', holdMs: this.#enter(tolls, now + waitMs, now) };
    const partMax = isTaken ? charge.cost - 1 : 0;
    return this.#refuse(bucket, charge, tolls, waitMs, hiddenMsMax, partMax, now);
  }

  // Refuses everything of this chat for a while, for no reason of the bot's.
  freeze(now: number, seconds: number): void {
    this.#penaltyOf('message').force(now, seconds);
    if (this.#options.edits === 'separate') this.#penaltyOf('edit').force(now, seconds);
  }

  #activePenalty(bucket: Bucket, charge: SimCharge, now: number): Flood | null {
    const penalties = [this.#penaltyOf(bucket)];
    if (charge.budget === 'broadcast') penalties.push(this.#bot.penalty);
    for (const penalty of penalties) {
      const retryAfterS = penalty.admit(now);
      if (retryAfterS !== null) {
        return { kind: 'refused', retryAfterS, forced: penalty.isForced, admitted: 0, holdMs: 0 };
      }
    }
    return null;
  }

  // Part of an album may still be admitted; the rest is what is refused.
  #refuse(
    bucket: Bucket,
    charge: SimCharge,
    tolls: readonly Toll[],
    waitMs: number,
    hiddenMsMax: number,
    partMax: number,
    now: number,
  ): Flood {
    const tightest = tolls.find((t) => t.window.earliest(now, t.cost) - now === waitMs);
    let admitted = 0;
    let holdMs = 0;
    for (let part = partMax; part > 0 && admitted === 0; part--) {
      const fewer = this.#tolls(bucket, { ...charge, cost: part });
      const partMs = Math.max(0, ...fewer.map((t) => t.window.earliest(now, t.cost) - now));
      if (partMs > hiddenMsMax) continue;
      admitted = part;
      holdMs = this.#enter(fewer, now + partMs, now);
    }
    const penalty = tightest?.owner === 'bot' ? this.#bot.penalty : this.#penaltyOf(bucket);
    return {
      kind: 'refused',
      retryAfterS: penalty.close(now, waitMs),
      forced: false,
      admitted,
      holdMs,
    };
  }

  // The bot's budget is spent when the bot's own turn comes: a chat that waits longer delays no other.
  #enter(tolls: readonly Toll[], at: number, now: number): number {
    for (const { window, cost, owner } of tolls) {
      window.add(owner === 'bot' ? window.earliest(now, cost) : at, cost);
    }
    return at - now;
  }

  // The minute counts messages; the spacing counts calls, for an album arrives as one.
  #tolls(bucket: Bucket, charge: SimCharge): Toll[] {
    const { groupMinute, groupSpacing, privateBurst, reactions, typing, edits } = this.#options;
    const tolls: Toll[] = [];
    const chat = (name: string, rate: typeof typing, cost: number) =>
      tolls.push({ window: this.#windowOf(name, rate), cost, owner: 'chat' });
    if (bucket === 'reaction') chat('reaction', reactions, 1);
    else if (bucket === 'typing') chat('typing', typing, 1);
    else if (bucket === 'message' || edits === 'separate') {
      if (this.#isPrivate) chat(`${bucket} burst`, privateBurst, 1);
      else {
        chat(`${bucket} minute`, groupMinute, charge.cost);
        chat(`${bucket} spacing`, groupSpacing, 1);
      }
    }
    if (charge.budget === 'broadcast') {
      tolls.push({ window: this.#bot.broadcast, cost: charge.cost, owner: 'bot' });
    } else if (charge.budget === 'paid') {
      tolls.push({ window: this.#bot.paid, cost: charge.cost, owner: 'bot' });
    }
    return tolls;
  }

  #bucketOf(bucket: Bucket): Bucket {
    return bucket === 'edit' && this.#options.edits === 'shared' ? 'message' : bucket;
  }

  #windowOf(name: string, rate: SimTelegramOptions['typing']): SimWindow {
    let window = this.#windows.get(name);
    if (window === undefined) {
      window = new SimWindow(rate);
      this.#windows.set(name, window);
    }
    return window;
  }

  #penaltyOf(bucket: Bucket): Penalty {
    let penalty = this.#penalties.get(bucket);
    if (penalty === undefined) {
      penalty = new Penalty(this.#options);
      this.#penalties.set(bucket, penalty);
    }
    return penalty;
  }
}
