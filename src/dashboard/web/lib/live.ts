// The overview, kept fresh by the gateway once a second. When the line breaks it is tried again, and the page says so;
// what was shown last stays.

import { request } from './api.ts';
import { later, wallNow } from './browser.ts';
import { session } from './session-store.ts';
import { eventsOf } from './sse.ts';
import { Store } from './store.ts';
import type { Overview, Series, Tick } from './wire/wire.ts';

const RETRY_MS = 1000;
const RETRY_MS_MAX = 10_000;
// The gateway speaks every second; a line that is silent for longer is broken.
const SILENCE_MS_MAX = 15_000;
const SECONDS_KEPT = 900;

export const overview = new Store<Overview | null>(null);
export const line = new Store<'joining' | 'live' | 'away'>('joining');
// How far the gateway's clock is from this machine's.
export const clockOffsetMs = new Store(0);

// Follows until it is told to stop.
export function startLive(): () => void {
  // Whoever comes in now may see less than whoever went out.
  overview.set(null);
  line.set('joining');
  let isOn = true;
  let stopWaiting = () => {};
  const hangUp = new AbortController();
  const run = async (retryMs: number) => {
    if (!isOn) return;
    const wasLive = await readLine(hangUp).catch(() => false);
    if (!isOn) return;
    line.set('away');
    const wait = wasLive ? RETRY_MS : Math.min(retryMs, RETRY_MS_MAX);
    stopWaiting = later(wait, () => void run(wait * 2));
  };
  const stop = () => {
    isOn = false;
    stopWaiting();
    hangUp.abort();
  };
  // At once, not when the screens are next drawn: whoever signs out is cut off by the gateway soon after.
  const unfollow = session.follow(({ kind }) => kind !== 'in' && stop());
  void run(RETRY_MS);
  return () => {
    unfollow();
    stop();
  };
}

async function readLine(all: AbortController): Promise<boolean> {
  const quiet = new AbortController();
  const signal = AbortSignal.any([all.signal, quiet.signal]);
  const watch = () => later(SILENCE_MS_MAX, () => quiet.abort());
  let stopWatching = watch();
  let wasLive = false;
  try {
    const answer = await request('GET', '/v1/overview/events', undefined, signal);
    for await (const { kind, data } of eventsOf(answer)) {
      // Read before the line was cut, and told to who is in now.
      if (signal.aborted) break;
      stopWatching();
      stopWatching = watch();
      if (kind === 'overview') overview.set(data as Overview);
      else if (kind === 'tick') advance(data as Tick);
      else continue;
      clockOffsetMs.set(Date.parse((data as Tick).at) - wallNow());
      line.set('live');
      wasLive = true;
    }
  } catch {
    // Away, refused or cut off: whoever called decides what then.
  }
  stopWatching();
  return wasLive;
}

function advance(tick: Tick): void {
  const before = overview.value;
  if (before === null) return;
  overview.set({ ...before, ...tick, series: extended(before.series, tick) });
}

// Seconds that no tick told of were quiet, or the gateway was too busy to tell; their numbers are not known.
function extended(series: Series, { second }: Tick): Series {
  const missed = second.until - series.until;
  if (missed <= 0) return series;
  const grow = (values: readonly number[], last: number) =>
    [...values, ...Array.from({ length: Math.min(missed, SECONDS_KEPT) - 1 }, () => 0), last].slice(
      -SECONDS_KEPT,
    );
  return {
    until: second.until,
    accepted: grow(series.accepted, second.accepted),
    sent: grow(series.sent, second.sent),
    limited: grow(series.limited, second.limited),
    failed: grow(series.failed, second.failed),
    dead: grow(series.dead, second.dead),
    waiting: grow(series.waiting, second.waiting),
  };
}
