// Times relative to now, exact on hover. They count by themselves, and take the same room whatever they say.

import { duration, exactTime, shortTime } from '../lib/format.ts';
import { useNow } from '../lib/now.ts';

export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time class="num" dateTime={at} title={exactTime(at)}>
      {duration(now - Date.parse(at))} ago
    </time>
  );
}

// How long something has lasted already.
export function Since({ at }: { at: string }) {
  const now = useNow();
  return (
    <time class="num" dateTime={at} title={`since ${exactTime(at)}`}>
      {duration(now - Date.parse(at))}
    </time>
  );
}

// `until 15:04 (58 m)`: with the day where it is not today's.
export function UntilTime({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span class="dim">no end is known</span>;
  const left = Date.parse(at) - now;
  return (
    <time class="num" dateTime={at} title={exactTime(at)}>
      {left < 1000 ? 'over' : `until ${shortTime(at, now)} (${duration(left)})`}
    </time>
  );
}

export function Until({ at, over = 'now' }: { at: string | null; over?: string }) {
  const now = useNow();
  if (at === null) return <span class="dim">not known</span>;
  const left = Date.parse(at) - now;
  return (
    <time class="num" dateTime={at} title={exactTime(at)}>
      {left < 1000 ? over : `in ${duration(left)}`}
    </time>
  );
}
