// Times at the wall: read as ISO 8601 or milliseconds, shown as ISO 8601.

// The last moment a Date can hold.
const TIME_MS_MAX = 8.64e15;

// null: not a time.
export function readTime(value: string | number): number | null {
  const ms = typeof value === 'string' && !/^\d+$/.test(value) ? Date.parse(value) : Number(value);
  return Number.isFinite(ms) && Math.abs(ms) <= TIME_MS_MAX ? ms : null;
}

export function showTime(ms: number): string {
  return new Date(ms).toISOString();
}

// 0, null and the end of time: there is no such time.
export function showTimeOrNull(ms: number | null): string | null {
  return ms === null || ms <= 0 || ms > TIME_MS_MAX ? null : showTime(ms);
}
