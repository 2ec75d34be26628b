// Numbers, times and names as a person reads them.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const MANY_SECONDS = /\b(\d{3,7}) s\b/g;

const plain = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const minute = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

export function count(n: number): string {
  return n >= 100_000 ? compact.format(n) : plain.format(n);
}

// Of a file: `700 KB`, `1.2 MB`.
export function fileSize(bytes: number): string {
  const isSmall = bytes < 1_000_000;
  return isSmall ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function perSecond(n: number): string {
  if (n === 0) return '0';
  return n < 10 ? n.toFixed(1) : count(Math.round(n));
}

// Two units at most: `40 s`, `2 m 10 s`, `3 h 5 m`, `4 d 2 h`.
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms / SECOND)) * SECOND;
  if (whole < MINUTE) return `${whole / SECOND} s`;
  if (whole < HOUR) return two(whole, MINUTE, 'm', SECOND, 's');
  if (whole < DAY) return two(whole, HOUR, 'h', MINUTE, 'm');
  return two(whole, DAY, 'd', HOUR, 'h');
}

// As exact as it is short: `340 ms`, `2.4 s`, `2 m 10 s`.
export function lasted(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  return ms < 10 * SECOND ? `${(ms / SECOND).toFixed(1)} s` : duration(ms);
}

function two(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small);
  return `${Math.floor(ms / big)} ${bigName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

// As a field for a date and a time has it, where one sits; '' of no time.
export function localField(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  const shifted = ms - new Date(ms).getTimezoneOffset() * MINUTE;
  return new Date(shifted).toISOString().slice(0, 19);
}

export function fromLocalField(value: string): string {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

export function clockTime(ms: number): string {
  return clock.format(ms);
}

// The minute, and the day where it is another.
export function shortTime(iso: string, now: number): string {
  const at = new Date(iso);
  const isToday = at.toDateString() === new Date(now).toDateString();
  return isToday ? minute.format(at) : `${day.format(at)} ${minute.format(at)}`;
}

export function exactTime(iso: string): string {
  return exact.format(new Date(iso));
}

// `20 per minute`, `1 per second`, `5 per 5 s`.
export function perWindow(n: number, perMs: number): string {
  if (perMs === MINUTE) return `${n} per minute`;
  return perMs === SECOND ? `${n} per second` : `${n} per ${duration(perMs)}`;
}

// As the gateway says it: in one's own time, `1800 s` as `30 m`, a number and its unit on one line, the first letter
// large.
export function sentence(text: string): string {
  const kept = text
    .replace(ISO_TIME, exactTime)
    .replace(MANY_SECONDS, (_, seconds: string) => duration(Number(seconds) * SECOND))
    .replace(/(\d) (s|m|min|h|d)\b/g, '$1\u00a0$2');
  return kept === '' ? kept : kept[0]!.toUpperCase() + kept.slice(1);
}

// `chat_not_found` → `chat not found`.
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
