// The steps of a look at one source, over values: which call comes next, and what its answer makes of the cursor. Pure.
// The cursor goes where rows go, never ahead of them:
//  - an ascent reads by id from the last known one until the newest id is passed; a short or empty page is no end
//  - changes go on from a mark that was noted before the ascent, so what happened meanwhile is told, too
//  - where the platform says "too long", the ascent begins again at the last id, and the tail below is compared by id

import { compareIds, higherId, ID_ZERO, idPlus, isDecimalId } from '../domain/decimal-id.ts';
import type { Changes, HistoryPage, ReadPost } from '../platforms/history.ts';
import type { Mode } from './plan/plan.ts';
import { POSTS_PER_CALL } from './settings.ts';

export interface Cursor {
  // Every post up to it has been read; `0`: none.
  readonly lastId: string;
  // From where changes go on; null: there is none, and a look ascends.
  readonly mark: string | null;
  readonly ascent: Ascent | null;
}

export interface Ascent {
  // What becomes the mark at its end: told with "too long", or by its first page.
  readonly mark: string | null;
  readonly isBegun: boolean;
  // The posts up to here are compared by id at its end; null: none.
  readonly auditUpTo: string | null;
}

export interface Reading {
  readonly cursor: Cursor;
  // The ascent has passed the newest id.
  readonly isAtNewest: boolean;
  // So often in a row a page was empty although there are newer posts.
  readonly emptyPages: number;
  // The highest id the last page spoke of.
  readonly newestId: string | null;
  readonly isDone: boolean;
}

export interface Abilities {
  readonly canChanges: boolean;
  readonly canById: boolean;
}

export type Step =
  | { readonly kind: 'history'; readonly after: string }
  // Ids that an empty page has passed over.
  | { readonly kind: 'check'; readonly ids: readonly string[] }
  | { readonly kind: 'changes'; readonly mark: string }
  | { readonly kind: 'audit'; readonly upTo: string }
  | { readonly kind: 'done' };

export interface Taken {
  readonly reading: Reading;
  readonly posts: readonly ReadPost[];
  readonly deleted: readonly string[];
}

export function beginLook(
  cursor: Cursor,
  mode: Mode,
  { canChanges, isAuditDue }: { canChanges: boolean; isAuditDue: boolean },
): Reading {
  const fresh = { isAtNewest: false, emptyPages: 0, newestId: null, isDone: false };
  if (cursor.ascent !== null) return { cursor, ...fresh };
  if (mode === 'incremental' && canChanges && cursor.mark !== null) return { cursor, ...fresh };
  const { lastId } = cursor;
  const isAudited = lastId !== ID_ZERO && (mode === 'historical' || isAuditDue);
  const ascent = { mark: null, isBegun: false, auditUpTo: isAudited ? lastId : null };
  return { cursor: { lastId, mark: null, ascent }, ...fresh };
}

export function nextStep({ cursor, ...reading }: Reading, { canById }: Abilities): Step {
  const { lastId, ascent, mark } = cursor;
  if (ascent !== null && !reading.isAtNewest) {
    if (reading.emptyPages === 0 || !canById) return { kind: 'history', after: lastId };
    const ids = Array.from({ length: POSTS_PER_CALL }, (_, i) => idPlus(lastId, i + 1));
    return { kind: 'check', ids };
  }
  if (ascent !== null) return { kind: 'audit', upTo: ascent.auditUpTo ?? ID_ZERO };
  if (reading.isDone || mark === null) return { kind: 'done' };
  return { kind: 'changes', mark };
}

export function takeHistory(reading: Reading, page: HistoryPage, abilities: Abilities): Taken {
  const { cursor } = reading;
  const posts = page.posts.filter(({ id }) => isDecimalId(id) && isAbove(id, cursor.lastId));
  const { newestId } = page;
  const ascent = cursor.ascent!;
  // Noted before anything that is read later, so that changes of that are told.
  const mark = ascent.isBegun ? ascent.mark : (ascent.mark ?? page.mark);
  const begun = { ...ascent, mark, isBegun: true };
  const passed = page.upTo !== undefined && isAbove(page.upTo, cursor.lastId) ? page.upTo : null;
  if (posts.length === 0 && passed === null) {
    return { ...takeEmptyPage({ ...reading, newestId }, begun, abilities), posts, deleted: [] };
  }
  const lastId = highestOf(posts, passed ?? cursor.lastId);
  // Of a reader that does not say, an empty page is the only end there is.
  const isAtNewest = newestId !== null && !isAbove(newestId, lastId);
  const next = { ...reading, newestId, emptyPages: 0, isAtNewest };
  const at = { lastId, mark: null, ascent: begun };
  return { reading: ended({ ...next, cursor: at }, abilities), posts, deleted: [] };
}

// So many posts in a row may be gone that a page has nothing to show. With that the ids it passed over are asked for
// one by one; where that cannot be, the page is asked for once more before it is believed.
function takeEmptyPage(reading: Reading, ascent: Ascent, abilities: Abilities) {
  const { cursor, newestId } = reading;
  const isAtNewest = newestId === null || !isAbove(newestId, cursor.lastId);
  const emptyPages = isAtNewest ? 0 : reading.emptyPages + 1;
  const next = { ...reading, isAtNewest, emptyPages, cursor: { ...cursor, ascent } };
  if (isAtNewest || abilities.canById || emptyPages < 2) return { reading: ended(next, abilities) };
  return { reading: passedOver(next, abilities) };
}

// What is left of ids that an empty page has passed over.
export function takeCheck(
  reading: Reading,
  found: readonly ReadPost[],
  abilities: Abilities,
): Taken {
  return { reading: passedOver(reading, abilities), posts: found, deleted: [] };
}

function passedOver(reading: Reading, abilities: Abilities): Reading {
  const { cursor } = reading;
  const newestId = reading.newestId!;
  const end = idPlus(cursor.lastId, POSTS_PER_CALL);
  const lastId = isAbove(end, newestId) ? newestId : end;
  const isAtNewest = lastId === newestId;
  return ended({ ...reading, cursor: { ...cursor, lastId }, isAtNewest, emptyPages: 0 }, abilities);
}

// An ascent that has passed the newest id and has nothing to audit is over.
function ended(reading: Reading, { canChanges }: Abilities): Reading {
  const { ascent, lastId } = reading.cursor;
  if (!reading.isAtNewest || ascent === null || ascent.auditUpTo !== null) return reading;
  const mark = canChanges ? ascent.mark : null;
  return { ...reading, cursor: { lastId, mark, ascent: null }, isDone: mark === null };
}

// The last part of the audit has been read.
export function endAudit(reading: Reading, abilities: Abilities): Reading {
  const ascent = { ...reading.cursor.ascent!, auditUpTo: null };
  return ended({ ...reading, cursor: { ...reading.cursor, ascent } }, abilities);
}

export function takeChanges(reading: Reading, changes: Changes): Taken {
  const { lastId } = reading.cursor;
  if (changes.kind === 'too_long') return takeGap(reading, changes.mark);
  const posts = changes.posts.filter(({ id }) => isDecimalId(id));
  const cursor = { lastId: highestOf(posts, lastId), mark: changes.mark, ascent: null };
  const { deleted, isLast } = changes;
  return { reading: { ...reading, cursor, isDone: isLast }, posts, deleted };
}

// What happened since the mark is not told: it is found by ids. null: no changes are told at all.
export function takeGap(reading: Reading, mark: string | null): Taken {
  const { lastId } = reading.cursor;
  const auditUpTo = lastId === ID_ZERO ? null : lastId;
  const cursor = { lastId, mark: null, ascent: { mark, isBegun: true, auditUpTo } };
  return { reading: { ...reading, cursor, isAtNewest: false }, posts: [], deleted: [] };
}

// Of the posts that were asked for, those that are gone: matched by id, as answers may come in any order.
export function missingOf(asked: readonly string[], found: readonly ReadPost[]): string[] {
  const there = new Set(found.map(({ id }) => id));
  return asked.filter((id) => !there.has(id));
}

export function isSameCursor(a: Cursor, b: Cursor): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isAbove(a: string, b: string): boolean {
  return compareIds(a, b) > 0;
}

function highestOf(posts: readonly ReadPost[], id: string): string {
  return posts.reduce((highest, post) => higherId(highest, post.id), id);
}
