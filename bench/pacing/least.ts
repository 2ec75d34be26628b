// The least time in which the platform's rolling windows let a load through, counted from its first message.
// Written from the windows alone: no limit, scheduler or guard of ours is asked.

import type { SimTelegramOptions } from '../../src/sim/sim.ts';

export interface Window {
  readonly count: number;
  readonly perMs: number;
}

type Windows = Pick<
  SimTelegramOptions,
  'groupMinute' | 'groupSpacing' | 'privateBurst' | 'broadcast'
>;

// Each chat has its own windows, and the bot one for all: the tightest of them sets the time.
export function leastPossibleMs(load: ReadonlyMap<number, number>, windows: Windows): number {
  const { groupMinute, groupSpacing, privateBurst, broadcast } = windows;
  const ofChats = [...load].map(([chat, count]) =>
    lastAt(count, chat < 0 ? [groupMinute, groupSpacing] : [privateBurst]),
  );
  const all = [...load.values()].reduce((sum, count) => sum + count, 0);
  return Math.max(lastAt(all, [broadcast]), ...ofChats);
}

// When the last of `count` may go, if each goes as soon as every window lets it, after those that went before.
export function lastAt(count: number, windows: readonly Window[], before: readonly number[] = []) {
  const times = [...before];
  for (let i = 0; i < count; i++) times.push(nextAt(times, windows));
  return times.at(-1) ?? 0;
}

export function nextAt(times: readonly number[], windows: readonly Window[]): number {
  const opens = windows.map(({ count, perMs }) => {
    const oldest = times[times.length - count];
    return oldest === undefined ? 0 : oldest + perMs;
  });
  return Math.max(0, times.at(-1) ?? 0, ...opens);
}
