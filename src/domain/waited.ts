// What an attempt waited for before it was begun, as it is kept with the attempt: a few spans of time before its start,
// each with its cause in words. Relative to the start, because a clock that was wrong moves all times of a store.

export const WAITED_KINDS = ['held', 'freeze', 'window', 'ahead', 'retry', 'turn'] as const;

export interface WaitedSpan {
  readonly kind: (typeof WAITED_KINDS)[number];
  // Milliseconds before the attempt was begun.
  readonly ago: number;
  readonly ms: number;
  readonly detail: string;
}

const DETAIL_CHARS_MAX = 240;

export function writeWaited(spans: readonly WaitedSpan[]): string {
  const told = spans.map(({ kind, ago, ms, detail }) => {
    return [kind, Math.round(ago), Math.round(ms), detail.slice(0, DETAIL_CHARS_MAX)];
  });
  return JSON.stringify(told);
}

// What cannot be read says nothing.
export function readWaited(text: string | null): WaitedSpan[] {
  const told = text === null ? null : jsonOf(text);
  return Array.isArray(told) ? told.flatMap(spanOf) : [];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function spanOf(told: unknown): WaitedSpan[] {
  if (!Array.isArray(told)) return [];
  const [kind, ago, ms, detail] = told as unknown[];
  const known = WAITED_KINDS.find((each) => each === kind);
  if (known === undefined || typeof detail !== 'string') return [];
  return typeof ago === 'number' && typeof ms === 'number'
    ? [{ kind: known, ago, ms, detail }]
    : [];
}
