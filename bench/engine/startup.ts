// A million deliveries wait: how long until the road is rebuilt, against merely reading their rows; and what one of
// them takes in memory. The rows are made through the journal itself; each measurement is a fresh process.

import { aDelivery } from '../../src/domain/delivery.fixture.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { FIRST_EPOCH } from '../../src/store/ports/ownership.ts';
import { openSqliteJournal } from '../../src/store/sqlite/sqlite.ts';
import { best, type Row, ratioRow } from '../row.ts';
import { startChild } from './child.ts';
import { closedLoop } from './closed-loop.ts';
import { inFolder } from './folder.ts';
import { BODY } from './sample.ts';

const QUEUED = 1_000_000;
const ACCOUNTS = 100;
const CHATS_PER_ACCOUNT = 200;
const BYTES_MAX = 700;
const RUNS = 2;

export interface Measured {
  readonly ms: number;
  readonly bytes: number;
}

export function startUp(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await fill(folder);
    const measure = (what: 'road' | 'rows') =>
      best(
        RUNS,
        () => inChild(what, folder),
        (a, b) => a.ms < b.ms,
      );
    const road = await measure('road');
    const rows = await measure('rows');
    const seconds = ({ ms }: Measured) => ({ value: ms, text: `${(ms / 1000).toFixed(2)} s` });
    const bytes = road.bytes / QUEUED;
    return [
      ratioRow('start with 1M queued', seconds(road), seconds(rows), { atMost: 3 }),
      ratioRow(
        'memory per queued delivery',
        { value: bytes, text: `${Math.round(bytes)} bytes` },
        { value: BYTES_MAX, text: `${BYTES_MAX} bytes allowed` },
        { atMost: 1 },
      ),
    ];
  });
}

async function fill(dir: string): Promise<void> {
  const journal = await openSqliteJournal({ dir });
  await closedLoop(1_000, QUEUED, (i) => {
    const account: AccountId = `telegram:${i % ACCOUNTS}`;
    const chat = `${1 + (Math.floor(i / ACCOUNTS) % CHATS_PER_ACCOUNT)}`;
    const acceptedAt = 1_700_000_000_000 + i;
    const sample = aDelivery({ account, chat, acceptedAt, body: BODY });
    return journal.append({ account, epoch: FIRST_EPOCH }, sample, { queueMax: QUEUED }).durable;
  });
  await journal.close();
}

async function inChild(what: string, folder: string): Promise<Measured> {
  const child = await startChild<Measured>('startup-child.ts', [what, folder], ['--expose-gc']);
  await child.stop();
  return child.ready;
}
