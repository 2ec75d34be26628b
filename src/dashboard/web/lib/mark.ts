// Something changed since last time? The gateway counts changes, and tells the counts with every tick.

import { overview } from './live.ts';
import { useStore } from './store.ts';
import type { Tick } from './wire/wire.ts';

export function useMark(kind: keyof Tick['marks']): number | null {
  return useStore(overview)?.marks[kind] ?? null;
}
