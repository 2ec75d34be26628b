// The ledger of the memory store: every question answered by looking at everything. Plain on
// purpose; the SQLite ledger is held to the same answers.

import { type Delivery, STATES, type State } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import {
  type DeadGroup,
  type Filter,
  type Ledger,
  needleOf,
  SEARCH_LIMIT_MAX,
} from '../../ledger/ledger.ts';
import { assert } from '../../system/assert.ts';
import { isRowIntact, type MemoryDisk, type MemoryRow } from './disk.ts';

export function memoryLedger(disk: MemoryDisk): Ledger {
  const all = () => [...disk.deliveries.values()];
  const told = (row: MemoryRow): Delivery => ({
    ...row,
    correlation: row.correlation ?? row.id,
    damaged: !isRowIntact(disk, row),
  });
  const matching = (filter: Filter) => all().filter((delivery) => matches(delivery, filter));
  return {
    async get(seq) {
      const row = disk.deliveries.get(seq);
      return row === undefined ? null : told(row);
    },
    async getMany(seqs) {
      return seqs.flatMap((seq) => disk.deliveries.get(seq) ?? []).map(told);
    },
    async attempts(seq) {
      return (disk.attemptsOf.get(seq) ?? []).map(({ chat: _chat, ...attempt }) => attempt);
    },
    async history(seq) {
      return [...(disk.historyOf.get(seq) ?? [])];
    },
    async search(filter, page) {
      const { limit } = page;
      assert(limit > 0 && limit <= SEARCH_LIMIT_MAX, `search limit ${limit}`);
      const all = matching(filter);
      const found =
        'after' in page
          ? all.filter(({ seq }) => seq > page.after)
          : all.filter(({ seq }) => page.before === null || seq < page.before).reverse();
      return found.slice(0, limit).map(told);
    },
    async copiesOf(origin) {
      const seqs = [...disk.copies].filter(([, of]) => of === origin).map(([seq]) => seq);
      return seqs.flatMap((seq) => disk.deliveries.get(seq) ?? []).map(told);
    },
    async hasCopies() {
      return disk.copies.size > 0;
    },
    async deadByCause(filter) {
      return groupsOf(matching(filter).filter(({ state }) => state === 'dead'));
    },
    async countByState() {
      return countsOf(all());
    },
    async size() {
      return 0;
    },
    async close() {},
  };
}

function matches(delivery: MemoryRow, filter: Filter): boolean {
  const { since, until, text, correlation, ...exact } = filter;
  if (since !== undefined && delivery.acceptedAt < since) return false;
  if (until !== undefined && delivery.acceptedAt >= until) return false;
  if (text !== undefined && !lower(delivery.body ?? '').includes(lower(needleOf(text))))
    return false;
  if (correlation !== undefined && (delivery.correlation ?? delivery.id) !== correlation)
    return false;
  const names = Object.keys(exact) as (keyof typeof exact)[];
  return names.every((name) => exact[name] === undefined || delivery[name] === exact[name]);
}

function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

// Sorted by size, then by name.
function groupsOf(dead: readonly MemoryRow[]): DeadGroup[] {
  const groups = new Map<string, DeadGroup>();
  for (const { account, reason, settledAt, seq } of dead) {
    const key = JSON.stringify([account, reason]);
    const at = settledAt ?? 0;
    const group = groups.get(key);
    groups.set(key, {
      account,
      reason: reason ?? '',
      count: (group?.count ?? 0) + 1,
      oldestAt: Math.min(group?.oldestAt ?? at, at),
      newestAt: Math.max(group?.newestAt ?? at, at),
      example: seq,
    });
  }
  return [...groups.values()].sort(
    (a, b) => b.count - a.count || compare(a.account, b.account) || compare(a.reason, b.reason),
  );
}

function countsOf(
  deliveries: readonly MemoryRow[],
): { account: AccountId; state: State; count: number }[] {
  const counts = new Map<string, { account: AccountId; state: State; count: number }>();
  for (const { account, state } of deliveries) {
    const key = JSON.stringify([account, state]);
    const count = (counts.get(key)?.count ?? 0) + 1;
    counts.set(key, { account, state, count });
  }
  return [...counts.values()].sort(
    (a, b) => compare(a.account, b.account) || STATES.indexOf(a.state) - STATES.indexOf(b.state),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
