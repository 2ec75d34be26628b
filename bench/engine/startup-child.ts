// One start, or one plain reading of the same rows, in a process of its own.

import { createEngine } from '../../src/app/delivery.ts';
import { defaultConfig } from '../../src/config/config.ts';
import { createTelegram, telegramPriors } from '../../src/platforms/telegram/telegram.ts';
import { openSqliteLedger } from '../../src/store/sqlite/ledger/ledger.ts';
import { openSqliteJournal } from '../../src/store/sqlite/sqlite.ts';
import { systemClock } from '../../src/system/clock.ts';
import { openDatabase, storeFileOf } from '../../src/system/databases/sqlite.ts';
import { Periodic } from '../../src/system/periodic.ts';
import { systemRandom } from '../../src/system/random.ts';
import { tell } from './child.ts';
import type { Measured } from './startup.ts';

const [what, dir = ''] = process.argv.slice(2);
const collect = (globalThis as { gc?: () => void }).gc!;
process.once('SIGTERM', () => process.exit(0));

collect();
const before = process.memoryUsage();
const began = performance.now();
const kept = what === 'road' ? await startRoad() : readRows();
const ms = performance.now() - began;
collect();
const after = process.memoryUsage();
const bytes = after.heapUsed + after.external - before.heapUsed - before.external;
tell({ ms, bytes } satisfies Measured);
void kept;

async function startRoad() {
  const journal = await openSqliteJournal({ dir });
  const ledger = openSqliteLedger({ dir });
  const settings = defaultConfig();
  // Nothing goes out: what is measured is the queue, not the sending.
  const never = () => new Promise<never>(() => {});
  const silent = { request: never, stream: never, close: async () => {} };
  const platform = createTelegram({ transport: silent });
  const account = { platform, priors: telegramPriors({}), host: 'none', settings };
  const clock = systemClock();
  const engine = createEngine({
    journal,
    ledger,
    clock,
    periodic: new Periodic(clock),
    random: systemRandom(),
    settings,
    accounts: {
      platformOf: () => account,
      get: () => ({ paused: true, refused: null }),
      list: () => [],
      credentialOf: () => 'none',
      setRefused: async () => {},
      setPaused: async () => true,
    },
    report: (_stage, error) => {
      throw error;
    },
    fatal: (error) => {
      throw error;
    },
  });
  await engine.dispatch.start();
  return engine;
}

// As plainly as the driver can: every live row with all its columns, one after the other.
function readRows(): number {
  const db = openDatabase(storeFileOf(dir), { readOnly: true, busyMsMax: 0 });
  let count = 0;
  const sql = 'SELECT * FROM deliveries WHERE settled_at IS NULL';
  for (const row of db.prepare(sql).iterate()) count += row.seq === null ? 0 : 1;
  db.close();
  return count;
}
