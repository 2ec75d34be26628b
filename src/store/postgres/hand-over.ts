// What nodes accepted while the database was away comes in here; the server's part is functions/spill.ts.

import type { PostgresSql } from '../../system/databases/postgres.ts';
import type { HandedOver, HandOverStore, SpilledRecord, Stray } from '../ports/hand-over.ts';
import type { WriteCommand } from './batch.ts';
import { movedBy, queuedOfRow, spilledRow } from './commands.ts';
import type { BatchCommit } from './group-commit.ts';

const HAND_OVER_SQL = {
  numbers: `SELECT nextval('delivery_seq') AS seq FROM generate_series(1, $1)`,
  forget: 'DELETE FROM spills WHERE id = $1',
  owned: `SELECT account FROM owners
    WHERE account = ANY ($1::text[]) AND node <> '' AND node <> $2`,
  stillLeft: 'SELECT seq FROM strays WHERE seq = ANY ($1::bigint[])',
  strays: `SELECT s.no, (SELECT queued_of(d.seq) FROM deliveries d
      WHERE d.seq = s.seq AND d.state = 'queued') AS queued
    FROM strays s JOIN owners o ON o.account = s.account WHERE o.node = $1`,
  forgetStrays: 'DELETE FROM strays WHERE no = ANY ($1::bigint[])',
} as const;

// Of one of these statements; other writes wait behind it.
const STATEMENT_MS_MAX = 4_000;

export function handOverTo(commits: BatchCommit, node: string): HandOverStore {
  const run = <T>(work: (sql: PostgresSql) => Promise<T>) =>
    commits.run((connection) => work(connection.bounded(STATEMENT_MS_MAX)));
  return {
    async reach() {
      await run((sql) => sql.get('SELECT 1 AS here'));
    },
    async drawNumbers(count) {
      const rows = await run((sql) => sql.all(HAND_OVER_SQL.numbers, count));
      return rows.map(({ seq }) => Number(seq));
    },
    handOver(spill, records, by = node) {
      return commits.submit(handOverCommand(spill, by, records), (answer) =>
        (answer as ServerAnswer[]).map(handedOver),
      );
    },
    async forgetSpill(spill) {
      await run((sql) => sql.run(HAND_OVER_SQL.forget, spill));
    },
    async unowned(accounts) {
      const rows = await run((sql) => sql.all(HAND_OVER_SQL.owned, accounts, node));
      const owned = new Set(rows.map(({ account }) => String(account)));
      return accounts.filter((account) => !owned.has(account));
    },
    async stillLeft(seqs) {
      const rows = await run((sql) => sql.all(HAND_OVER_SQL.stillLeft, seqs));
      return rows.map(({ seq }) => Number(seq));
    },
    async strays() {
      const rows = await run((sql) => sql.all(HAND_OVER_SQL.strays, node));
      const found = rows.map(({ no, queued }) => ({
        no: Number(no),
        queued: queued === null ? null : queuedOfRow(queued as never),
      }));
      return found.sort(inOrder);
    },
    async forgetStrays(strays) {
      const numbers = strays.map(({ no }) => no);
      await run((sql) => sql.run(HAND_OVER_SQL.forgetStrays, numbers));
    },
  };
}

function inOrder({ queued: one }: Stray, { queued: other }: Stray): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one.account.localeCompare(other.account) || one.rank - other.rank;
}

function handOverCommand(
  spill: string,
  node: string,
  records: readonly SpilledRecord[],
): WriteCommand {
  const accountOf = (one: SpilledRecord) =>
    one.kind === 'append' ? one.delivery.account : one.account;
  const accounts = [...new Set(records.map(accountOf))];
  return {
    op: 'hand_over',
    ...{ account: accounts[0]!, accounts, run: null, bytes: 0 },
    encode: () => ({ spill, node, records: records.map(encoded) }),
  };
}

function encoded(record: SpilledRecord): object {
  const { n } = record;
  return record.kind === 'append'
    ? { n, ...withoutRow(record), ...spilledRow(record.seq, record.delivery) }
    : { n, move: movedBy(record.account, record.command) };
}

function withoutRow({ doubt, isOffRoad }: Extract<SpilledRecord, { kind: 'append' }>) {
  return { doubt, ...(isOffRoad && { isOffRoad }) };
}

interface ServerAnswer {
  readonly kind: string;
  readonly replaced?: number | null;
  readonly isStray?: true;
  readonly by?: number;
  readonly found?: object;
  readonly reason?: string;
}

function handedOver(told: ServerAnswer): HandedOver {
  switch (told.kind) {
    case 'accepted':
      return { kind: 'accepted', replaced: told.replaced ?? null, isStray: told.isStray ?? false };
    case 'superseded':
      return {
        kind: 'superseded',
        by: told.by!,
        found: told.found == null ? null : queuedOfRow(told.found as never),
      };
    case 'dead':
      return { kind: 'dead', reason: told.reason! };
    case 'known':
      return { kind: 'known' };
    default:
      return { kind: 'moved' };
  }
}
