// The spill on disk: what was told is there, half a line is not, and damage is not read over.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aDelivery } from '../contract/journal.fixture.ts';
import type { SpilledRecord } from '../ports/hand-over.ts';
import { SpillNumbers } from './numbers.ts';
import { spillFolder } from './spill.fixture.ts';
import { readSpill, SPILL_FILE, SpillLog } from './spill-log.ts';

const record = (n: number): SpilledRecord => ({
  ...{ kind: 'append', n, seq: 100 + n },
  delivery: aDelivery({ body: `{"text":"${n} äöü\\n"}` }),
});

async function written(dir: string, count: number): Promise<string> {
  const log = new SpillLog(dir, null);
  await Promise.all(Array.from({ length: count }, (_, i) => log.append(record(i + 1))));
  await log.close();
  return log.id;
}

test('is read as it was written, and goes on where it ended', async () => {
  const dir = spillFolder();
  expect(readSpill(dir)).toBeNull();
  const id = await written(dir, 2);
  const left = readSpill(dir);
  expect(left).toEqual({ id, records: [record(1), record(2)] });
  const log = new SpillLog(dir, left);
  expect(log.durableTo).toBe(2);
  await log.append(record(3));
  expect(log.durableTo).toBe(3);
  await log.close();
  expect(readSpill(dir)).toEqual({ id, records: [1, 2, 3].map(record) });
});

test('of a program before the word, what it called a gate is a budget', async () => {
  const dir = spillFolder();
  const { budget: gate, ...rest } = aDelivery({ budget: 'reply' });
  const log = new SpillLog(dir, null);
  const before = { kind: 'append', n: 1, seq: 101, delivery: { ...rest, gate } };
  await log.append(before as unknown as SpilledRecord);
  await log.close();
  const delivery = { ...rest, budget: 'reply' };
  expect(readSpill(dir)?.records).toEqual([{ ...before, delivery }]);
});

test('half a line at the end, which nobody was told of, is cut off', async () => {
  const dir = spillFolder();
  await written(dir, 2);
  const path = join(dir, SPILL_FILE);
  const whole = readFileSync(path, 'utf8');
  appendFileSync(path, whole.slice(-40, -1));
  expect(readSpill(dir)?.records).toHaveLength(2);
  expect(readFileSync(path, 'utf8')).toBe(whole);
});

test('a line in the middle that changed is told, and nothing is touched', async () => {
  const dir = spillFolder();
  await written(dir, 3);
  const path = join(dir, SPILL_FILE);
  const changed = readFileSync(path, 'utf8').replace('"2 ', '"4 ');
  writeFileSync(path, changed);
  expect(() => readSpill(dir)).toThrow(/line 3 is not as it was/);
  expect(readFileSync(path, 'utf8')).toBe(changed);
});

test('is another one after it was handed over, also for what comes at that moment', async () => {
  const dir = spillFolder();
  const log = new SpillLog(dir, null);
  const { id } = log;
  await log.append(record(1));
  const cleared = log.clear();
  expect(log.id).not.toBe(id);
  const next = log.append(record(1));
  await Promise.all([cleared, next]);
  await log.close();
  expect(readSpill(dir)).toEqual({ id: log.id, records: [record(1)] });
  await log.clear();
  expect(existsSync(join(dir, SPILL_FILE))).toBe(false);
});

test('numbers are given once, those of several draws in order', () => {
  const numbers = new SpillNumbers();
  numbers.add([3, 4, 9]);
  numbers.add([10]);
  expect(numbers.left).toBe(4);
  expect([1, 2, 3, 4, 5].map(() => numbers.take())).toEqual([3, 4, 9, 10, null]);
});
