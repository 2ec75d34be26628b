// What is known of a source from its looks: kept as JSON text, written with the posts it was made from.

import { ID_ZERO } from '../domain/decimal-id.ts';
import { type Activity, HOURS_PER_WEEK } from './plan/activity.ts';
import type { Cursor } from './steps.ts';

export interface Progress {
  readonly cursor: Cursor;
  // null: no post was seen yet.
  readonly activity: Activity | null;
  // When a look last came to its end without an error; null: never.
  readonly succeededAt: number | null;
  // When a post was last stored, and the newest one's date.
  readonly parsedAt: number | null;
  readonly newestDate: number | null;
  // When the tail was last compared by id.
  readonly auditedAt: number | null;
  // When the platform last refused to tell changes of this channel; null: it never did.
  readonly changesRefusedAt: number | null;
  // Ids that may have been missed, of a source whose posts come by themselves.
  readonly gaps: readonly Gap[];
  // null: the last look did not fail.
  readonly failure: Failure | null;
}

// Between two ids, both of them known.
export interface Gap {
  readonly after: string;
  readonly before: string;
}

export interface Failure {
  readonly reason: string;
  readonly detail: string;
  // Since when it fails, and how often in a row.
  readonly since: number;
  readonly count: number;
}

export const NEW_CURSOR: Cursor = { lastId: ID_ZERO, mark: null, ascent: null };

export const NEW_PROGRESS: Progress = {
  cursor: NEW_CURSOR,
  activity: null,
  succeededAt: null,
  parsedAt: null,
  newestDate: null,
  auditedAt: null,
  changesRefusedAt: null,
  gaps: [],
  failure: null,
};

// Rates need no more digits, and the text is written with each page.
const DIGITS = 5;

export function formatProgress(progress: Progress): string {
  const { activity } = progress;
  if (activity === null) return JSON.stringify(progress);
  const short = (values: readonly number[]) =>
    values.map((each) => Number(each.toPrecision(DIGITS)));
  const { at, posts, observedMs } = activity;
  const shorter = { at, posts: short(posts), observedMs: short(observedMs) };
  return JSON.stringify({ ...progress, activity: shorter });
}

// What cannot be read is as good as nothing: the source is read anew, and what is known already changes nothing.
export function parseProgress(text: string): Progress {
  try {
    const found = { ...NEW_PROGRESS, ...(JSON.parse(text) as Partial<Progress>) };
    const isRead = typeof found.cursor.lastId === 'string';
    return isRead ? { ...found, activity: checked(found.activity) } : NEW_PROGRESS;
  } catch {
    return NEW_PROGRESS;
  }
}

function checked(activity: Activity | null): Activity | null {
  if (activity?.posts?.length !== HOURS_PER_WEEK) return null;
  return activity.observedMs?.length === HOURS_PER_WEEK ? activity : null;
}
