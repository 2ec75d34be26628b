// Discord bans an address that earns 10,000 refusals (401, 403, 429 that is not shared) in ten minutes. Two budgets
// stand before that. A channel that refuses again and again is asked rarely, and its calls are refused from here
// meanwhile: other channels go on. And when the refusals of all of them together reach a bound, nothing is asked until
// enough of them are old. Whoever runs the gateway is told of both: in the log when it begins, and as a trouble while
// it lasts.

import type { Clock } from '../../system/clock.ts';
import type { Reply, StreamedReply } from '../../system/http/transport.ts';
import type { PlatformTrouble, Warn } from '../trouble.ts';

const WINDOW_MS = 10 * 60_000;
// So many refusals of one channel in a row, and it is asked once per pause.
const CHANNEL_REFUSALS_MAX = 10;
const CHANNEL_PAUSE_MS = 60_000;
// Of channels that are looked after; more than that, and the oldest are forgotten.
const CHANNELS_MAX = 10_000;

// So many of them are named where they are told of.
const CHANNELS_NAMED = 3;

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
  // By speaker and channel. Insertion order is age order.
  readonly #channels = new Map<string, Refusing>();
  readonly #warn: Warn;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, max: number, warn: Warn) {
    this.#warn = warn;
    this.#clock = clock;
    this.#max = max;
    this.#times = new Float64Array(max).fill(Number.NEGATIVE_INFINITY);
  }

  // What everyone is answered in Discord's place; null: it is to be asked.
  spent(): Answered | null {
    const leftMs = this.#spentUntil() - this.#clock.now();
    return leftMs > 0 ? tooMany(this.#max, leftMs) : null;
  }

  #spentUntil(): number {
    return this.#times[this.#next]! + WINDOW_MS;
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
    this.#tellIfSpent();
  }

  // Once in a window: where refusals go on, each that grows old makes room for the next.
  #tellIfSpent(): void {
    const now = this.#clock.now();
    const until = this.#spentUntil();
    if (until <= now || now - this.#toldAt < WINDOW_MS) return;
    this.#toldAt = now;
    const { code, summary, remedy } = spentTrouble(this.#max, until);
    this.#warn({ code, until: new Date(until).toISOString(), remedy }, summary);
  }

  troubles(): PlatformTrouble[] {
    const now = this.#clock.now();
    const until = this.#spentUntil();
    const places: string[] = [];
    for (const [place, { count, askAt }] of this.#channels) {
      // Of one that nobody calls any more nothing is known.
      if (count >= CHANNEL_REFUSALS_MAX && askAt + WINDOW_MS > now) places.push(place);
    }
    return [
      ...(until > now ? [spentTrouble(this.#max, until)] : []),
      ...(places.length > 0 ? [refusingTrouble(places)] : []),
    ];
  }

  #refused(place: string, last: Answered): void {
    const before = this.#channels.get(place);
    const count = (before?.count ?? 0) + 1;
    const askAt = this.#clock.now() + CHANNEL_PAUSE_MS;
    this.#channels.delete(place);
    this.#channels.set(place, { count, askAt, last: { ...last, headers: NOT_ASKED } });
    if (count === CHANNEL_REFUSALS_MAX) {
      const { code, summary, remedy } = refusingTrouble([place]);
      this.#warn({ code, remedy }, summary);
    }
    if (this.#channels.size <= CHANNELS_MAX) return;
    for (const oldest of this.#channels.keys()) {
      this.#channels.delete(oldest);
      return;
    }
  }
}

function spentTrouble(max: number, until: number): PlatformTrouble {
  return {
    code: 'invalid_requests',
    severity: 'critical',
    until,
    summary: `Discord has refused ${max} calls within ten minutes: none is made for now, so that it bans nobody.`,
    remedy:
      'Look at the dead letters for what is refused (a permission, a token) and stop it; ' +
      'it goes on by itself at that time.',
  };
}

function refusingTrouble(places: readonly string[]): PlatformTrouble {
  const named = places.slice(0, CHANNELS_NAMED).map((place) => {
    const [speaker, channel] = place.split(' ');
    return `${channel} to discord:${speaker}`;
  });
  const more = places.length > CHANNELS_NAMED ? ` and ${places.length - CHANNELS_NAMED} more` : '';
  return {
    code: 'channel_refused',
    severity: 'warning',
    until: null,
    summary: `Channels of Discord refuse every call (${named.join(', ')}${more}): each is asked once a minute.`,
    remedy:
      'Give the bot its permission back, or send nothing there; what was refused is among the dead letters.',
  };
}

// As Discord would say it, with a scope that no ban follows from.
function tooMany(max: number, waitMs: number): Answered {
  const message = `${max} calls were refused in ten minutes: nothing is asked, so that Discord bans nobody.`;
  const body = JSON.stringify({ message, retry_after: waitMs / 1000, global: true });
  const headers = { 'content-type': 'application/json', 'x-ratelimit-scope': 'global' };
  return { kind: 'answered', status: 429, headers, body };
}
