import { describe, expect, test } from 'vitest';
import { StrangerTurns } from './stranger-turns.ts';

function turns() {
  const atNextTurn: (() => void)[] = [];
  const taken: number[] = [];
  const strangers = new StrangerTurns((run) => atNextTurn.push(run));
  return {
    taken,
    come: (from: number, count: number) => {
      for (let n = from; n < from + count; n++) strangers.take(() => taken.push(n));
    },
    pass: () => {
      for (const run of atNextTurn.splice(0)) run();
    },
    get isIdle() {
      return atNextTurn.length === 0;
    },
  };
}

describe('calls of strangers', () => {
  test('a few are taken at once, the others in later turns and in their order', () => {
    const at = turns();
    at.come(0, 5);
    expect(at.taken).toEqual([0, 1]);
    at.pass();
    // Who comes now is behind those who wait.
    at.come(5, 1);
    expect(at.taken).toHaveLength(4);
    at.pass();
    expect(at.taken).toEqual(Array.from({ length: 6 }, (_, n) => n));
    at.pass();
    expect(at.isIdle).toBe(true);
  });

  test('each turn has its own places', () => {
    const at = turns();
    at.come(0, 2);
    at.pass();
    at.come(2, 2);
    expect(at.taken).toHaveLength(4);
  });
});
