// Which posts a page of a channel's history has, and what a difference tells: the rules of messages.getHistory and of
// updates.getChannelDifference, apart from how they are written.

import type { ChannelChange, SimChannel, SimPost } from './channel.ts';

export interface HistoryQuery {
  // Posts older than this; 0: from the newest.
  readonly offsetId: number;
  // Where the page begins, counted from there; negative: towards the newer ones.
  readonly addOffset: number;
  readonly limit: number;
  // Exclusive; 0: no bound.
  readonly maxId: number;
  readonly minId: number;
}

// Newest first. `countsDeleted`: ids of deleted posts take places of the page, so that it comes short, or empty.
export function historyOf(
  channel: SimChannel,
  query: HistoryQuery,
  countsDeleted: boolean,
): SimPost[] {
  const { addOffset, limit, maxId, minId } = query;
  const from = query.offsetId === 0 ? channel.lastId + 1 : query.offsetId;
  const walk = (first: number, step: 1 | -1, count: number) =>
    idsFrom(channel, first, step, count, countsDeleted);
  const newer = walk(from, 1, Math.max(0, -addOffset));
  const missing = Math.max(0, -addOffset) - newer.length;
  const older = walk(from - 1, -1, Math.max(0, limit + addOffset));
  const places = [...newer.reverse(), ...older.slice(Math.max(0, addOffset))];
  return places
    .slice(0, Math.max(0, limit - missing))
    .filter((id) => id > minId && (maxId === 0 || id < maxId))
    .map((id) => channel.get(id))
    .filter((post) => post !== null);
}

function idsFrom(
  channel: SimChannel,
  first: number,
  step: 1 | -1,
  count: number,
  countsDeleted: boolean,
): number[] {
  const ids: number[] = [];
  const start = step === -1 ? Math.min(first, channel.lastId) : Math.max(first, 1);
  for (let id = start; id >= 1 && id <= channel.lastId && ids.length < count; id += step) {
    if (countsDeleted || channel.get(id) !== null) ids.push(id);
  }
  return ids;
}

export type DifferenceOf =
  | { readonly kind: 'empty'; readonly pts: number }
  | { readonly kind: 'too_long'; readonly pts: number }
  | {
      readonly kind: 'difference';
      readonly pts: number;
      readonly isFinal: boolean;
      readonly posted: readonly SimPost[];
      readonly edited: readonly { readonly post: SimPost; readonly pts: number }[];
      readonly deleted: readonly (ChannelChange & { kind: 'deleted' })[];
    };

// Posts come as they are now: one that was edited in the meantime comes edited, one that was deleted does not come.
export function differenceOf(
  channel: SimChannel,
  since: number,
  limit: number,
  tooLongAbove: number,
): DifferenceOf {
  const { pts } = channel;
  const all = channel.changesAfter(since);
  if (all.length === 0) return { kind: 'empty', pts };
  if (pts - since > tooLongAbove) return { kind: 'too_long', pts };
  const told = all.slice(0, limit);
  const posted = new Map<number, SimPost>();
  const edited = new Map<number, { post: SimPost; pts: number }>();
  for (const change of told) {
    if (change.kind === 'deleted') continue;
    const post = channel.get(change.id);
    if (post === null) continue;
    if (change.kind === 'posted') posted.set(post.id, post);
    else if (!posted.has(post.id)) edited.set(post.id, { post, pts: change.pts });
  }
  return {
    kind: 'difference',
    pts: told.at(-1)!.pts,
    isFinal: told.length === all.length,
    posted: [...posted.values()],
    edited: [...edited.values()],
    deleted: told.filter((change) => change.kind === 'deleted'),
  };
}
