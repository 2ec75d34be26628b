// Times at the API: read as ISO 8601 or milliseconds, shown as ISO 8601.

// The last moment a Date can hold.
const TIME_MS_MAX = 8.64e15;

// null: not a time.
export function readTime(value: string | number): number | null {
  const ms = typeof value === 'string' && !/^\d+$/.test(value) ? Date.parse(value) : Number(value);
  return Number.isFinite(ms) && Math.abs(ms) <= TIME_MS_MAX ? ms : null;
}

const MINUTE_MS = 60_000;
let minuteShown = Number.NaN;
let minuteText = '';

// As Date.toISOString says it. Every receipt shows a time, most of them within the same minute, and asking Date
// for each was the dearest step of accepting a message.
export function showTime(ms: number): string {
  const minute = Math.floor(ms / MINUTE_MS);
  if (minute !== minuteShown) {
    minuteText = new Date(minute * MINUTE_MS).toISOString().slice(0, -'00.000Z'.length);
    minuteShown = minute;
  }
  const rest = String(Math.floor(ms - minute * MINUTE_MS)).padStart(5, '0');
  return `${minuteText}${rest.slice(0, 2)}.${rest.slice(2)}Z`;
}

// 0, null and the end of time: there is no such time.
export function showTimeOrNull(ms: number | null): string | null {
  return ms === null || ms <= 0 || ms > TIME_MS_MAX ? null : showTime(ms);
}
