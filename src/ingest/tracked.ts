// A source as the service holds it between its looks, and when it is looked at next.

import type { AccountId } from '../domain/ids.ts';
import type { StoredSource } from '../store/ports/ingest.ts';
import { newActivity, ratesOf } from './plan/activity.ts';
import { dueAt, type Mode, type Pace } from './plan/plan.ts';
import { type Failure, type Gap, type Progress, parseProgress } from './progress.ts';
import type { Look } from './run.ts';

export interface SourceSettings {
  // How much a wait for this source counts beside others: its priority.
  readonly weight: number;
  // null: any of its reader's accounts.
  readonly account: string | null;
  // Where new posts go; null: nowhere.
  readonly forwardTo: ForwardTarget | null;
  // Those that were posted from then on.
  readonly forwardSince: number | null;
}

export type ForwardTarget =
  | { readonly kind: 'webhook'; readonly url: string }
  // Through the road, like any message.
  | {
      readonly kind: 'chat';
      readonly account: AccountId;
      readonly chat: string;
      readonly thread: string | null;
    };

export const SOURCE_DEFAULTS: SourceSettings = {
  weight: 1,
  account: null,
  forwardTo: null,
  forwardSince: null,
};

// Why the next look is when it is.
export type DueReason =
  | 'first'
  | 'rate'
  | 'interval'
  | 'failed'
  | 'wait'
  | 'more'
  | 'manual'
  | 'no_reader'
  // Another node reads it.
  | 'elsewhere'
  | 'pushed';

export interface Tracked {
  source: StoredSource;
  // Its posts come by themselves: there are no looks.
  readonly isPushed: boolean;
  settings: SourceSettings;
  progress: Progress;
  rates: Float64Array;
  // When the last look ended; null: never.
  lookedAt: number | null;
  notBefore: number;
  dueAt: number;
  dueReason: DueReason;
  // In the queue of those that are due, or being looked at.
  isQueued: boolean;
  look: { readonly look: Look; readonly mode: Mode; readonly startedAt: number } | null;
  // Asked for by hand: also while it is paused or dead.
  isWanted: boolean;
  trouble: string | null;
}

export function trackedOf(source: StoredSource, now: number, isPushed: boolean): Tracked {
  const progress = parseProgress(source.progress);
  return {
    source,
    isPushed,
    settings: parseSettings(source.settings),
    progress,
    rates: ratesIn(progress, now),
    lookedAt: progress.succeededAt,
    notBefore: 0,
    dueAt: 0,
    dueReason: isPushed ? 'pushed' : 'first',
    isQueued: false,
    look: null,
    isWanted: false,
    trouble: null,
  };
}

// As far as the store has it now. What a person has set is followed apart.
export function moveOn(tracked: Tracked, source: StoredSource, now: number): void {
  const { state, settings } = tracked.source;
  tracked.source = { ...source, state, settings };
  tracked.progress = parseProgress(source.progress);
  tracked.rates = ratesIn(tracked.progress, now);
  tracked.lookedAt = Math.max(tracked.lookedAt ?? 0, tracked.progress.succeededAt ?? 0) || null;
}

export function parseSettings(text: string): SourceSettings {
  const { weight, account, forwardTo, forwardSince } = {
    ...SOURCE_DEFAULTS,
    ...(JSON.parse(text) as Partial<SourceSettings>),
  };
  return { weight, account, forwardTo, forwardSince };
}

export function ratesIn({ activity }: Progress, now: number): Float64Array {
  return ratesOf(activity ?? newActivity(now, now));
}

// By its rate, or the interval; later after failures. Waits and tricks of the reader are set by whoever met them.
export function plan(tracked: Tracked, pace: Pace): void {
  if (tracked.isPushed) return;
  const { rates, settings, lookedAt, notBefore, progress } = tracked;
  const failures = progress.failure?.count ?? 0;
  const { weight } = settings;
  tracked.dueAt = dueAt({ rates, weight, lookedAt, failures, notBefore }, pace);
  if (lookedAt === null) tracked.dueReason = 'first';
  else if (failures > 0) tracked.dueReason = 'failed';
  else tracked.dueReason = pace.kind === 'fixed' ? 'interval' : 'rate';
}

export function mayLook({ source, isWanted, isPushed }: Tracked): boolean {
  if (isPushed) return false;
  return source.state === 'active' || (isWanted && source.state !== 'removed');
}

export interface SourceView {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly state: StoredSource['state'];
  readonly settings: SourceSettings;
  readonly createdAt: number;
  readonly lastId: string;
  // What it reads: from the beginning or after a gap, or what is new.
  readonly mode: Mode;
  readonly succeededAt: number | null;
  readonly parsedAt: number | null;
  readonly newestDate: number | null;
  readonly failure: Failure | null;
  readonly gaps: readonly Gap[];
  // Why nothing can be read now, in words; null: it can.
  readonly trouble: string | null;
  readonly nextLookAt: number | null;
  readonly nextLookReason: DueReason;
  readonly run: RunView | null;
}

export interface RunView {
  readonly mode: Mode;
  readonly startedAt: number;
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
  // How far the ascent has come.
  readonly lastId: string;
  readonly newestId: string | null;
}

export function viewOf(tracked: Tracked): SourceView {
  const { source, settings, look, trouble } = tracked;
  const progress = look?.look.progress ?? tracked.progress;
  const { cursor, succeededAt, parsedAt, newestDate, failure, gaps } = progress;
  const isAscending = succeededAt === null || cursor.ascent !== null;
  return {
    id: source.id,
    kind: source.readerKind,
    name: source.name,
    state: source.state,
    settings,
    createdAt: source.createdAt,
    lastId: cursor.lastId,
    mode: look?.mode ?? (isAscending ? 'historical' : 'incremental'),
    ...{ succeededAt, parsedAt, newestDate, failure, gaps, trouble },
    nextLookAt: mayLook(tracked) ? tracked.dueAt : null,
    nextLookReason: tracked.dueReason,
    run: look === null ? null : runViewOf(look),
  };
}

function runViewOf({ look, mode, startedAt }: NonNullable<Tracked['look']>): RunView {
  const { added, changed, deleted, newestId } = look;
  const { lastId } = look.progress.cursor;
  return { mode, startedAt, added, changed, deleted, lastId, newestId };
}
