// A chat that streams are shown in: its turns, and at most one showing under way. It asks whose turn it is and
// whether a call could go, and only then shows something; so nothing waits in the queue that a newer text would
// replace, and while a chat is closed nothing is written down for it.

import type { AccountId } from '../../domain/ids.ts';
import type { Clock, Timer } from '../../system/clock.ts';
import type { OutputPace } from '../policy.ts';
import type { ShowResult } from '../showing.ts';
import { ChatTurns } from './session-turns.ts';
import { Slots } from './slots.ts';

// When nobody knows when the chat opens: events say it sooner.
const LOOK_AGAIN_MS = 2000;
// Finals have right of way, but one that does not get through must not stop the chat: so long, and for each that waits.
const FINALS_FIRST_MS = 60_000;
const FINAL_MS = 3000;

// What is shown here: a stream, or a message that is edited again and again.
export interface LiveText {
  readonly id: string;
  readonly session: string;
  readonly state: string;
  // The oldest change that is not shown yet; null: all is shown.
  readonly staleSince: number | null;
}

export interface OutputPorts {
  readonly clock: Clock;
  textOf(id: string): LiveText | null;
  // When a showing of it could go, with room for the finals of so many sessions left behind it.
  earliest(text: LiveText, active: number): number;
  show(text: LiveText): Promise<ShowResult>;
  // An exception while it was to be shown: it ends.
  broken(text: LiveText, error: unknown): void;
}

export class Output {
  readonly turns = new ChatTurns();
  readonly pace: OutputPace;
  readonly slots: Slots;
  readonly of: { readonly account: AccountId; readonly chat: string; readonly platform: string };
  // Since when the finals of its streams wait.
  readonly finals = new Map<string, number>();
  readonly #p: OutputPorts;
  // When it looks again.
  #nextAt = Number.POSITIVE_INFINITY;
  #showing: LiveText | null = null;
  #timer: Timer | null = null;
  #isBusy = false;
  #isStopped = false;

  constructor(ports: OutputPorts, pace: OutputPace, of: Output['of']) {
    this.#p = ports;
    this.pace = pace;
    this.slots = new Slots(pace.slotMs, pace.slotsSpared);
    this.of = of;
  }

  // Its producer said something.
  emitted({ session }: LiveText): void {
    this.turns.emitted(session, this.#p.clock.now());
  }

  want({ session, id, staleSince }: LiveText): void {
    this.turns.want(session, id, staleSince ?? this.#p.clock.now());
    this.consider();
  }

  leave(stream: LiveText): void {
    this.turns.leave(stream.session, stream.id);
  }

  // It is over, whatever of it waited.
  gone(stream: LiveText): void {
    this.leave(stream);
    if (this.finals.delete(stream.id)) this.consider();
  }

  finalWaits(stream: LiveText): void {
    this.leave(stream);
    this.finals.set(stream.id, this.#p.clock.now());
  }

  finalEnded(stream: LiveText): void {
    this.finals.delete(stream.id);
    this.consider();
  }

  stop(): void {
    this.#isStopped = true;
    this.rest();
  }

  // Whoever wanted to be shown when the chat opens may have left: an idle one must not keep the process awake for it.
  rest(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  // When it is shown, if nothing comes between; Infinity: nobody knows.
  soonest(text: LiveText, now: number): number {
    if (this.#showing !== null) return this.#showing === text ? now : Number.POSITIVE_INFINITY;
    const isAlone = this.turns.waits().length <= 1;
    return this.#timer !== null && isAlone ? this.#nextAt : Number.POSITIVE_INFINITY;
  }

  // Shows what may be shown now, or looks again when it may.
  consider(): void {
    if (this.#isBusy || this.#isStopped) return;
    this.#timer?.cancel();
    this.#timer = null;
    const next = this.#next(this.#p.clock.now());
    if (typeof next === 'object') {
      this.#isBusy = true;
      this.#showing = next;
      void this.#show(next);
    } else if (next !== Number.POSITIVE_INFINITY) {
      this.#nextAt = next;
      this.#timer = this.#p.clock.schedule(next, () => this.consider());
    }
  }

  // The stream to show now, or when to ask again; Infinity: when something changes.
  #next(now: number): LiveText | number {
    const finalsUntil = this.#finalsUntil(now);
    if (finalsUntil > now) return finalsUntil;
    for (;;) {
      const turn = this.turns.next(this.pace, now);
      if (turn.kind === 'idle') return Number.POSITIVE_INFINITY;
      if (turn.kind === 'wait') return turn.until;
      const stream = this.#p.textOf(turn.stream);
      if (stream?.state === 'open') {
        const at = this.#earliest(stream, this.turns.active(this.pace, now));
        // The road looks at the clock itself, and a clock that runs is a little further by then.
        if (at !== null && at <= this.#p.clock.now()) return stream;
        if (at !== null) return Number.isFinite(at) ? at : now + LOOK_AGAIN_MS;
      }
      this.turns.leave(turn.session, turn.stream);
    }
  }

  // null: it is broken, and no longer waits.
  #earliest(stream: LiveText, active: number): number | null {
    try {
      return Math.max(this.slots.previewAt, this.#p.earliest(stream, active));
    } catch (error) {
      this.#p.broken(stream, error);
      return null;
    }
  }

  isIdle(now: number): boolean {
    return !this.#isBusy && this.finals.size === 0 && this.turns.forgetIdle(this.pace, now);
  }

  // Who is shown before it.
  beforeInWords(before: readonly string[]): string {
    const [next] = before;
    if (next === undefined) return 'it is the next of its chat; ';
    const count = before.length === 1 ? '1 session' : `${before.length} sessions`;
    return `${count} of its chat before it, first ${next}; `;
  }

  // Why it is not a stream's turn, in words.
  turnInWords(now: number): string {
    const { budgetMpm } = this.pace;
    const active = this.turns.active(this.pace, now);
    const tickS = this.turns.tick(this.pace, now) / 1000;
    const shared = budgetMpm === null ? '' : `, ${active} of which share ${budgetMpm} a minute`;
    if (this.finals.size > 0) return 'finals of its chat go first';
    return `its turn: one showing every ${tickS} s for each session${shared}`;
  }

  async #show(stream: LiveText): Promise<void> {
    const { session, id } = stream;
    this.turns.leave(session, id);
    const shownAt = this.#p.clock.now();
    const shown = await this.#tryToShow(stream);
    if (shown !== 'nothing') this.turns.shown(session, shownAt);
    if (stream.state === 'open' && stream.staleSince !== null && shown !== 'nothing') {
      this.turns.want(session, id, stream.staleSince);
    }
    this.#isBusy = false;
    this.#showing = null;
    this.consider();
  }

  async #tryToShow(stream: LiveText): Promise<ShowResult> {
    try {
      return await this.#p.show(stream);
    } catch (error) {
      this.#p.broken(stream, error);
      return 'nothing';
    }
  }

  #finalsUntil(now: number): number {
    const patienceMs = FINALS_FIRST_MS + FINAL_MS * this.finals.size;
    let until = now;
    for (const since of this.finals.values()) until = Math.max(until, since + patienceMs);
    return until;
  }
}
