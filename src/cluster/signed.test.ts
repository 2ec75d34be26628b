// A record that somebody else wrote where nodes find each other is no member.

import { expect, test } from 'vitest';
import { virtualClock } from '../system/virtual-clock.ts';
import { aNode } from './coordination.contract.ts';
import { MemoryBoard } from './memory.ts';
import { proofOf, SignedCoordination } from './signed.ts';

const TTL_MS = 60_000;
const SECRET = 'the secret of the fleet';

test('only who knows the secret is a member, at the address that it says; the rest is said once', async () => {
  const board = new MemoryBoard(virtualClock(0));
  const said: string[] = [];
  const node = (name: string, secret: string) =>
    new SignedCoordination(board.handle(name), secret, ({ url }) => said.push(url));
  const own = aNode('a');
  const one = node('a', SECRET);
  await one.join(own, TTL_MS);
  const other = aNode('b');
  await node('b', SECRET).join(other, TTL_MS);
  await node('c', 'another').join(aNode('c'), TTL_MS);
  await board.handle('d').join(aNode('d'), TTL_MS);
  const proof = proofOf(SECRET, other);
  await board.handle('e').join({ ...other, incarnation: 'e', url: 'http://e:1', proof }, TTL_MS);
  for (let n = 0; n < 2; n++) expect(await one.members()).toEqual([own, other]);
  expect(said.toSorted()).toEqual(['http://c:1', 'http://d:1', 'http://e:1']);
});

test('however many records somebody writes there, the log does not fill with them', async () => {
  const board = new MemoryBoard(virtualClock(0));
  let said = 0;
  const one = new SignedCoordination(board.handle('a'), SECRET, () => void said++);
  for (let n = 0; n < 1_500; n++) await board.handle(`x${n}`).join(aNode(`x${n}`), TTL_MS);
  for (let n = 0; n < 3; n++) expect(await one.members()).toEqual([]);
  expect(said).toBe(1_000);
});
