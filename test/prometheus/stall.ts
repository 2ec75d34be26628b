// A gateway that stands still, in each of the ways it can: its calls hang, its store is held by somebody else, the
// process gets no time, its loop has ended. It is another than the one in trouble, whose freezes and pauses would
// explain that nothing moves.

import type { ServedSim } from '../../src/sim/sim.ts';
import { sleep, systemClock } from '../../src/system/clock.ts';
import { openDatabase, storeFileOf } from '../../src/system/databases/sqlite.ts';
import type { GatewayProcess } from '../process/gateway.ts';
import { tokenOf } from './faults.ts';

const BOT = 250;
const CHAT = 2500;
// More than half of the time between two scrapes: fewer than fifty looks at the loop are left in it, so that one that
// is late is the worst in a hundred. Less than a scrape waits for its answer.
const STOP_MS = 600;
const LOCK_MS_MAX = 5000;

// The next scrape, as an event.
type Scraped = () => Promise<void>;

export class Stall {
  readonly #gateway: GatewayProcess;
  readonly #sim: ServedSim;

  constructor(gateway: GatewayProcess, sim: ServedSim) {
    this.#gateway = gateway;
    this.#sim = sim;
  }

  // What it does before anybody looks: one message arrives, and reading its metrics once forgets how late the loop
  // was while it started.
  async warm(): Promise<void> {
    const { status, body } = await this.#send(20);
    if (status !== 200) throw new Error(JSON.stringify(body));
    await (await fetch(`${this.#gateway.url}/metrics`)).text();
  }

  // The platform takes a call and never answers; what comes after it in its chat is due, and waits.
  async hung(): Promise<void> {
    const fault = { kind: 'hang', delivered: false };
    const script = [{ fault, token: tokenOf(BOT), times: 1000 }];
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ script });
    await fetch(`${this.#sim.url}/sim/faults`, { method: 'POST', headers, body });
    for (let i = 0; i < 3; i++) await this.#send();
  }

  // Another process would do the same: it writes to the store, and does not come to an end.
  async slowStore(scraped: Scraped, isSeen: () => boolean): Promise<void> {
    const file = storeFileOf(this.#gateway.data);
    const other = openDatabase(file, { readOnly: false, busyMsMax: LOCK_MS_MAX });
    while (!isSeen()) {
      other.exec('BEGIN IMMEDIATE');
      const sent = this.#send();
      await scraped();
      other.exec('COMMIT');
      await sent;
    }
    other.close();
  }

  // It gets no time of the processor, again and again.
  async stopped(scraped: Scraped, isSeen: () => boolean): Promise<void> {
    const clock = systemClock();
    while (!isSeen()) {
      this.#gateway.signal('SIGSTOP');
      await sleep(clock, STOP_MS);
      this.#gateway.signal('SIGCONT');
      await scraped();
    }
  }

  // Told to end, with a call under way that does not: it answers still, and its loop has no more turns.
  ending(): void {
    this.#gateway.signal('SIGTERM');
  }

  #send(wait?: number) {
    const to = { platform: 'telegram', account: tokenOf(BOT), chat: CHAT };
    const more = wait === undefined ? {} : { wait };
    return this.#gateway.ask('POST', '/v1/messages', { to, body: { text: 'hello' }, ...more });
  }
}
