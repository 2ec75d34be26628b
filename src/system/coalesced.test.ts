import { expect, test } from 'vitest';
import { coalesced } from './coalesced.ts';

test('one run serves all who asked before it began; who asks meanwhile gets the next', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const ask = coalesced(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  const first = ask();
  const [second, third] = [ask(), ask()];
  expect(second).toBe(third);
  expect(runs).toHaveLength(1);
  runs[0]!.reject(new Error('the first failed'));
  await expect(first).rejects.toThrow('the first failed');
  await Promise.resolve();
  runs[1]!.resolve();
  await second;
  expect(runs).toHaveLength(2);
  const fourth = ask();
  runs[2]!.resolve();
  await fourth;
});
