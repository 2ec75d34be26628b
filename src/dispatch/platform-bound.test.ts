import { expect, test } from 'vitest';
import type { Appended } from '../journal/journal.ts';
import { message } from './dispatch.fixture.ts';
import { boundPlatforms, type Full } from './platform-bound.ts';

function setUp(queueMax: number, ownFull = false) {
  const live = { telegram: 0, terminal: 0 } as Record<string, number>;
  const commits: (() => void)[] = [];
  const told: Full[] = [];
  const submit = boundPlatforms({
    scheduler: { liveOf: (platform) => live[platform]! },
    queueMax,
    onFull: (full) => told.push(full),
    submit: async ({ platform }): Promise<Appended> => {
      // It takes its room before it is written.
      live[platform]! += 1;
      await new Promise<void>((resolve) => commits.push(resolve));
      if (ownFull) return { kind: 'full', waiting: 7, queueMax: 7 };
      return { kind: 'superseded', seq: 1, by: 2 };
    },
  });
  const send = (platform: string) => submit(message({ platform, account: `${platform}:1` }));
  const commit = () => {
    for (const each of commits.splice(0)) each();
  };
  return { send, commit, told, live };
}

test('counts what waits and what is being written, each once, of each platform alone', async () => {
  const { send, commit, told, live } = setUp(3);
  const first = [send('telegram'), send('telegram'), send('telegram')];
  const full = {
    kind: 'full',
    waiting: 3,
    queueMax: 3,
    platform: 'telegram',
    account: 'telegram:1',
  };
  expect(await send('telegram')).toEqual(full);
  const elsewhere = send('terminal');
  commit();
  await Promise.all([...first, elsewhere]);
  expect(live).toEqual({ telegram: 3, terminal: 1 });
  expect(await send('telegram')).toEqual(full);
  live.telegram = 2;
  const again = send('telegram');
  commit();
  expect((await again).kind).toBe('superseded');
  expect(told).toEqual([full, full]);
});

test('an account’s own full queue is told as its own', async () => {
  const { send, commit, told } = setUp(100, true);
  const sent = send('telegram');
  commit();
  expect(await sent).toMatchObject({ kind: 'full', platform: null, waiting: 7 });
  expect(told).toHaveLength(1);
});
