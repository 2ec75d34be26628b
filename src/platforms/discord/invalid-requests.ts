// Discord bans an address that earns 10,000 refusals (401, 403, 429 that is not shared) in ten minutes. Two budgets
// stand before that. A channel that refuses again and again is asked rarely, and its calls are refused from here
// meanwhile: other channels go on. And when the refusals of all of them together reach a bound, nothing is asked until
// enough of them are old.

import type { Clock } from '../../system/clock.ts';
import type { Reply, StreamedReply } from '../../system/transport.ts';

const WINDOW_MS = 10 * 60_000;
// So many refusals of one channel in a row, and it is asked once per pause.
const CHANNEL_REFUSALS_MAX = 10;
const CHANNEL_PAUSE_MS = 60_000;
// Of channels that are looked after; more than that, and the oldest are forgotten.
const CHANNELS_MAX = 10_000;

const INVALID = [401, 403, 429];

// Of an answer that is given in Discord's place.
export const NOT_ASKED = { 'x-sluice-asked': 'no' } as const;

type Answered = Extract<Reply, { kind: 'answered' }>;

interface Refusing {
  count: number;
  askAt: number;
  readonly last: Answered;
}

export class InvalidRequests {
  readonly #clock: Clock;
  readonly #max: number;
  // Times of the newest `max`, as a ring.
  readonly #times: Float64Array;
  #next = 0;
  // By account and channel. Insertion order is age order.
  readonly #channels = new Map<string, Refusing>();

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
    this.#times = new Float64Array(max).fill(Number.NEGATIVE_INFINITY);
  }

  // What everyone is answered in Discord's place; null: it is to be asked.
  spent(): Answered | null {
    const leftMs = this.#times[this.#next]! + WINDOW_MS - this.#clock.now();
    return leftMs > 0 ? tooMany(this.#max, leftMs) : null;
  }

  // The same, of one channel.
  instead(place: string): Answered | null {
    const now = this.#clock.now();
    const spent = this.spent();
    if (spent !== null) return spent;
    const refusing = this.#channels.get(place);
    if (refusing === undefined || refusing.count < CHANNEL_REFUSALS_MAX) return null;
    if (now < refusing.askAt) return refusing.last;
    refusing.askAt = now + CHANNEL_PAUSE_MS;
    return null;
  }

  answered(place: string, reply: Reply): void {
    if (reply.kind !== 'answered') return;
    if (reply.status < 400) this.#channels.delete(place);
    this.count(reply);
    if (reply.status === 403) this.#refused(place, reply);
  }

  // Of any call, a read as well.
  count(reply: Reply | StreamedReply): void {
    if (reply.kind !== 'answered' || !INVALID.includes(reply.status)) return;
    if (reply.headers['x-ratelimit-scope'] === 'shared') return;
    this.#times[this.#next] = this.#clock.now();
    this.#next = (this.#next + 1) % this.#max;
  }

  #refused(place: string, last: Answered): void {
    const before = this.#channels.get(place);
    const count = (before?.count ?? 0) + 1;
    const askAt = this.#clock.now() + CHANNEL_PAUSE_MS;
    this.#channels.delete(place);
    this.#channels.set(place, { count, askAt, last: { ...last, headers: NOT_ASKED } });
    if (this.#channels.size <= CHANNELS_MAX) return;
    for (const oldest of this.#channels.keys()) {
      this.#channels.delete(oldest);
      return;
    }
  }
}

// As Discord would say it, with a scope that no ban follows from.
function tooMany(max: number, waitMs: number): Answered {
  const message = `${max} calls were refused in ten minutes: nothing is asked, so that Discord bans nobody.`;
  const body = JSON.stringify({ message, retry_after: waitMs / 1000, global: true });
  const headers = { 'content-type': 'application/json', 'x-ratelimit-scope': 'global' };
  return { kind: 'answered', status: 429, headers, body };
}
