// A database that holds less than it did is found out, before a start and while at work.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../system/clock.ts';
import { PostgresConnection } from '../../system/databases/postgres.ts';
import { Periodic } from '../../system/periodic.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { aDelivery, ROOM } from '../contract/journal.fixture.ts';
import type { StoreNote } from '../store-note.ts';
import { type Cluster, startCluster } from './cluster.fixture.ts';
import type { MarkOptions } from './mark.ts';
import { openPostgresJournal } from './postgres.ts';
import { SCHEMA } from './schema/schema.ts';

const ACCOUNT = 'telegram:1';
const NEVER = () => {
  throw new Error('nothing was lost');
};

let cluster: Cluster;
let url: string;
let dir: string;
const notes: StoreNote[] = [];
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  url = await cluster.database();
  dir = mkdtempSync(join(tmpdir(), 'sluice-mark-'));
  notes.length = 0;
});

function open(changes: Partial<MarkOptions> = {}) {
  const onNote = (note: StoreNote) => void notes.push(note);
  const periodic = new Periodic(systemClock(), () => {});
  const mark = { dir, acceptLoss: false, periodic, onNote, onLost: NEVER, ...changes };
  return openPostgresJournal({ url, mark });
}

async function fill(count: number): Promise<void> {
  const journal = await open();
  const owner = await journal.openAccount(ACCOUNT);
  for (let i = 0; i < count; i++) {
    await journal.append(owner, aDelivery({ account: ACCOUNT }), ROOM).durable;
  }
  await journal.close();
}

async function asAdmin(script: string): Promise<void> {
  const sql = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  await sql.script(script);
  await sql.close();
}

test('a database that is as it was is opened, also when retention has been at work', async () => {
  await fill(3);
  await (await open()).close();
  await asAdmin('DELETE FROM deliveries');
  const clock = systemClock();
  const later = { ...clock, now: () => clock.now() + 13 * 3_600_000 };
  await (await open({ periodic: new Periodic(later) })).close();
});

test.each([
  ['emptied', 'DROP SCHEMA sluice CASCADE', /not the one this node wrote to/],
  [
    'restored from a backup',
    `SELECT setval('sluice.delivery_seq', 1)`,
    /2 or more .*numbers 2 to 3/,
  ],
  ['without its messages', 'DELETE FROM deliveries', /number 3 was accepted a short while ago/],
])('%s: refused, until the loss is accepted', async (_name, script, why) => {
  await fill(3);
  await asAdmin(script);
  await expect(open()).rejects.toMatchObject({ code: 'loss', message: expect.stringMatching(why) });
  await expect(open()).rejects.toThrow(/--accept-loss/);
  const journal = await open({ acceptLoss: true });
  expect(journal.losses).toMatchObject([{ why: expect.stringMatching(why) }]);
  expect(notes).toMatchObject([{ level: 'warn', text: expect.stringMatching(/was accepted/) }]);
  const owner = await journal.openAccount(ACCOUNT);
  const appended = await journal.append(owner, aDelivery({ account: ACCOUNT }), ROOM).durable;
  // Numbers that were given out are not given to other messages.
  expect(appended.kind === 'accepted' && appended.queued.seq).toBeGreaterThan(3);
  await journal.close();
  await (await open()).close();
});

test('it is found out while at work, and nothing more is to be accepted', async () => {
  const lost = Promise.withResolvers<Error>();
  const clock = virtualClock(systemClock().now());
  const journal = await open({ periodic: new Periodic(clock), onLost: lost.resolve });
  const owner = await journal.openAccount(ACCOUNT);
  await journal.append(owner, aDelivery({ account: ACCOUNT }), ROOM).durable;
  await asAdmin('TRUNCATE deliveries');
  await clock.run(clock.now() + 5_000);
  expect((await lost.promise).message).toMatch(/number 1 was accepted/);
  await journal.close();
});
