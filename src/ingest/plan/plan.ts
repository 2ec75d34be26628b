// What is to be done for a source, and when: mode, due time, node. Pure: everything is given, and the same again gives
// the same.

import { HOUR_MS } from './activity.ts';
import { dueAfter, type LookBounds, type Rated } from './price.ts';

export type Mode = 'historical' | 'incremental';

export interface ModeChoice {
  readonly mode: Mode;
  // Why it is not incremental: `first` time, `stale_lpa` (the last success is too long ago), `disabled` by a setting,
  // or an ascent that an earlier look has `begun`.
  readonly forced: 'first' | 'stale_lpa' | 'disabled' | 'begun' | null;
}

export interface ModeFacts {
  // null: never.
  readonly succeededAt: number | null;
  readonly isAscending: boolean;
  // An ascent has been to its end, so that changes can be asked for.
  readonly hasMark: boolean;
}

export interface ModeSettings {
  readonly lpaMaxAgeHours: number;
  readonly isIncrementalOn: boolean;
}

export function modeOf(facts: ModeFacts, settings: ModeSettings, now: number): ModeChoice {
  const { succeededAt, isAscending, hasMark } = facts;
  if (succeededAt === null && !hasMark) return { mode: 'historical', forced: 'first' };
  if (!settings.isIncrementalOn) return { mode: 'historical', forced: 'disabled' };
  if (succeededAt !== null && now - succeededAt > settings.lpaMaxAgeHours * HOUR_MS) {
    return { mode: 'historical', forced: 'stale_lpa' };
  }
  return isAscending
    ? { mode: 'historical', forced: 'begun' }
    : { mode: 'incremental', forced: null };
}

// `fixed`: every so often, whatever it posts. `rate`: by the square-root law, at this price.
export type Pace =
  | { readonly kind: 'fixed'; readonly intervalMs: number }
  | { readonly kind: 'rate'; readonly price: number; readonly bounds: LookBounds };

export interface DueFacts extends Rated {
  // When the last look ended, well or not; null: never.
  readonly lookedAt: number | null;
  // Failed looks in a row: the next one waits longer.
  readonly failures: number;
  // The platform wishes not to be asked sooner; 0: it did not say.
  readonly notBefore: number;
}

const FAILED_MS_MIN = 30_000;
const FAILED_MS_MAX = HOUR_MS;

export function dueAt(facts: DueFacts, pace: Pace): number {
  const { lookedAt, failures, notBefore } = facts;
  if (lookedAt === null) return 0;
  if (failures > 0) {
    return Math.max(
      notBefore,
      lookedAt + Math.min(FAILED_MS_MAX, FAILED_MS_MIN * 2 ** (failures - 1)),
    );
  }
  const due =
    pace.kind === 'fixed'
      ? lookedAt + pace.intervalMs
      : dueAfter(facts, lookedAt, pace.price, pace.bounds);
  return Math.max(notBefore, due);
}

// Which of some nodes (or accounts) has a key: the one with the highest score (rendezvous hashing), so that a node that
// comes or goes moves its own share and nothing else.
export function rendezvous(key: string, nodes: readonly string[]): string | null {
  let best: string | null = null;
  let bestScore = -1;
  for (const node of nodes) {
    const score = hashOf(`${node}\0${key}`);
    if (score > bestScore || (score === bestScore && node < best!)) {
      best = node;
      bestScore = score;
    }
  }
  return best;
}

// FNV-1a, and a last mixing without which keys that differ at their ends alone would go to one node.
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
