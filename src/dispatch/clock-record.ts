// How the clock of a process stood, as it is kept on disk for the next one: to the time since boot, and to the `Date`
// of each host's answers. It is a record among those of the limits, so that both are written in one commit.

import { NO_ACCOUNT, type StoredLimit } from '../store/ports/limits.ts';

const KEY = 'clock';

export interface ClockRecord {
  // '': the system does not say.
  readonly boot: string;
  // The wall clock when the machine booted.
  readonly bootedAt: number;
  readonly hosts: Readonly<Record<string, HostTime>>;
  // Attempts that began before `before` are counted as so much later; null: none are.
  readonly calls: { readonly before: number; readonly byMs: number } | null;
}

export interface HostTime {
  // Of our clock to the host's.
  readonly offsetMs: number;
  // Freezes that were on disk at `before` lie so much later than they were written, until the host tells the time.
  readonly heldMs: number;
  readonly before: number;
}

export function isClockRecord({ account, key }: StoredLimit): boolean {
  return account === NO_ACCOUNT && key === KEY;
}

export function writeClock(record: ClockRecord, now: number): StoredLimit {
  return { account: NO_ACCOUNT, key: KEY, value: JSON.stringify(record), updatedAt: now };
}

// null: there is none, or it says nothing sensible.
export function readClock(records: readonly StoredLimit[]): ClockRecord | null {
  const read = parse(records.find(isClockRecord)?.value ?? '');
  if (read === null) return null;
  const { boot, bootedAt, hosts, calls } = read;
  if (typeof boot !== 'string' || !isTime(bootedAt)) return null;
  const named = Object.entries(isObject(hosts) ? hosts : {}).filter(isHost);
  const isWhole = isObject(calls) && isTime(calls.before) && isTime(calls.byMs);
  return {
    boot,
    bootedAt,
    hosts: Object.fromEntries(named),
    calls: isWhole ? { before: Number(calls.before), byMs: Number(calls.byMs) } : null,
  };
}

function isHost(entry: [string, unknown]): entry is [string, HostTime] {
  const [, time] = entry;
  return isObject(time) && isTime(time.offsetMs) && isTime(time.heldMs) && isTime(time.before);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}
