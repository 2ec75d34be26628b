// Times on disk are of the wall clock. If that clock is set while no process runs, the next process would end a freeze
// an hour early or an hour late. So every process writes down how
// its clock stands to the time since boot; the next one, in the same boot, knows by how much the wall clock has
// stepped, and moves what is on disk.
// After a reboot the step is not known, and the rule is that no time has passed since the last thing was written: that
// ends no freeze early, whatever became of the clock, and keeps it longer by at most the time the gateway was down. The
// first answer of the platform whose `Date` can be compared with those of before puts that right (platform-time.ts).

import { isScheduled, type Queued } from '../domain/delivery.ts';
import type { TimeShift } from '../store/ports/maintenance.ts';
import type { StoredCall } from '../store/ports/recovery.ts';
import type { BootTime } from '../system/boot.ts';
import type { ClockRecord, HostTime } from './clock-record.ts';

// Less is no step: clocks are read one after the other, and are kept right in small pieces.
export const STEP_MS_MIN = 500;
// A retry whose time is not known any more is made after this at the latest; what is frozen is held by its freeze.
const RETRY_MS_MAX = 60_000;
const NEVER = Number.MAX_SAFE_INTEGER;

export interface ClockStep {
  // Whether it is the step; otherwise it is the most that it can be.
  readonly isKnown: boolean;
  readonly byMs: number;
}

export const NO_STEP: ClockStep = { isKnown: true, byMs: 0 };

// `writtenAt`: the latest time on disk.
export function stepSince(
  record: ClockRecord,
  since: BootTime | null,
  writtenAt: number,
  now: number,
): ClockStep {
  if (since === null || record.boot !== since.boot) {
    return { isKnown: false, byMs: now - writtenAt };
  }
  const byMs = now - since.ms - record.bootedAt;
  return Math.abs(byMs) < STEP_MS_MIN ? NO_STEP : { isKnown: true, byMs };
}

// What this process leaves to the next one.
export function nextRecord(
  before: ClockRecord | null,
  { isKnown, byMs }: ClockStep,
  since: BootTime | null,
  now: number,
): ClockRecord {
  const moved = ({ offsetMs, heldMs, before: at }: HostTime): HostTime =>
    isKnown
      ? { offsetMs: offsetMs + byMs, heldMs, before: at + byMs }
      : { offsetMs, heldMs: heldMs + byMs, before: now };
  const hosts = Object.entries(before?.hosts ?? {}).map(([host, time]) => [host, moved(time)]);
  const calls = before?.calls ?? null;
  const movedCalls = calls === null ? null : { ...calls, before: calls.before + byMs };
  return {
    boot: since?.boot ?? '',
    bootedAt: now - (since?.ms ?? 0),
    hosts: Object.fromEntries(hosts),
    // What lies in the future counts as of now anyway.
    calls: isKnown ? movedCalls : byMs > 0 ? { before: now, byMs } : null,
  };
}

// What is to be moved on disk. An unknown step moves no attempt there, because people read them: they are moved as
// they are read. And a time to live goes on while the machine is off.
export function shiftOf(
  step: ClockStep,
  now: number,
  lookBackMs: number,
): Omit<TimeShift, 'limits'> {
  const { isKnown, byMs } = step;
  return isKnown
    ? {
        now,
        calls: { since: now - byMs - lookBackMs, byMs },
        waiting: { byMs, dueAtMax: NEVER },
      }
    : {
        now,
        calls: { since: NEVER, byMs: 0 },
        waiting: { byMs: 0, dueAtMax: now + RETRY_MS_MAX },
      };
}

export function shiftCall(call: StoredCall, shift: ClockRecord['calls']): StoredCall {
  const { startedAt, endedAt } = call;
  if (shift === null || startedAt >= shift.before) return call;
  return {
    ...call,
    startedAt: startedAt + shift.byMs,
    endedAt: endedAt === null ? null : endedAt + shift.byMs,
  };
}

// Only what is scheduled may enter in the future; the rest enters now at the latest, whatever the clock said when it
// was accepted.
export function entered(queued: Queued, now: number): Queued {
  const enterAt = isScheduled(queued) ? queued.dueAt : Math.min(queued.enterAt, now);
  return enterAt === queued.enterAt ? queued : { ...queued, enterAt };
}
