// Whose turn is it to be shown in a chat? Sessions that have something new are shown once in each round: of those that
// have had the fewest rounds whoever was shown longest ago goes next, not before its tick, and not before the chat's
// own spacing. One that is shown ahead of its turn has had its next round, and is never more than a few ahead; one that
// has nothing new loses the rounds that go by. Pure: `now` is an argument.
// A session is remembered while it is active and a tick longer, so that ending one text and beginning the next does
// not put it ahead of the others; then it is forgotten.

import { type Cadence, type Smoothed, smooth, spacingMs, tickMs } from './cadence.ts';

// While the smoothed number falls, the tick shrinks: look again before it would have ended.
const SHRINKS_BY = 0.05;
const LOOK_AGAIN_MS = 1000;
// One whose texts are mistaken for last ones again and again would not be shown for as long.
const ROUNDS_AHEAD_MAX = 3;

interface Session {
  // Streams of the session with something new, the longest-waiting first.
  readonly wanting: Map<string, number>;
  emittedAt: number;
  shownAt: number;
  // So many rounds it has had.
  rounds: number;
}

export interface TurnPace extends Cadence {
  readonly activeWindowMs: number;
}

export type Turn =
  | { kind: 'show'; session: string; stream: string }
  | { kind: 'wait'; until: number }
  | { kind: 'idle' };

export class ChatTurns {
  readonly #sessions = new Map<string, Session>();
  #smoothed: Smoothed | null = null;
  #shownAt = Number.NEGATIVE_INFINITY;
  // Those that whoever was shown last in its turn had had before.
  #rounds = 0;

  // Its producer said something.
  emitted(session: string, now: number): void {
    this.#of(session).emittedAt = now;
  }

  // It has had something to show since then; no change if it had before.
  want(session: string, stream: string, since: number): void {
    const wants = this.#of(session);
    if (wants.wanting.size === 0) wants.rounds = Math.max(wants.rounds, this.#rounds);
    if (!wants.wanting.has(stream)) wants.wanting.set(stream, since);
  }

  // Nothing new any more: shown, ended, or withdrawn.
  leave(session: string, stream: string): void {
    this.#sessions.get(session)?.wanting.delete(stream);
  }

  shown(session: string, now: number): void {
    this.#rounds = Math.max(this.#rounds, this.#of(session).rounds);
    this.shownAhead(session, now);
  }

  // Not in its turn.
  shownAhead(name: string, now: number): void {
    const session = this.#of(name);
    const rounds = Math.max(session.rounds, this.#rounds) + 1;
    session.rounds = Math.min(rounds, this.#rounds + ROUNDS_AHEAD_MAX);
    session.shownAt = now;
    this.#shownAt = now;
  }

  next(pace: TurnPace, now: number): Turn {
    const tick = this.tick(pace, now);
    let chosen: { name: string; session: Session } | null = null;
    for (const [name, session] of this.#sessions) {
      if (session.wanting.size === 0) continue;
      if (chosen === null || isBefore(session, chosen.session)) chosen = { name, session };
    }
    if (chosen === null) return { kind: 'idle' };
    const until = Math.max(this.#shownAt + spacingMs(pace), chosen.session.shownAt + tick);
    if (until > now) return { kind: 'wait', until: this.#lookAgain(until, pace, now) };
    const [stream] = chosen.session.wanting.keys();
    return { kind: 'show', session: chosen.name, stream: stream! };
  }

  // The time between two showings of one session, as it is now.
  tick(pace: TurnPace, now: number): number {
    this.#smoothed = smooth(this.#smoothed, this.active(pace, now), now);
    return tickMs(pace, this.#smoothed.value);
  }

  // Sessions with something new, or with a word from their producer lately.
  active({ activeWindowMs }: TurnPace, now: number): number {
    let active = 0;
    for (const { wanting, emittedAt } of this.#sessions.values()) {
      if (wanting.size > 0 || emittedAt >= now - activeWindowMs) active += 1;
    }
    return active;
  }

  // Since when each session with something new has waited.
  waits(): { session: string; since: number }[] {
    const waits: { session: string; since: number }[] = [];
    for (const [session, { wanting }] of this.#sessions) {
      const [since] = wanting.values();
      if (since !== undefined) waits.push({ session, since });
    }
    return waits;
  }

  // Those with something new that have had fewer rounds than it has.
  shownLess(name: string): string[] {
    const { rounds } = this.#of(name);
    const wanting = [...this.#sessions].filter(([, { wanting }]) => wanting.size > 0);
    return wanting.filter(([, session]) => session.rounds < rounds).map(([less]) => less);
  }

  // Sessions that are shown before it, whoever is next first.
  before(session: string): string[] {
    const wanting = [...this.#sessions].filter(([, { wanting }]) => wanting.size > 0);
    const inOrder = wanting.sort(([, a], [, b]) => Number(isBefore(b, a)) - Number(isBefore(a, b)));
    const names = inOrder.map(([name]) => name);
    return names.slice(0, Math.max(0, names.indexOf(session)));
  }

  // True: nothing is left, and the chat may be forgotten too.
  forgetIdle(pace: TurnPace, now: number): boolean {
    const keepMs = Math.max(pace.activeWindowMs, this.tick(pace, now));
    for (const [name, { wanting, emittedAt, shownAt }] of this.#sessions) {
      const isIdle = Math.max(emittedAt, shownAt) < now - keepMs;
      if (wanting.size === 0 && isIdle) this.#sessions.delete(name);
    }
    return this.#sessions.size === 0;
  }

  #lookAgain(until: number, pace: TurnPace, now: number): number {
    const shrinks = this.#smoothed!.value - this.active(pace, now) > SHRINKS_BY;
    return shrinks ? Math.min(until, now + LOOK_AGAIN_MS) : until;
  }

  #of(name: string): Session {
    let session = this.#sessions.get(name);
    if (session === undefined) {
      const never = Number.NEGATIVE_INFINITY;
      session = { wanting: new Map(), emittedAt: never, shownAt: never, rounds: this.#rounds };
      this.#sessions.set(name, session);
    }
    return session;
  }
}

function isBefore(a: Session, b: Session): boolean {
  return a.rounds === b.rounds ? a.shownAt < b.shownAt : a.rounds < b.rounds;
}
