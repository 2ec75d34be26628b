// What is left of a wait is told by times on disk, which were written by the wall clock. When that clock was set while
// nobody looked, the next process would end a freeze an hour early or an hour late. So every process writes down how
// its clock stands to the time since boot; the next one, in the same boot, knows by how much the wall clock has
// stepped, and moves what it reads. After a reboot only the wall clock is left; there a freeze is at least bounded by
// its own length.

import type { Queued } from '../domain/delivery.ts';
import type { StoredCall, StoredLimit } from '../journal/journal.ts';
import type { BootTime } from '../system/boot.ts';

// No account is called so, and no limit.
const ACCOUNT = '';
const KEY = 'clock';
// Less is no step: clocks are read one after the other, and are kept right in small pieces.
export const STEP_MS_MIN = 500;

export function isClockRecord({ account, key }: StoredLimit): boolean {
  return account === ACCOUNT && key === KEY;
}

export function clockRecord({ boot, ms }: BootTime, now: number): StoredLimit {
  const value = JSON.stringify({ boot, bootedAt: now - ms });
  return { account: ACCOUNT, key: KEY, value, updatedAt: now };
}

// How far the wall clock has stepped since the record was written; 0: not at all, or it cannot be told.
export function stepSince(records: readonly StoredLimit[], since: BootTime, now: number): number {
  const record = records.find(isClockRecord);
  if (record === undefined) return 0;
  const { boot, bootedAt } = readClock(record.value);
  if (boot !== since.boot || typeof bootedAt !== 'number') return 0;
  const step = now - since.ms - bootedAt;
  return Math.abs(step) < STEP_MS_MIN ? 0 : step;
}

function readClock(value: string): { boot?: unknown; bootedAt?: unknown } {
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}

// A time that its caller gave: it follows the wall clock, and everything else does not.
export function isScheduled({ dueAt, enterAt }: Queued): boolean {
  return dueAt > 0 && dueAt === enterAt;
}

// As it stands on the clock of this process. What is not scheduled came before now, whatever the clock said then.
export function shiftQueued(queued: Queued, stepMs: number, now: number): Queued {
  const { dueAt, expiresAt, enterAt } = queued;
  if (stepMs === 0 && enterAt <= now) return queued;
  const moved = { expiresAt: expiresAt === 0 ? 0 : Math.max(1, expiresAt + stepMs) };
  if (isScheduled(queued)) return { ...queued, ...moved };
  return {
    ...queued,
    ...moved,
    enterAt: Math.min(enterAt + stepMs, now),
    dueAt: dueAt === 0 ? 0 : Math.max(1, dueAt + stepMs),
  };
}

export function shiftCall(call: StoredCall, stepMs: number): StoredCall {
  if (stepMs === 0) return call;
  const { startedAt, endedAt } = call;
  return {
    ...call,
    startedAt: startedAt + stepMs,
    endedAt: endedAt === null ? null : endedAt + stepMs,
  };
}
