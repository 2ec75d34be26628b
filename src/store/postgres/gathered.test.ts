import { expect, test } from 'vitest';
import { GatheredRead } from './gathered.ts';

const rowsOf = (accounts: readonly string[]) =>
  ['c', 'a', 'b', 'a'].flatMap((account, n) =>
    accounts.includes(account) ? [{ account, n }] : [],
  );

function reader() {
  const reads: string[][] = [];
  let budget = Promise.resolve();
  const read = new GatheredRead(
    (accounts: readonly string[]) => accounts,
    async (all) => {
      reads.push(all.flat());
      await budget;
      if (all.flat().includes('bad')) throw new Error('away');
      return rowsOf(all.flat());
    },
  );
  const hold = () => {
    const held = Promise.withResolvers<void>();
    budget = held.promise;
    return held.resolve;
  };
  return { read, reads, hold };
}

test('what is asked for at once is read once, and each is told its own in order', async () => {
  const { read, reads } = reader();
  const told = await Promise.all([read.rows(['a']), read.rows(['b', 'c']), read.rows(['d'])]);
  expect(reads).toEqual([['a', 'b', 'c', 'd']]);
  expect(told).toEqual([rowsOf(['a']), rowsOf(['b', 'c']), []]);
});

test('who asks while a read runs is of the next one: what it is told was read after it asked', async () => {
  const { read, reads, hold } = reader();
  const release = hold();
  const first = read.rows(['a']);
  await Promise.resolve();
  const later = [read.rows(['b']), read.rows(['a'])];
  expect(reads).toEqual([['a']]);
  release();
  await Promise.all([first, ...later]);
  expect(reads).toEqual([['a'], ['b', 'a']]);
});

test('a failure is told to all who were read together, and the next read is made', async () => {
  const { read } = reader();
  const told = await Promise.allSettled([read.rows(['a']), read.rows(['bad'])]);
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await read.rows(['a'])).toEqual(rowsOf(['a']));
});
