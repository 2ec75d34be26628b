// Broadcasts in Postgres, each command one transaction under the lock of the port. Must give the same answers as
// memory/broadcasts.ts, word for word.

import { sharedKey } from '../../domain/idempotency.ts';
import type { AccountId } from '../../domain/ids.ts';
import { PRIORITIES, PRIORITY_RANK } from '../../domain/priority.ts';
import { unreachable } from '../../system/assert.ts';
import type { PostgresRow, PostgresSql } from '../../system/databases/postgres.ts';
import {
  type BroadcastCommand,
  type BroadcastState,
  type ChangeCommand,
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
import {
  AUDIENCE_SQL,
  countOf,
  type FilledChats,
  markSealed,
  runAudiences,
  sweepAudiences,
} from './audiences.ts';
import { BROADCAST_SQL as SQL } from './broadcast-statements.ts';

type Counts = Record<Exclude<RecipientState, 'pending'>, number>;

export async function runBroadcasts(
  sql: PostgresSql,
  chats: FilledChats,
  command: BroadcastCommand,
): Promise<unknown> {
  switch (command.kind) {
    case 'create':
      return create(sql, chats, command);
    case 'get':
      return find(sql, command.id);
    case 'list': {
      const before = command.before ?? Number.MAX_SAFE_INTEGER;
      return (await sql.all(SQL.list, before, command.max)).map(broadcastOf);
    }
    case 'unfinished':
      return (await sql.all(SQL.unfinished, command.after, command.max)).map(broadcastOf);
    case 'change':
      return change(sql, command);
    case 'next':
      return next(sql, command.id, command.max);
    case 'fed':
      return fed(sql, command);
    case 'settle':
      return settle(sql, command);
    case 'known': {
      const found = new Set((await sql.all(SQL.bySeq, command.seqs)).map(({ seq }) => seq));
      return command.seqs.map((seq) => found.has(seq));
    }
    case 'onRoad':
      return sql.all(SQL.onRoad, command.id, command.after, command.max);
    case 'recipients':
      return recipients(sql, command);
    case 'block':
      await sql.run(
        SQL.block,
        command.at,
        ...columnsOf(command.chats, 'account', 'chat', 'reason'),
      );
      return null;
    case 'unblock':
      return sql.run(SQL.unblock, ...columnsOf(command.chats, 'account', 'chat'));
    case 'isBlocked':
      if (command.account === null) return (await sql.get(SQL.isAnyBlocked)) !== null;
      return (await sql.get(SQL.isBlocked, command.account)) !== null;
    case 'sweep':
      return sweep(sql, command.endedBefore, command.max);
    case 'open':
    case 'fill':
    case 'seal':
    case 'drop':
    case 'dropOpen':
    case 'named':
    case 'audiences':
    case 'forget':
      return runAudiences(sql, chats, command);
    default:
      return unreachable(command);
  }
}

async function create(
  sql: PostgresSql,
  chats: FilledChats,
  command: NewBroadcast,
): Promise<CreatedBroadcast> {
  const { account, platform, audience, name, correlation, method, body, key, digest } = command;
  const earlier = key === null ? null : await keyed(sql, account, key);
  if (earlier !== null) {
    const id = Number(earlier.id);
    if (earlier.digest !== digest) return { kind: 'conflict', id };
    return { kind: 'repeated', broadcast: (await find(sql, id))! };
  }
  const { fields, at, liveMax, notBefore } = command;
  if (Number((await sql.get(SQL.live, 0))!.count) >= liveMax) return { kind: 'full', liveMax };
  const total = await countOf(sql, audience, fields === null ? 'sealed' : 'unnamed');
  if (total === null) return { kind: 'no_audience' };
  if (fields !== null) await markSealed(sql, chats, audience, { account, fields });
  const priority = PRIORITY_RANK[command.priority];
  const given = [account, platform, audience, name, correlation, method, body, priority];
  const made = await sql.get(SQL.insert, ...given, notBefore, key, digest, total, at);
  const id = Number(made!.id);
  await finish(sql, (await find(sql, id))!, at);
  return { kind: 'created', broadcast: (await find(sql, id))! };
}

// Under the key of its holder, or as it was made when keys had no holder.
async function keyed(sql: PostgresSql, account: AccountId, key: string) {
  const shared = sharedKey(key);
  const own = await sql.get(SQL.byKey, account, key);
  return own ?? (shared === null ? null : sql.get(SQL.byKey, account, shared));
}

async function change(sql: PostgresSql, { id, to, at }: ChangeCommand): Promise<Changed> {
  const row = await find(sql, id);
  if (row === null) return { kind: 'unknown' };
  if (!mayChange(row.state, to)) return { kind: 'illegal', state: row.state };
  if (row.state !== to) {
    await sql.run(SQL.change, to, to === 'cancelled' ? at : null, id);
    if (to === 'cancelled') {
      const cancelled = await sql.run(SQL.cancelWithdrawn, at, id);
      await count(sql, id, { ...noChange(), cancelled }, 0);
    }
    await finish(sql, (await find(sql, id))!, at);
  }
  return { kind: 'changed', broadcast: (await find(sql, id))! };
}

async function next(sql: PostgresSql, id: number, max: number): Promise<Member[]> {
  const row = await find(sql, id);
  if (row === null) return [];
  const { account, audience, cursor } = row;
  const members = await sql.all(SQL.withdrawn, account, audience, id, max);
  if (members.length < max) {
    members.push(...(await sql.all(SQL.unfed, account, audience, cursor, max - members.length)));
  }
  return members as unknown as Member[];
}

async function fed(sql: PostgresSql, { id, rows, at }: FedCommand): Promise<Progressed> {
  if ((await find(sql, id)) === null) return { done: [] };
  const known = await sql.all(
    SQL.fedBefore,
    id,
    rows.map(({ n }) => n),
  );
  const states = new Map(known.map(({ n, state }) => [n, state as RecipientState]));
  const moved = noChange();
  let cursor = 0;
  for (const { n, state } of rows) {
    tally(moved, states.get(n) ?? 'pending', state);
    states.set(n, state);
    cursor = Math.max(cursor, n + 1);
  }
  const last = [...new Map(rows.map((row) => [row.n, row])).values()];
  await sql.run(SQL.feed, id, at, ...columnsOf(last, 'n', 'seq', 'state', 'reason'));
  await count(sql, id, moved, cursor);
  return { done: (await finish(sql, (await find(sql, id))!, at)) ? [id] : [] };
}

async function settle(sql: PostgresSql, { rows, at }: SettleCommand): Promise<Progressed> {
  const seqs = rows.map(({ seq }) => seq);
  const places = new Map((await sql.all(SQL.bySeq, seqs)).map((row) => [Number(row.seq), row]));
  const changes = new Map<number, Counts>();
  const settled = new Map<number, Settling>();
  for (const { seq, state, reason } of rows) {
    const place = places.get(seq);
    if (place === undefined) continue;
    const id = Number(place.broadcast);
    const moved = changes.get(id) ?? noChange();
    changes.set(id, moved);
    tally(moved, place.state as RecipientState, state);
    // Withdrawn: its next delivery will be another.
    const kept = state === 'pending' ? null : seq;
    settled.set(seq, { broadcast: id, n: Number(place.n), seq: kept, state, reason });
    if (kept === null) places.delete(seq);
    else places.set(seq, { ...place, state });
  }
  const columns = ['broadcast', 'n', 'seq', 'state', 'reason'] as const;
  await sql.run(SQL.settle, at, ...columnsOf([...settled.values()], ...columns));
  const done: number[] = [];
  for (const [id, moved] of changes) {
    await count(sql, id, moved, 0);
    if (await finish(sql, (await find(sql, id))!, at)) done.push(id);
  }
  return { done: done.sort((a, b) => a - b) };
}

interface Settling {
  readonly broadcast: number;
  readonly n: number;
  readonly seq: number | null;
  readonly state: RecipientState;
  readonly reason: string | null;
}

async function recipients(
  sql: PostgresSql,
  { id, state, after, max }: RecipientsQuery,
): Promise<Recipient[]> {
  const row = await find(sql, id);
  if (row === null) return [];
  const unfed = unfedState(row.state);
  if (state === null) {
    // What became of those before is swept already: it is not known any more, and nobody waits.
    const first = Number((await sql.get(SQL.firstOutcome, id))!.n ?? row.cursor);
    const from = Math.max(after + 1, first);
    const all = (await sql.all(SQL.everyone, id, row.audience, from, max)) as unknown[];
    return (all as Recipient[]).map((one) => ({ ...one, state: one.state ?? unfed }));
  }
  const found: object[] = await sql.all(SQL.inState, row.audience, id, state, after, max);
  if (state === unfed && found.length < max) {
    const from = Math.max(after + 1, row.cursor);
    const rest = await sql.all(SQL.neverFed, row.audience, from, max - found.length);
    found.push(...rest.map((one) => ({ ...one, state, reason: null, seq: null, at: null })));
  }
  return found as Recipient[];
}

// A broadcast's outcomes go before it does, and what only it needed after it.
async function sweep(sql: PostgresSql, endedBefore: number, max: number): Promise<number> {
  let left = max;
  while (left > 0) {
    const ended = await sql.get(SQL.ended, endedBefore);
    if (ended === null) break;
    const id = Number(ended.id);
    left -= await sql.run(SQL.dropOutcomes, id, left);
    if (left === 0) break;
    await sql.run(SQL.drop, id);
    await sql.run(AUDIENCE_SQL.dropUnneeded, Number(ended.audience));
    left -= 1;
  }
  return max - left + (await sweepAudiences(sql, left));
}

// Nobody is left to be fed, and nobody is on the road.
async function finish(sql: PostgresSql, row: StoredBroadcast, at: number): Promise<boolean> {
  if (row.state !== 'running' || row.counts.queued > 0 || row.cursor <= row.total) return false;
  if ((await sql.get(SQL.hasWithdrawn, row.id)) !== null) return false;
  await sql.run(SQL.change, 'done' satisfies BroadcastState, at, row.id);
  return true;
}

async function count(sql: PostgresSql, id: number, moved: Counts, cursor: number): Promise<void> {
  const { queued, sent, dead, skipped, cancelled, uncertain } = moved;
  await sql.run(SQL.count, queued, sent, dead, skipped, cancelled, uncertain, cursor, id);
}

async function find(sql: PostgresSql, id: number): Promise<StoredBroadcast | null> {
  const row = await sql.get(SQL.get, id);
  return row === null ? null : broadcastOf(row);
}

function noChange(): Counts {
  return { queued: 0, sent: 0, dead: 0, skipped: 0, cancelled: 0, uncertain: 0 };
}

function tally(moved: Counts, from: RecipientState, to: RecipientState): void {
  if (from !== 'pending') moved[from] -= 1;
  if (to !== 'pending') moved[to] += 1;
}

// Rows as arrays, one for each column.
function columnsOf<T, K extends keyof T>(rows: readonly T[], ...names: K[]): T[K][][] {
  return names.map((name) => rows.map((row) => row[name]));
}

function broadcastOf(row: PostgresRow): StoredBroadcast {
  const { queued, sent, dead, skipped, cancelled, uncertain, priority, ...rest } = row;
  const counts = { queued, sent, dead, skipped, cancelled, uncertain };
  return { ...rest, priority: PRIORITIES[Number(priority)], counts } as unknown as StoredBroadcast;
}
