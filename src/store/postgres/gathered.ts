// Rows of accounts, asked for account by account and read together: a node that takes dozens of accounts over asks the
// same of each at once, and every round trip it saves is time in which none of them sends. One read at a time; who asks
// while it runs is of the next one.

import type { PostgresConnection } from '../../system/databases/postgres.ts';
import type { Owner } from '../ports/ownership.ts';
import type { Recovered } from '../ports/recovery.ts';
import { type BatchCommit, unavailable } from './group-commit.ts';
import { callsSince, limitsOf, recover } from './reads.ts';

export interface AccountRow {
  readonly account: string;
}

interface Asked<A, R> {
  readonly asked: A;
  readonly accounts: ReadonlySet<string>;
  readonly resolve: (rows: R[]) => void;
  readonly reject: (error: unknown) => void;
}

export class GatheredRead<A, R extends AccountRow> {
  // What all of them asked for, or more; in the order in which each is told.
  readonly #read: (asked: readonly A[]) => Promise<readonly R[]>;
  readonly #accountsOf: (asked: A) => readonly string[];
  #waiting: Asked<A, R>[] = [];
  #isReading = false;

  constructor(
    accountsOf: (asked: A) => readonly string[],
    read: (asked: readonly A[]) => Promise<readonly R[]>,
  ) {
    this.#accountsOf = accountsOf;
    this.#read = read;
  }

  rows(asked: A): Promise<R[]> {
    const accounts = new Set(this.#accountsOf(asked));
    const rows = new Promise<R[]>((resolve, reject) => {
      this.#waiting.push({ asked, accounts, resolve, reject });
    });
    if (!this.#isReading) {
      this.#isReading = true;
      // After all that is asked for in this turn.
      queueMicrotask(() => void this.#run());
    }
    return rows;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const all = this.#waiting;
      this.#waiting = [];
      try {
        const rows = await this.#read(all.map(({ asked }) => asked));
        const [only] = all;
        if (all.length === 1) only!.resolve([...rows]);
        else {
          const byAccount = Map.groupBy(rows, ({ account }) => account);
          for (const { accounts, resolve } of all) {
            // Of one account its rows are in order; who asked for several is told them in the order of all.
            const own =
              accounts.size === 1
                ? (byAccount.get([...accounts][0]!) ?? [])
                : rows.filter(({ account }) => accounts.has(account));
            resolve(own);
          }
        }
      } catch (error) {
        for (const { reject } of all) reject(error);
      }
    }
    this.#isReading = false;
  }
}

// Reads that a take-over asks for once an account.
export function readsOfTakeOver(commits: BatchCommit, side: PostgresConnection) {
  return {
    limits: new GatheredRead(
      (accounts: readonly string[]) => accounts,
      (all) => commits.run((sql) => limitsOf(sql, all.flat())),
    ),
    calls: new GatheredRead(
      ({ accounts }: CallsAsked) => accounts,
      async (all) => {
        const accounts = all.flatMap((each) => each.accounts);
        const since = Math.min(...all.map((each) => each.since));
        // What the former owner wrote is there: the account was opened before. What this node wrote may be under way;
        // no commit waits for what is read.
        await commits.run(async () => {});
        return callsSince(side, [...new Set(accounts)], since).catch((error: unknown) => {
          throw unavailable(error);
        });
      },
    ),
    recoveries: new GatheredRead(
      (owners: readonly Owner[]) => owners.map(({ account }) => account),
      async (all) => {
        const rows: RecoveredRow[] = [];
        for await (const page of recover(side, all.flat())) {
          for (const item of page) rows.push({ account: accountOf(item), item });
        }
        return rows;
      },
    ),
  };
}

interface CallsAsked {
  readonly accounts: readonly string[];
  readonly since: number;
}

interface RecoveredRow {
  readonly account: string;
  readonly item: Recovered;
}

function accountOf(item: Recovered): string {
  return item.kind === 'not_owner' ? item.account : item.queued.account;
}

export async function* recoverTogether(
  recoveries: GatheredRead<readonly Owner[], RecoveredRow>,
  owners: readonly Owner[],
): AsyncGenerator<readonly Recovered[]> {
  const rows = await recoveries.rows(owners);
  if (rows.length > 0) yield rows.map(({ item }) => item);
}
