// The wall clock has been set: what was written by it moves along.

import { isScheduled } from '../../domain/delivery.ts';
import type { TimeShift } from '../ports/maintenance.ts';
import type { MemoryDisk, MemoryRow } from './disk.ts';

export function lastCallAt({ attempts }: MemoryDisk): number {
  const last = attempts.at(-1);
  return last?.endedAt ?? last?.startedAt ?? 0;
}

export function shiftTimes(disk: MemoryDisk, { now, calls, waiting }: TimeShift): void {
  for (let i = disk.attempts.length - 1; i >= 0; i -= 1) {
    const attempt = disk.attempts[i]!;
    if (attempt.startedAt < calls.since) break;
    attempt.startedAt += calls.byMs;
    if (attempt.endedAt !== null) attempt.endedAt += calls.byMs;
  }
  for (const row of disk.deliveries.values()) {
    if (row.settledAt === null) shiftWaiting(row, waiting, now);
  }
}

function shiftWaiting(row: MemoryRow, { byMs, dueAtMax }: TimeShift['waiting'], now: number): void {
  const wasScheduled = isScheduled(row);
  if (row.expiresAt > 0) row.expiresAt = Math.max(1, row.expiresAt + byMs);
  if (wasScheduled) return;
  row.enterAt = Math.min(row.enterAt + byMs, now);
  if (row.dueAt > 0) row.dueAt = Math.max(1, Math.min(row.dueAt + byMs, dueAtMax));
}
