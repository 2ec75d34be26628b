// Damage to the store's files at seeded places, in this process: whatever is done to them, a start finds all that was
// accepted, byte by byte, or refuses and says how much is missing; with acceptLoss the rest goes on, unchanged.

import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '../../../domain/delivery.ts';
import {
  logFileOf,
  markFileOf,
  openDatabase,
  storeFileOf,
  sumsFileOf,
} from '../../../system/databases/sqlite.ts';
import { intBelow, seededRandom } from '../../../system/random.ts';
import { aDelivery } from '../../contract/journal.fixture.ts';
import { SqliteReader } from '../ledger/reader.ts';
import { inlineStore, makeFolder } from '../sqlite.fixture.ts';
import { fitsItsChecks } from './check.ts';
import { FRAME_HEADER_BYTES, frameOffset, mendLog, scanLog } from './engine-log.ts';
import { encode, readMark, SLOT_BYTES } from './mark.ts';
import { openStore } from './open.ts';

const MESSAGES = 500;
// What of them is still in the log alone.
const LOGGED = 60;
const random = seededRandom(20_261_116);
const root = makeFolder();
const base = join(root, 'base');
const dir = join(root, 'copy');
const file = storeFileOf(dir);

const bodyOf = (n: number) =>
  JSON.stringify({ text: `${n} `.padEnd(40 + ((n * 37) % 9_000), 'text') });

// Most of it in the file, the rest in the log: as a process leaves it that was killed.
beforeAll(async () => {
  const { journal, store } = inlineStore(base);
  for (let n = 1; n <= MESSAGES; n++) {
    const delivery = aDelivery({ chat: `chat ${n % 50}`, body: bodyOf(n), correlation: `c${n}` });
    await journal.append(delivery, { queueMax: 1_000_000 });
    if (n === MESSAGES - LOGGED) store.checkpoints.moveAll();
  }
  const killed = join(root, 'killed');
  cpSync(base, killed, { recursive: true });
  await journal.close();
  cpSync(killed, base, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true }));

function fresh(): void {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { mode: 0o700 });
  cpSync(base, dir, { recursive: true });
}

// What follows is left over from before the log began anew.
const logEnd = () => frameOffset(scanLog(logFileOf(file))!.end.frames + 1);

function flip(path: string, byte: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[byte]! ^= 1 << bit;
  writeFileSync(path, bytes);
}

interface Read {
  readonly count: number;
  readonly notes: readonly string[];
  // Numbers of those that are kept as dead letters.
  readonly dead: readonly number[];
}

// Every message that is there is as it was accepted, or a dead letter; how many of each.
function read(acceptLoss = false): Read {
  const store = openStore({ dir, pageCountMax: null, acceptLoss });
  try {
    const reader = new SqliteReader(store.db);
    const seqs = store.db
      .prepare('SELECT seq FROM deliveries')
      .all()
      .map((row) => Number(row.seq));
    const dead: number[] = [];
    for (const one of reader.getMany(seqs)) {
      if (one.state === 'dead') {
        expect(one.reason).toBe('damaged');
        expect(one.damaged).toBe(!isAsAccepted(one));
        dead.push(one.seq);
        continue;
      }
      expect(one.body).toBe(bodyOf(one.seq));
      expect([one.chat, one.state]).toEqual([`chat ${one.seq % 50}`, 'queued']);
    }
    const live = store.db
      .prepare(
        'SELECT count(*) AS n FROM deliveries INDEXED BY deliveries_live WHERE settled_at IS NULL',
      )
      .get();
    expect(live?.n).toBe(seqs.length - dead.length);
    const tallied = store.db
      .prepare(`SELECT coalesce(sum(count), 0) AS n FROM tallies WHERE account > ''`)
      .get();
    expect(tallied?.n).toBe(seqs.length);
    const notes = store.notes.map(({ text }) => text);
    return { count: seqs.length - dead.length, notes, dead };
  } finally {
    store.close();
  }
}

function isAsAccepted({ seq, body, chat, method, thread }: Delivery): boolean {
  const was = aDelivery();
  if (method !== was.method || thread !== was.thread) return false;
  return body === bodyOf(seq) && chat === `chat ${seq % 50}`;
}

function refusal(): { text: string; missing: number } {
  try {
    openStore({ dir, pageCountMax: null }).close();
  } catch (error) {
    const text = String((error as Error).message);
    expect(error).toMatchObject({ code: 'loss' });
    return { text, missing: Number(/(\d+) accepted messages? (?:is|are) missing/.exec(text)?.[1]) };
  }
  throw new Error('it was not refused');
}

test('untouched, all is there, and nothing is said', () => {
  fresh();
  expect(read()).toEqual({ count: MESSAGES, notes: [], dead: [] });
  // And again after an end in good order.
  expect(read()).toEqual({ count: MESSAGES, notes: [], dead: [] });
});

describe('one changed bit', () => {
  test.each(['log', 'file'] as const)(
    'anywhere in the %s is put right',
    (which) => {
      for (let i = 0; i < 12; i++) {
        fresh();
        const path = which === 'log' ? logFileOf(file) : file;
        const byte = intBelow(random, which === 'log' ? logEnd() : statSync(path).size);
        flip(path, byte, intBelow(random, 8));
        const { count, notes } = read();
        expect([byte, count]).toEqual([byte, MESSAGES]);
        // A page that the log holds anew is harmless.
        expect(notes.slice(1)).toEqual([]);
      }
    },
    120_000,
  );

  // Turned over in the upper byte of a word, many bits of a page change the log's own check alike.
  test('in the log is never mistaken for another', () => {
    let mended = 0;
    for (let i = 0; i < 24; i++) {
      fresh();
      const path = logFileOf(file);
      const whole = readFileSync(path);
      const { frames } = scanLog(path)!.end;
      const page = frameOffset(1 + intBelow(random, frames)) + FRAME_HEADER_BYTES;
      flip(path, page + 4 * intBelow(random, 1024) + 3, intBelow(random, 8));
      const isMended = mendLog(path, scanLog(path)!, () => fitsItsChecks(file));
      if (!isMended) continue;
      mended += 1;
      expect(readFileSync(path).equals(whole)).toBe(true);
    }
    expect(mended).toBeGreaterThan(16);
  });

  // In its salts or its check another bit may fit as well, by chance: then it is refused.
  test.each([0, 10])('in the header of the log is put right: byte %d', (byte) => {
    fresh();
    flip(logFileOf(file), byte, 3);
    expect(read().count).toBe(MESSAGES);
  });

  test('in the checks is put right', () => {
    for (let i = 0; i < 5; i++) {
      fresh();
      const path = sumsFileOf(file);
      flip(path, intBelow(random, statSync(path).size), intBelow(random, 8));
      expect(read().count).toBe(MESSAGES);
    }
  });

  test('in a page is put right by the SHA-1 that an older version kept, which goes on with it', () => {
    fresh();
    const path = sumsFileOf(file);
    const sums = readFileSync(path);
    const pages = readFileSync(file);
    sums.write('SLPSUM01', 'latin1');
    for (let page = 1; page * 8 < sums.length; page++) {
      if (sums.readBigUInt64BE(page * 8) === 0n) continue;
      const bytes = pages.subarray((page - 1) * 4096, page * 4096);
      sums.write(createHash('sha1').update(bytes).digest('hex').slice(0, 8), page * 8 + 4, 'hex');
    }
    writeFileSync(path, sums);
    for (let i = 0; i < 3; i++) {
      flip(file, 4096 + intBelow(random, pages.length - 4096), intBelow(random, 8));
      expect(read().count).toBe(MESSAGES);
      expect(readFileSync(path, 'latin1').slice(0, 8)).toBe('SLPSUM01');
    }
  });
});

describe('a page overwritten', () => {
  test('is refused with the count; accepted, the rest goes on unchanged', () => {
    let lossy = 0;
    let kept = 0;
    for (let i = 0; i < 8; i++) {
      fresh();
      const bytes = readFileSync(file);
      const page = 1 + intBelow(random, bytes.length / 4096 - 1);
      bytes.fill(0xa5, page * 4096 + 100, page * 4096 + 3000);
      writeFileSync(file, bytes);
      const { text, missing } = outcome();
      if (text === null) continue;
      expect(text).toContain(`1 page of ${file} changed or lost (${page + 1})`);
      const { count, dead, notes } = read(true);
      expect([page, count]).toEqual([page, MESSAGES - missing]);
      expect(dead.length).toBeLessThanOrEqual(missing);
      if (dead.length > 0)
        expect(notes.join()).toContain(`${dead.length} of them can be read in part`);
      if (missing > 0) lossy += 1;
      kept += dead.length;
      expect(read()).toEqual({ count, notes: [], dead });
    }
    expect(lossy).toBeGreaterThan(2);
    expect(kept).toBeGreaterThan(0);
  });

  // Harmless, or refused.
  function outcome(): { text: string | null; missing: number } {
    try {
      expect(read()).toMatchObject({ count: MESSAGES });
      return { text: null, missing: 0 };
    } catch (error) {
      if ((error as { code?: string }).code !== 'loss') throw error;
      return refusal();
    }
  }
});

describe('the file', () => {
  test.each([0.2, 0.9])(
    'cut off at %d of it is refused with the count',
    (where) => {
      fresh();
      truncateSync(file, Math.floor(statSync(file).size * where));
      const { missing } = refusal();
      expect(missing).toBeGreaterThan(0);
      expect(read(true).count).toBe(MESSAGES - missing);
    },
    60_000,
  );
});

describe('the log', () => {
  test.each([0, 0.05, 0.3, 0.8, 0.95])(
    'cut off at %d of it is refused with the count',
    (where) => {
      fresh();
      const log = logFileOf(file);
      truncateSync(log, Math.floor(logEnd() * where));
      const { missing, text } = refusal();
      expect(missing).toBeGreaterThan(0);
      expect(text).toContain(`numbers ${MESSAGES - missing + 1} to ${MESSAGES}`);
      expect(read(true).count).toBe(MESSAGES - missing);
    },
    60_000,
  );
});

describe('the file and the log', () => {
  test.each(['deleted', 'emptied'])('both %s are refused with the count', (how) => {
    fresh();
    for (const path of [file, logFileOf(file)]) {
      if (how === 'deleted') rmSync(path);
      else truncateSync(path, 0);
    }
    expect(refusal().missing).toBe(MESSAGES);
    expect(read(true).count).toBe(0);
    expect(read()).toEqual({ count: 0, notes: [], dead: [] });
  });
});

describe('after the machine went down', () => {
  // What was written and not forced is gone; nobody had been told that it was on the disk.
  test('what was not forced to the disk is not missed', () => {
    fresh();
    const log = logFileOf(file);
    truncateSync(log, Math.floor(logEnd() * 0.8));
    const { missing } = refusal();
    const read1 = readMark(markFileOf(dir));
    if (read1.kind !== 'mark') throw new Error('no mark');
    const { mark } = read1;
    const slot = Buffer.alloc(SLOT_BYTES);
    encode(slot, 1e9, { ...mark, boot: 'f'.repeat(32), forced: mark.written - missing });
    writeFileSync(markFileOf(dir), slot);
    expect(read()).toEqual({ count: MESSAGES - missing, notes: [], dead: [] });
    // But what was forced is.
    fresh();
    truncateSync(log, Math.floor(logEnd() * 0.8));
    encode(slot, 1e9, { ...mark, boot: 'f'.repeat(32), forced: mark.written });
    writeFileSync(markFileOf(dir), slot);
    expect(refusal().missing).toBe(missing);
  });
});

test('a folder that is made anew has nothing to miss', () => {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { mode: 0o700 });
  expect(read()).toEqual({ count: 0, notes: [], dead: [] });
});

test('a store that was restored, and is not yet in the mode of a log, starts again and again', () => {
  fresh();
  read();
  const db = openDatabase(file, { readOnly: false, busyMsMax: 0 });
  db.exec('PRAGMA journal_mode = DELETE');
  db.close();
  rmSync(sumsFileOf(file));
  rmSync(markFileOf(dir));
  expect(read().count).toBe(MESSAGES);
  expect(read()).toEqual({ count: MESSAGES, notes: [], dead: [] });
});
