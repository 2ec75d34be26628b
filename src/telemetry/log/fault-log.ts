// Contained exceptions, counted and logged: the first of a place at once with its stack, then at most one a minute with
// how many there were. A fault that comes with every message must not fill the log too.

import type { FaultStage, ReportFault } from '../../domain/fault.ts';
import type { Clock } from '../../system/clock.ts';
import { faultInWords, placeOf } from '../../system/fault.ts';

export const FAULT_LOG_EVERY_MS = 60_000;
// Beyond so many places the oldest is told anew.
const PLACES_MAX = 1000;

export interface ErrorLog {
  error(fields: object, message: string): void;
}

export function faultLog(
  clock: Clock,
  log: ErrorLog,
  count: (stage: FaultStage) => void,
): ReportFault {
  const told = new Map<string, { at: number; since: number }>();
  return (stage, error, about) => {
    count(stage);
    const place = `${stage} ${placeOf(error)}`;
    const last = told.get(place);
    const now = clock.now();
    if (last !== undefined && now - last.at < FAULT_LOG_EVERY_MS) {
      last.since += 1;
      return;
    }
    told.delete(place);
    if (told.size >= PLACES_MAX) told.delete(told.keys().next().value!);
    told.set(place, { at: now, since: 0 });
    const fields = { stage, ...about, fault: faultInWords(error), stack: framesOf(error) };
    log.error({ ...fields, times: (last?.since ?? 0) + 1 }, 'internal fault');
  };
}

// Without the message before them, which may quote a payload.
function framesOf(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  return error.stack.split('\n').filter((line) => line.startsWith('    at '));
}
