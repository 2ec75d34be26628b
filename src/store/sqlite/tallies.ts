// How many deliveries each account has in each state. Counted in the worker's memory, written to
// the table before each commit (only what changed), read back at start and after a rollback. So the
// bound of an account is checked without a query, and counting never scans the deliveries.

import { LIVE_STATES, STATES, type State } from '../../domain/delivery.ts';
import type { Database, Statement } from '../../system/databases/sqlite.ts';

interface Tally {
  readonly now: Record<State, number>;
  readonly saved: Record<State, number>;
  changed: boolean;
}

export class Tallies {
  readonly #load: Statement;
  readonly #save: Statement;
  readonly #tallies = new Map<string, Tally>();
  readonly #changed: [string, Tally][] = [];
  // Waiting or being sent, of all accounts.
  live = 0;

  constructor(db: Database) {
    this.#load = db.prepare(`SELECT account, state, count FROM tallies WHERE account > ''`);
    this.#save = db.prepare(`INSERT INTO tallies (account, state, count) VALUES (?, ?, ?)
      ON CONFLICT (account, state) DO UPDATE SET count = excluded.count`);
    this.reload();
  }

  waiting(account: string): number {
    const { now } = this.#of(account);
    return LIVE_STATES.reduce((sum, state) => sum + now[state], 0);
  }

  add(account: string, state: State, change: 1 | -1): void {
    const tally = this.#of(account);
    tally.now[state] += change;
    if (isLive(state)) this.live += change;
    if (tally.changed) return;
    tally.changed = true;
    this.#changed.push([account, tally]);
  }

  move(account: string, from: State, to: State): void {
    this.add(account, from, -1);
    this.add(account, to, 1);
  }

  // Those that something is counted of.
  accounts(): string[] {
    const counted = ({ now }: Tally) => STATES.some((state) => now[state] > 0);
    return [...this.#tallies].filter(([, tally]) => counted(tally)).map(([account]) => account);
  }

  save(): void {
    for (const [account, tally] of this.#changed) {
      for (const state of STATES) {
        if (tally.now[state] === tally.saved[state]) continue;
        this.#save.run(account, state, tally.now[state]);
        tally.saved[state] = tally.now[state];
      }
      tally.changed = false;
    }
    this.#changed.length = 0;
  }

  reload(): void {
    this.#tallies.clear();
    this.live = 0;
    this.#changed.length = 0;
    for (const { account, state, count } of this.#load.all()) {
      const tally = this.#of(String(account));
      tally.now[state as State] = Number(count);
      tally.saved[state as State] = Number(count);
      if (isLive(state as State)) this.live += Number(count);
    }
  }

  #of(account: string): Tally {
    let tally = this.#tallies.get(account);
    if (tally === undefined) {
      tally = { now: zeros(), saved: zeros(), changed: false };
      this.#tallies.set(account, tally);
    }
    return tally;
  }
}

function isLive(state: State): boolean {
  return state === 'queued' || state === 'sending';
}

function zeros(): Record<State, number> {
  return Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
}
