// One observer's stream, led by what is seen of its origin. It is always brought to the newest text that was seen,
// whatever lies between: so nothing waits behind another, and what was not seen is not missed.

import { JournalUnavailable, TakenOver } from '../store/ports/unavailable.ts';
import { type Clock, sleep } from '../system/clock.ts';
import { CUT_REASONS, type Fed, type Live, type StreamChange, type StreamView } from './streams.ts';
import { idleMsOf } from './watch.ts';

// A full queue, or a store that cannot be written, is so for a while.
const AGAIN_MS = 1000;
const NOTHING: StreamChange = { kind: 'append', text: '' };

export interface FollowerPorts {
  readonly live: Live;
  readonly clock: Clock;
  // It follows no more, for whatever reason.
  over(): void;
  // Its following came to an end that nobody asked for.
  lose(reason: string): void;
}

export class Follower {
  readonly own: StreamView;
  readonly #p: FollowerPorts;
  // What its chat is told.
  #text: string;
  #seen: StreamView | null = null;
  #isAtWork = false;
  #isOver = false;
  #fedAt: number;

  constructor(own: StreamView, ports: FollowerPorts) {
    this.own = own;
    this.#p = ports;
    this.#text = own.text;
    this.#fedAt = ports.clock.now();
  }

  // How its origin stands. What its final says is certain once that is on the road: until then the queue may refuse it.
  show(origin: StreamView): void {
    if (this.#isOver || hasEnded(this.#seen)) return;
    if (origin.state === 'finishing' && !hasEnded(origin)) return;
    this.#seen = origin;
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    this.#follow().catch((error) => this.lose(reasonOf(error)));
  }

  // Its origin is silent, and not yet at an end: neither is it.
  keepAlive(): void {
    const now = this.#p.clock.now();
    if (this.#isOver || now - this.#fedAt < idleMsOf(this.own) / 2) return;
    this.#fedAt = now;
    const { live } = this.#p;
    live
      .change(this.own.id, NOTHING, 'lazy')
      .catch(whenUnavailable)
      .catch((error) => this.lose(reasonOf(error)));
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#p.over();
  }

  lose(reason: string): void {
    if (!this.#isOver) this.#p.lose(reason);
    this.stop();
  }

  async #follow(): Promise<void> {
    for (let done: StreamView | null = null; this.#seen !== done && !this.#isOver; ) {
      const origin: StreamView = this.#seen!;
      const fed = await this.#bring(origin).catch(whenGone).catch(whenUnavailable);
      // Whoever has its account by now has taken it up there.
      if (fed === 'gone') this.stop();
      else if (fed === null || fed.kind === 'queue_full') await sleep(this.#p.clock, AGAIN_MS);
      else if (fed.kind !== 'taken') this.lose(fed.kind);
      else {
        done = origin;
        if (hasEnded(origin)) this.stop();
      }
    }
    this.#isAtWork = false;
  }

  // As its origin: grown, cancelled, or final with exactly its text.
  async #bring({ state, text, reason }: StreamView): Promise<Fed> {
    const { live, clock } = this.#p;
    const { id } = this.own;
    if (state === 'cancelled') return live.cancel(id);
    const whole: StreamChange = { kind: 'replace', text };
    if (state !== 'open') {
      const cut = CUT_REASONS.find((known) => known === reason);
      const fed = await live.final(id, whole, cut);
      // Should somebody else end it before there is room: with all of its text.
      if (fed.kind === 'queue_full') await live.change(id, whole, 'lazy');
      return fed;
    }
    if (text === this.#text) return { kind: 'taken', view: this.own };
    this.#fedAt = clock.now();
    const fed = await live.change(id, whole, 'lazy');
    if (fed.kind === 'taken') this.#text = text;
    return fed;
  }
}

function hasEnded(origin: StreamView | null): boolean {
  if (origin === null || origin.state === 'open') return false;
  return origin.state !== 'finishing' || origin.finals.length > 0;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function whenGone(error: unknown): 'gone' {
  if (error instanceof TakenOver) return 'gone';
  throw error;
}

function whenUnavailable(error: unknown): null {
  if (error instanceof JournalUnavailable) return null;
  throw error;
}
