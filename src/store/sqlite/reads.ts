// What the journal reads back: limits, accounts, recent calls. Asked at start and by hand, never
// per message.

import type { AccountId } from '../../domain/ids.ts';
import {
  type Database,
  prepareArrays,
  type SqlRow,
  type Statement,
} from '../../system/databases/sqlite.ts';
import type { StoredAccount } from '../ports/accounts.ts';
import type { StoredLimit } from '../ports/limits.ts';
import type { StoredCall } from '../ports/recovery.ts';
import type { Tallies } from './tallies.ts';

export class SqliteReads {
  readonly #limits: Statement;
  readonly #limitsOf: Statement;
  readonly #limited: Statement;
  readonly #accounts: Statement;
  readonly #calls: Statement;

  constructor(db: Database) {
    this.#limits = db.prepare(
      'SELECT account, key, value, updated_at AS updatedAt FROM limits ORDER BY account, key',
    );
    this.#limitsOf = db.prepare(
      'SELECT account, key, value, updated_at AS updatedAt FROM limits WHERE account = ? ORDER BY key',
    );
    this.#limited = db.prepare(`SELECT DISTINCT account FROM limits WHERE account > ''`);
    this.#accounts = db.prepare(
      `SELECT id, platform, sealed, paused, refused, created_at AS createdAt
       FROM accounts ORDER BY id`,
    );
    this.#calls = prepareArrays(db, CALLS_NEWEST_FIRST);
  }

  limits(accounts: readonly AccountId[]): StoredLimit[] {
    const [only] = accounts;
    if (accounts.length === 1) return this.#limitsOf.all(only!).map(limitOf);
    const asked = new Set(accounts);
    return this.#limits
      .all()
      .map(limitOf)
      .filter(({ account }) => asked.has(account));
  }

  // What is under no account is of the store itself.
  knownAccounts(tallies: Tallies): string[] {
    const limited = this.#limited.all().map(({ account }) => String(account));
    return [...new Set([...tallies.accounts(), ...limited])].sort();
  }

  accounts(): StoredAccount[] {
    return this.#accounts.all().map((row) => {
      return { ...row, paused: row.paused === 1 } as unknown as StoredAccount;
    });
  }

  // Attempts lie in the order they began: read backwards, and stop at the first that is too old.
  callsSince(accounts: readonly AccountId[], since: number): StoredCall[] {
    const asked = new Set(accounts);
    const calls: StoredCall[] = [];
    for (const row of this.#calls.iterate() as Iterable<unknown>) {
      const [startedAt, endedAt, outcome, account, chat, user, family, ...rest] = row as CallRow;
      const [budget, live, cost, messageId] = rest;
      if (startedAt < since) break;
      if (!asked.has(account)) continue;
      calls.push({
        account,
        chat,
        user,
        family,
        budget,
        live: live === 1,
        cost,
        messageId,
        startedAt,
        endedAt,
        outcome,
      });
    }
    return calls.reverse();
  }
}

function limitOf(row: SqlRow): StoredLimit {
  return { ...row } as unknown as StoredLimit;
}

export const CALLS_NEWEST_FIRST = `SELECT a.started_at, a.ended_at, a.outcome, d.account,
  coalesce(a.chat, d.chat), d.user, d.family, d.budget, d.live, d.cost, d.message_id
  FROM attempts a CROSS JOIN deliveries d ON d.seq = a.seq ORDER BY a.no DESC`;

type CallRow = [
  startedAt: number,
  endedAt: number | null,
  outcome: StoredCall['outcome'],
  account: AccountId,
  chat: string,
  user: string | null,
  family: StoredCall['family'],
  budget: StoredCall['budget'],
  live: number,
  cost: number,
  messageId: string | null,
];
