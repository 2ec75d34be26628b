// Broadcasts in SQL, in the worker, inside the batch's transaction. Must give the same answers as
// memory/broadcasts.ts, word for word.

import { sharedKey } from '../../../domain/idempotency.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { PRIORITIES, PRIORITY_RANK } from '../../../domain/priority.ts';
import { unreachable } from '../../../system/assert.ts';
import type { Database, SqlRow, Statement } from '../../../system/databases/sqlite.ts';
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
} from '../../ports/broadcasts.ts';
import { SqliteAudiences } from './audiences.ts';
import { BROADCAST_SQL } from './statements.ts';

type Counts = Record<Exclude<RecipientState, 'pending'>, number>;

export class SqliteBroadcasts {
  readonly #sql: Readonly<Record<keyof typeof BROADCAST_SQL, Statement>>;
  readonly #audiences: SqliteAudiences;

  constructor(db: Database) {
    const prepared = Object.entries(BROADCAST_SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
    this.#audiences = new SqliteAudiences(db);
  }

  run(command: BroadcastCommand): unknown {
    const sql = this.#sql;
    switch (command.kind) {
      case 'create':
        return this.#create(command);
      case 'get':
        return this.#get(command.id);
      case 'list': {
        const before = command.before ?? Number.MAX_SAFE_INTEGER;
        return sql.list.all(before, command.max).map(broadcastOf);
      }
      case 'unfinished':
        return sql.unfinished.all(command.after, command.max).map(broadcastOf);
      case 'change':
        return this.#change(command);
      case 'next':
        return this.#next(command.id, command.max);
      case 'fed':
        return this.#fed(command);
      case 'settle':
        return this.#settle(command);
      case 'known':
        return command.seqs.map((seq) => sql.bySeq.get(seq) !== undefined);
      case 'onRoad':
        return plain(sql.onRoad.all(command.id, command.after, command.max));
      case 'recipients':
        return this.#recipients(command);
      case 'block':
        for (const { account, chat, reason } of command.chats) {
          sql.block.run(account, chat, reason, command.at);
        }
        return null;
      case 'unblock': {
        const removed = command.chats.map(({ account, chat }) => sql.unblock.run(account, chat));
        return removed.reduce((sum, { changes }) => sum + Number(changes), 0);
      }
      case 'isBlocked':
        if (command.account === null) return sql.isAnyBlocked.get() !== undefined;
        return sql.isBlocked.get(command.account) !== undefined;
      case 'sweep':
        return this.#sweep(command.endedBefore, command.max);
      case 'open':
      case 'fill':
      case 'seal':
      case 'drop':
      case 'dropOpen':
      case 'named':
      case 'audiences':
      case 'forget':
        return this.#audiences.run(command);
      default:
        return unreachable(command);
    }
  }

  #create(command: NewBroadcast): CreatedBroadcast {
    const { account, platform, audience, name, correlation, method, body, key, digest } = command;
    const earlier = key === null ? undefined : this.#keyed(account, key);
    if (earlier !== undefined) {
      const id = Number(earlier.id);
      if (earlier.digest !== digest) return { kind: 'conflict', id };
      return { kind: 'repeated', broadcast: this.#get(id)! };
    }
    const { fields, at, liveMax, notBefore } = command;
    if (Number(this.#sql.live.get(0)!.count) >= liveMax) return { kind: 'full', liveMax };
    const total = this.#audiences.countOf(audience, fields === null ? 'sealed' : 'unnamed');
    if (total === null) return { kind: 'no_audience' };
    if (fields !== null) this.#audiences.markSealed(audience, account, fields);
    const priority = PRIORITY_RANK[command.priority];
    const given = [account, platform, audience, name, correlation, method, body, priority];
    const made = this.#sql.insert.run(...given, notBefore, key, digest, total, at);
    const id = Number(made.lastInsertRowid);
    this.#finish(this.#get(id)!, at);
    return { kind: 'created', broadcast: this.#get(id)! };
  }

  // Under the key of its holder, or as it was made when keys had no holder.
  #keyed(account: AccountId, key: string) {
    const shared = sharedKey(key);
    const own = this.#sql.byKey.get(account, key);
    return own ?? (shared === null ? undefined : this.#sql.byKey.get(account, shared));
  }

  #change({ id, to, at }: ChangeCommand): Changed {
    const row = this.#get(id);
    if (row === null) return { kind: 'unknown' };
    if (!mayChange(row.state, to)) return { kind: 'illegal', state: row.state };
    if (row.state !== to) {
      this.#sql.change.run(to, to === 'cancelled' ? at : null, id);
      if (to === 'cancelled') {
        const withdrawn = Number(this.#sql.cancelWithdrawn.run(at, id).changes);
        this.#sql.count.run(0, 0, 0, 0, withdrawn, 0, 0, id);
      }
      this.#finish(this.#get(id)!, at);
    }
    return { kind: 'changed', broadcast: this.#get(id)! };
  }

  #next(id: number, max: number): Member[] {
    const row = this.#get(id);
    if (row === null) return [];
    const { account, audience, cursor } = row;
    const members = plain(this.#sql.withdrawn.all(account, audience, id, max)) as unknown[];
    if (members.length < max) {
      members.push(...plain(this.#sql.unfed.all(account, audience, cursor, max - members.length)));
    }
    return members as Member[];
  }

  #fed({ id, rows, at }: FedCommand): Progressed {
    if (this.#get(id) === null) return { done: [] };
    const change = noChange();
    let cursor = 0;
    for (const { n, seq, state, reason } of rows) {
      const before = (this.#sql.outcome.get(id, n)?.state ?? 'pending') as RecipientState;
      this.#sql.feed.run(id, n, seq, state, reason, at);
      move(change, before, state);
      cursor = Math.max(cursor, n + 1);
    }
    this.#count(id, change, cursor);
    return { done: this.#finish(this.#get(id)!, at) ? [id] : [] };
  }

  #settle({ rows, at }: SettleCommand): Progressed {
    const changes = new Map<number, Counts>();
    for (const { seq, state, reason } of rows) {
      const place = this.#sql.bySeq.get(seq);
      if (place === undefined) continue;
      const id = Number(place.broadcast);
      const change = changes.get(id) ?? noChange();
      changes.set(id, change);
      // Withdrawn: its next delivery will be another.
      const kept = state === 'pending' ? null : seq;
      this.#sql.settle.run(kept, state, reason, at, id, place.n!);
      move(change, place.state as RecipientState, state);
    }
    const done: number[] = [];
    for (const [id, change] of changes) {
      this.#count(id, change, 0);
      if (this.#finish(this.#get(id)!, at)) done.push(id);
    }
    return { done: done.sort((a, b) => a - b) };
  }

  #recipients({ id, state, after, max }: RecipientsQuery): Recipient[] {
    const row = this.#get(id);
    if (row === null) return [];
    const unfed = unfedState(row.state);
    if (state === null) {
      // What became of those before is swept already: it is not known any more, and nobody waits.
      const first = Number(this.#sql.firstOutcome.get(id)!.n ?? row.cursor);
      const from = Math.max(after + 1, first);
      const all = plain(this.#sql.everyone.all(id, row.audience, from, max)) as unknown[];
      return (all as Recipient[]).map((one) => ({ ...one, state: one.state ?? unfed }));
    }
    const found = plain(this.#sql.inState.all(row.audience, id, state, after, max)) as unknown[];
    if (state === unfed && found.length < max) {
      const from = Math.max(after + 1, row.cursor);
      const rest = this.#sql.neverFed.all(row.audience, from, max - found.length);
      found.push(
        ...plain(rest).map((one) => ({ ...one, state, reason: null, seq: null, at: null })),
      );
    }
    return found as Recipient[];
  }

  // A broadcast's outcomes go before it does, and what only it needed after it.
  #sweep(endedBefore: number, max: number): number {
    let left = max;
    while (left > 0) {
      const ended = this.#sql.ended.get(endedBefore);
      if (ended === undefined) break;
      left -= Number(this.#sql.dropOutcomes.run(ended.id!, left).changes);
      if (left === 0) break;
      this.#sql.drop.run(ended.id!);
      this.#audiences.dropUnneeded(Number(ended.audience));
      left -= 1;
    }
    return max - left + this.#audiences.sweep(left);
  }

  // Nobody is left to be fed, and nobody is on the road.
  #finish(row: StoredBroadcast, at: number): boolean {
    if (row.state !== 'running' || row.counts.queued > 0 || row.cursor <= row.total) return false;
    if (this.#sql.hasWithdrawn.get(row.id) !== undefined) return false;
    this.#sql.change.run('done' satisfies BroadcastState, at, row.id);
    return true;
  }

  #count(id: number, change: Counts, cursor: number): void {
    const { queued, sent, dead, skipped, cancelled, uncertain } = change;
    this.#sql.count.run(queued, sent, dead, skipped, cancelled, uncertain, cursor, id);
  }

  #get(id: number): StoredBroadcast | null {
    const row = this.#sql.get.get(id);
    return row === undefined ? null : broadcastOf(row);
  }
}

function noChange(): Counts {
  return { queued: 0, sent: 0, dead: 0, skipped: 0, cancelled: 0, uncertain: 0 };
}

function move(change: Counts, from: RecipientState, to: RecipientState): void {
  if (from !== 'pending') change[from] -= 1;
  if (to !== 'pending') change[to] += 1;
}

function broadcastOf(row: SqlRow): StoredBroadcast {
  const { queued, sent, dead, skipped, cancelled, uncertain, priority, ...rest } = row;
  const counts = { queued, sent, dead, skipped, cancelled, uncertain };
  return { ...rest, priority: PRIORITIES[Number(priority)], counts } as unknown as StoredBroadcast;
}

// The driver's rows have no prototype; what crosses to the main thread are plain objects.
function plain(rows: readonly SqlRow[]): object[] {
  return rows.map((row) => ({ ...row }));
}
