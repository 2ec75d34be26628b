import { expect, test } from 'vitest';
import { MethodFloods } from './flood.ts';

const RULES = [{ method: 'resolve', count: 2, perMs: 1000, waitS: 60 }];
const FREE = { kind: 'free' };

test('waits belong to an account and a method, and calls inside them are seen', () => {
  const floods = new MethodFloods(RULES);
  expect(floods.judge('a', 'resolve', 0)).toEqual(FREE);
  expect(floods.judge('a', 'resolve', 1)).toEqual(FREE);
  expect(floods.judge('a', 'resolve', 2)).toEqual({ kind: 'wait', seconds: 60, isInside: false });
  expect(floods.judge('a', 'resolve', 9500)).toEqual({ kind: 'wait', seconds: 51, isInside: true });
  expect(floods.judge('b', 'resolve', 3)).toEqual(FREE);
  expect(floods.judge('a', 'history', 3)).toEqual(FREE);
  expect(floods.judge('a', 'resolve', 60_002)).toEqual(FREE);
});

test('any window of the rule counts', () => {
  const floods = new MethodFloods(RULES);
  for (const at of [0, 600, 1200, 1800]) expect(floods.judge('a', 'resolve', at)).toEqual(FREE);
  expect(floods.judge('a', 'resolve', 2100)).toMatchObject({ kind: 'wait' });
});

test('a freeze is not of the rules', () => {
  const floods = new MethodFloods([]);
  floods.freeze('a', 'history', 3600, 0);
  expect(floods.judge('a', 'history', 1)).toEqual({ kind: 'wait', seconds: 3600, isInside: true });
  expect(floods.judge('a', 'history', 3_600_000)).toEqual(FREE);
});
