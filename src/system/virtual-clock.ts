// A clock that moves only when told to, for simulated worlds: hours pass in seconds and replay exactly.
// The one hard thing: between two timers everything the first set in motion must have settled, so after
// each timer the loop turns once (all microtasks are done by then). Equal times run in order of insertion.
// A turn of the loop asks the system for news, which takes longer than most timers do: where nothing but promises is
// set in motion (`promisesOnly`) it is enough that the microtasks have run out.

import type { Clock, Timer } from './clock.ts';

export interface VirtualClock extends Clock {
  // Fires every timer due at or before `until`, in order, and leaves the time at `until`. What was set in
  // motion before has settled first.
  run(until: number): Promise<void>;
  // Timers that still wait; cancelled ones may be counted until their time comes.
  pending(): number;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  run: (() => void) | null;
}

// So many timers at one time, one after the other, are work that arms itself again without end: no world comes near.
const TIMERS_AT_ONCE_MAX = 1_000_000;
// Before that it is noted who arms them.
const ARMED_NOTED = 20;

// So many timers of `promisesOnly` between two turns of the loop, which signals and output need.
const TIMERS_PER_TURN = 1000;

export function virtualClock(
  start: number,
  {
    promisesOnly = false,
    timersAtOnceMax = TIMERS_AT_ONCE_MAX,
  }: { readonly promisesOnly?: boolean; readonly timersAtOnceMax?: number } = {},
): VirtualClock {
  const heap: Entry[] = [];
  let time = start;
  let inserted = 0;
  let fired = 0;
  let atOnce = 0;
  const armed = new Set<string>();
  const settled = () =>
    promisesOnly && ++fired % TIMERS_PER_TURN !== 0 ? endOfMicrotasks() : turnOfTheLoop();

  return {
    now: () => time,
    schedule(at, run): Timer {
      if (atOnce > timersAtOnceMax - ARMED_NOTED) armed.add(callerOf(new Error()));
      const entry: Entry = { at: Math.max(at, time), order: inserted++, run };
      push(heap, entry);
      return {
        cancel() {
          entry.run = null;
        },
      };
    },
    async run(until) {
      // What was set in motion before the call may still arm timers.
      await turnOfTheLoop();
      for (let entry = heap[0]; entry !== undefined && entry.at <= until; entry = heap[0]) {
        pop(heap);
        if (entry.run === null) continue;
        atOnce = entry.at > time ? 0 : atOnce + 1;
        if (atOnce > timersAtOnceMax) throw new Error(standstill(entry.at, atOnce, armed));
        time = entry.at;
        entry.run();
        await settled();
      }
      time = Math.max(time, until);
    },
    pending: () => heap.length,
  };
}

function callerOf({ stack = '' }: Error): string {
  return stack.split('\n').slice(2, 5).join('\n');
}

function standstill(at: number, timers: number, armed: ReadonlySet<string>): string {
  const when = new Date(at).toISOString();
  return `${timers} timers ran at ${when}, and time does not pass; armed by\n${[...armed].join('\nor\n')}`;
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

// Ticks run when no microtask is left, those included that microtasks have made.
function endOfMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Entry[], entry: Entry): void {
  let i = heap.length;
  heap.push(entry);
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!isBefore(entry, heap[parent]!)) break;
    heap[i] = heap[parent]!;
    i = parent;
  }
  heap[i] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop()!;
  const size = heap.length;
  if (size === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= size) break;
    if (child + 1 < size && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
    if (!isBefore(heap[child]!, last)) break;
    heap[i] = heap[child]!;
    i = child;
  }
  heap[i] = last;
}
