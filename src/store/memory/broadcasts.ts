// Broadcasts in memory: the specification, every question answered by looking at everything.

import { sharedKey } from '../../domain/idempotency.ts';
import { unreachable } from '../../system/assert.ts';
import {
  type BroadcastCommand,
  type Changed,
  type CreatedBroadcast,
  type FedCommand,
  type Member,
  mayChange,
  type NewBroadcast,
  type Progressed,
  type Recipient,
  type RecipientState,
  type RecipientsQuery,
  type SettleCommand,
  type StoredBroadcast,
  unfedState,
} from '../ports/broadcasts.ts';
import { dropUnneeded, runAudiences, sweepAudiences } from './audiences.ts';
import { type BroadcastRow, type MemoryDisk, type OutcomeRow, pairKey } from './disk.ts';

export function runBroadcasts(disk: MemoryDisk, command: BroadcastCommand): unknown {
  const { broadcasts, blocked } = disk.broadcasts;
  switch (command.kind) {
    case 'create':
      return create(disk, command);
    case 'get':
      return shown(broadcasts.get(command.id));
    case 'list': {
      const before = command.before ?? Number.POSITIVE_INFINITY;
      const all = [...broadcasts.values()].reverse().filter(({ id }) => id < before);
      return all.slice(0, command.max).map(shown);
    }
    case 'unfinished': {
      const open = [...broadcasts.values()].filter((row) => isLive(row) || row.counts.queued > 0);
      return open
        .filter(({ id }) => id > command.after)
        .slice(0, command.max)
        .map(shown);
    }
    case 'change':
      return change(disk, command.id, command.to, command.at);
    case 'next':
      return next(disk, command.id, command.max);
    case 'fed':
      return fed(disk, command);
    case 'settle':
      return settle(disk, command);
    case 'known':
      return command.seqs.map((seq) => disk.broadcasts.bySeq.has(seq));
    case 'onRoad': {
      const queued = rowsOf(disk, command.id).filter(({ state }) => state === 'queued');
      const after = queued.filter(({ n }) => n > command.after).slice(0, command.max);
      return after.map(({ n, seq }) => ({ n, seq }));
    }
    case 'recipients':
      return recipients(disk, command);
    case 'block':
      for (const { account, chat, reason } of command.chats) {
        blocked.set(pairKey(account, chat), { account, chat, reason, at: command.at });
      }
      return null;
    case 'unblock':
      return command.chats.filter((one) => blocked.delete(pairKey(one.account, one.chat))).length;
    case 'isBlocked':
      return [...blocked.values()].some(
        ({ account }) => command.account === null || account === command.account,
      );
    case 'sweep':
      return sweep(disk, command.endedBefore, command.max);
    case 'open':
    case 'fill':
    case 'seal':
    case 'drop':
    case 'dropOpen':
    case 'named':
    case 'audiences':
    case 'forget':
      return runAudiences(disk, command);
    default:
      return unreachable(command);
  }
}

// A broadcast's outcomes go before it does, and what only it needed after it.
function sweep(disk: MemoryDisk, endedBefore: number, max: number): number {
  const { broadcasts, outcomes, bySeq } = disk.broadcasts;
  let left = max;
  const ended = [...broadcasts.values()]
    .filter((row) => (row.endedAt ?? Number.POSITIVE_INFINITY) < endedBefore)
    .filter((row) => row.counts.queued === 0)
    .sort((a, b) => a.endedAt! - b.endedAt! || a.id - b.id);
  for (const row of ended) {
    if (left === 0) break;
    for (const { n, seq } of rowsOf(disk, row.id).slice(0, left)) {
      outcomes.get(row.id)!.delete(n);
      if (seq !== null) bySeq.delete(seq);
      left -= 1;
    }
    if (left === 0) break;
    broadcasts.delete(row.id);
    outcomes.delete(row.id);
    dropUnneeded(disk, row.audience);
    left -= 1;
  }
  return max - left + sweepAudiences(disk, left);
}

function create(disk: MemoryDisk, command: NewBroadcast & { kind: 'create' }): CreatedBroadcast {
  const { broadcasts, audiences } = disk.broadcasts;
  const { kind, fields, digest, at, liveMax, ...given } = command;
  const keyed = (key: string | null) =>
    key === null
      ? undefined
      : [...broadcasts.values()].find((row) => row.key === key && row.account === given.account);
  const earlier = keyed(given.key) ?? keyed(given.key === null ? null : sharedKey(given.key));
  if (earlier !== undefined) {
    if (earlier.digest !== digest) return { kind: 'conflict', id: earlier.id };
    return { kind: 'repeated', broadcast: shown(earlier)! };
  }
  if ([...broadcasts.values()].filter(isLive).length >= liveMax) return { kind: 'full', liveMax };
  const audience = audiences.get(given.audience);
  if (audience?.state !== (fields === null ? 'sealed' : 'open')) return { kind: 'no_audience' };
  if (fields !== null && audience.name !== null) return { kind: 'no_audience' };
  if (fields !== null) {
    const { account } = given;
    Object.assign(audience, { account, state: 'sealed', fields: [...fields] });
  }
  const row: BroadcastRow = {
    ...given,
    id: ++disk.broadcasts.idLast,
    digest,
    state: 'running',
    total: audience.members.length,
    cursor: 1,
    counts: { queued: 0, sent: 0, dead: 0, skipped: 0, cancelled: 0, uncertain: 0 },
    createdAt: at,
    endedAt: null,
  };
  broadcasts.set(row.id, row);
  disk.broadcasts.outcomes.set(row.id, new Map());
  finish(disk, row, at);
  return { kind: 'created', broadcast: shown(row)! };
}

function change(
  disk: MemoryDisk,
  id: number,
  to: 'running' | 'paused' | 'cancelled',
  at: number,
): Changed {
  const row = disk.broadcasts.broadcasts.get(id);
  if (row === undefined) return { kind: 'unknown' };
  if (!mayChange(row.state, to)) return { kind: 'illegal', state: row.state };
  if (row.state !== to) {
    row.state = to;
    if (to === 'cancelled') {
      row.endedAt = at;
      for (const one of rowsOf(disk, id)) {
        if (one.state === 'pending') become(row, one, 'cancelled', null, at);
      }
    }
    finish(disk, row, at);
  }
  return { kind: 'changed', broadcast: shown(row)! };
}

function next(disk: MemoryDisk, id: number, max: number): Member[] {
  const row = disk.broadcasts.broadcasts.get(id);
  if (row === undefined) return [];
  const { members } = disk.broadcasts.audiences.get(row.audience)!;
  const withdrawn = rowsOf(disk, id).filter(({ state }) => state === 'pending');
  const unfed = members.slice(row.cursor - 1).map((_, i) => ({ n: row.cursor + i }));
  return [...withdrawn, ...unfed].slice(0, max).map(({ n }) => {
    const { chat, fields } = members[n - 1]!;
    const blockedAt = disk.broadcasts.blocked.get(pairKey(row.account, chat))?.at ?? null;
    return { n, chat, fields, blockedAt };
  });
}

function fed(disk: MemoryDisk, { id, rows, at }: FedCommand): Progressed {
  const row = disk.broadcasts.broadcasts.get(id);
  if (row === undefined) return { done: [] };
  const known = disk.broadcasts.outcomes.get(id)!;
  for (const { n, seq, state, reason } of rows) {
    const one = known.get(n) ?? { n, seq, state: 'pending', reason, at };
    one.seq = seq;
    if (seq !== null) disk.broadcasts.bySeq.set(seq, { id, n });
    become(row, one, state, reason, at);
    known.set(n, one);
    row.cursor = Math.max(row.cursor, n + 1);
  }
  return { done: finish(disk, row, at) ? [id] : [] };
}

function settle(disk: MemoryDisk, { rows, at }: SettleCommand): Progressed {
  const touched = new Set<number>();
  for (const { seq, state, reason } of rows) {
    const place = disk.broadcasts.bySeq.get(seq);
    if (place === undefined) continue;
    const row = disk.broadcasts.broadcasts.get(place.id)!;
    const one = disk.broadcasts.outcomes.get(place.id)!.get(place.n)!;
    // Withdrawn: its next delivery will be another.
    if (state === 'pending') {
      disk.broadcasts.bySeq.delete(seq);
      one.seq = null;
    }
    become(row, one, state, reason, at);
    touched.add(place.id);
  }
  const done = [...touched].filter((id) => finish(disk, disk.broadcasts.broadcasts.get(id)!, at));
  return { done: done.sort((a, b) => a - b) };
}

function become(
  row: BroadcastRow,
  one: OutcomeRow,
  state: RecipientState,
  reason: string | null,
  at: number,
): void {
  if (one.state !== 'pending') row.counts[one.state] -= 1;
  if (state !== 'pending') row.counts[state] += 1;
  Object.assign(one, { state, reason, at });
}

// Nobody is left to be fed, and nobody is on the road.
function finish(disk: MemoryDisk, row: BroadcastRow, at: number): boolean {
  if (row.state !== 'running' || row.counts.queued > 0 || row.cursor <= row.total) return false;
  if (rowsOf(disk, row.id).some(({ state }) => state === 'pending')) return false;
  row.state = 'done';
  row.endedAt = at;
  return true;
}

function recipients(disk: MemoryDisk, { id, state, after, max }: RecipientsQuery): Recipient[] {
  const row = disk.broadcasts.broadcasts.get(id);
  if (row === undefined) return [];
  const known = disk.broadcasts.outcomes.get(id)!;
  const unfed = { state: unfedState(row.state), reason: null, seq: null, at: null };
  // What became of those before is swept already: it is not known any more, and nobody waits.
  const first = rowsOf(disk, id)[0]?.n ?? row.cursor;
  const all = disk.broadcasts.audiences.get(row.audience)!.members.map(({ chat }, i): Recipient => {
    const one = known.get(i + 1);
    if (one === undefined) return { n: i + 1, chat, ...unfed };
    return { n: one.n, chat, state: one.state, reason: one.reason, seq: one.seq, at: one.at };
  });
  return all
    .filter((one) => one.n > after && one.n >= first)
    .filter((one) => state === null || one.state === state)
    .slice(0, max);
}

function rowsOf(disk: MemoryDisk, id: number): OutcomeRow[] {
  return [...(disk.broadcasts.outcomes.get(id)?.values() ?? [])].sort((a, b) => a.n - b.n);
}

function isLive({ state }: BroadcastRow): boolean {
  return state === 'running' || state === 'paused';
}

function shown(row: BroadcastRow | undefined): StoredBroadcast | null {
  if (row === undefined) return null;
  const { digest, ...stored } = row;
  return { ...stored, counts: { ...row.counts } };
}
