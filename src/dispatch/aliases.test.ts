import { expect, test } from 'vitest';
import { soleOwner } from '../store/contract/sole-owner.fixture.ts';
import { recordOf } from './alias-record.ts';
import { aRoad, SENT } from './dispatch.fixture.ts';
import { Aliases } from './state.ts';

const MANY = 30_000;
const alias = (i: number, moved = false) => ({ from: `@name${i}`, to: `-100${i}`, moved });

test('a chat is known by its newest id, however many steps it took, and a circle ends', () => {
  const aliases = new Aliases();
  expect(aliases.learn('p:a', { from: '1', to: '2', moved: true })).toBe(true);
  expect(aliases.learn('p:a', { from: '2', to: '3', moved: true })).toBe(true);
  expect(aliases.canonical('p:a', '1')).toBe('3');
  expect(aliases.learn('p:a', { from: '3', to: '1', moved: false })).toBe(false);
  expect(aliases.canonical('p:b', '1')).toBe('1');
  expect(aliases.isNewHome('p:a', '3')).toBe(true);
  expect(aliases.isNewHome('p:a', '1')).toBe(false);
  expect(aliases.isNewHome('p:b', '3')).toBe(false);
});

test('a stranger’s chats do not fill the memory: the oldest are forgotten, and learned again', () => {
  const aliases = new Aliases();
  aliases.learn('p:other', alias(0));
  for (let i = 0; i < MANY; i++) aliases.learn('p:a', alias(i));
  const kept = [...aliases.of('p:a')].length;
  expect(kept).toBeLessThanOrEqual(MANY / 2);
  expect(kept).toBeGreaterThanOrEqual(1_000);
  // The newest of them, without a gap.
  for (let i = MANY - kept; i < MANY; i++) {
    expect(aliases.canonical('p:a', alias(i).from)).toBe(alias(i).to);
  }
  expect(aliases.canonical('p:a', alias(0).from)).toBe(alias(0).from);
  expect(aliases.canonical('p:other', alias(0).from)).toBe(alias(0).to);
  expect(aliases.learn('p:a', alias(0))).toBe(true);
  expect(aliases.canonical('p:a', alias(0).from)).toBe(alias(0).to);
});

test('where chats moved to is forgotten with the move, unless another moved there too', () => {
  const aliases = new Aliases();
  aliases.learn('p:a', { from: 'old', to: 'shared', moved: true });
  aliases.learn('p:a', alias(0, true));
  for (let i = 1; i < MANY; i++) aliases.learn('p:a', alias(i, true));
  expect(aliases.isNewHome('p:a', alias(0).to)).toBe(false);
  expect(aliases.isNewHome('p:a', 'shared')).toBe(false);
  expect(aliases.isNewHome('p:a', alias(MANY - 1).to)).toBe(true);
  aliases.learn('p:a', { from: 'older', to: alias(MANY - 1).to, moved: true });
  aliases.learn('p:a', { from: 'older', to: 'elsewhere', moved: true });
  expect(aliases.isNewHome('p:a', alias(MANY - 1).to)).toBe(true);
});

test('is known again from what was stored', () => {
  const aliases = new Aliases();
  aliases.restore(recordOf('p:a', { from: '1', to: '2', moved: true }, 5));
  aliases.restore({ account: 'p:a', key: 'freeze|chat|9', value: '{"to":"3"}', updatedAt: 5 });
  expect(aliases.canonical('p:a', '1')).toBe('2');
  expect(aliases.isNewHome('p:a', '2')).toBe(true);
  expect([...aliases.of('p:a')]).toHaveLength(1);
});

test('what is forgotten is deleted from the store: at once, and what older versions left at the start', async () => {
  const { dispatch, store } = aRoad(() => SENT);
  const journal = soleOwner(store.journal);
  const stored = Array.from({ length: MANY }, (_, i) => recordOf('fake:1', alias(i), i));
  await journal.saveLimits(stored);
  const kept = async () => {
    const keys = (await journal.limits())
      .map(({ key }) => key)
      .filter((key) => key.includes('alias'));
    return new Set(keys);
  };
  await dispatch.start();
  const before = await kept();
  expect(before.size).toBeLessThan(MANY);
  // The oldest are gone, the newest is there.
  expect(before.has(stored[0]!.key)).toBe(false);
  expect(before.has(stored.at(-1)!.key)).toBe(true);
  const records = dispatch.state.unite('fake:1', { from: 'new', to: 'newer', moved: true }, 5);
  await journal.saveLimits(records);
  const after = await kept();
  expect(after.size).toBe(before.size);
  expect(after.has('alias|new')).toBe(true);
  expect(dispatch.state.aliases.forgotten(5)).toEqual([]);
});
