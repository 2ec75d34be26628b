import { expect, test } from 'vitest';
import { aDelivery, aQueued } from '../domain/delivery.fixture.ts';
import type { AskedRoad, Ended } from '../road/road.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { Deletions } from './deletions.ts';

const DELETION = aDelivery({ family: 'delete' });

function setUp(submitted: unknown, state: Ended['state'] | Error = 'sent') {
  const clock = virtualClock(0);
  let end = () => {};
  const road = {
    touched: () => ['7', '8'],
    submit: async () => {
      if (submitted instanceof Error) throw submitted;
      return submitted;
    },
    ended: () =>
      new Promise((resolve, reject) => {
        end = () => (state instanceof Error ? reject(state) : resolve({ state }));
      }),
  } as unknown as AskedRoad;
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const deletions = new Deletions({ road, clock, report });
  const has = () => deletions.has(DELETION, '8');
  return { clock, deletions, reported, end: () => end(), has };
}

const ACCEPTED = { kind: 'accepted', queued: aQueued({ seq: 1 }), replaced: null };

test('a message is deleted from when its deletion is handed over, for as long as that is remembered', async () => {
  const { clock, deletions, end, has } = setUp(ACCEPTED);
  const submitting = deletions.submit(DELETION);
  expect(has()).toBe(true);
  expect(deletions.has({ ...DELETION, chat: 'other' }, '8')).toBe(false);
  expect(deletions.has(DELETION, '9')).toBe(false);
  await submitting;
  end();
  await clock.run(10 * 60_000);
  expect(has()).toBe(true);
  await clock.run(10 * 60_000 + 1);
  expect(has()).toBe(false);
});

test('one that came to nothing has deleted nothing', async () => {
  const refused = setUp(ACCEPTED, 'dead');
  await refused.deletions.submit(DELETION);
  expect(refused.has()).toBe(true);
  refused.end();
  await refused.clock.run(1);
  expect(refused.has()).toBe(false);
  const full = setUp({ kind: 'full', waiting: 1, queueMax: 1 });
  await full.deletions.submit(DELETION);
  expect(full.has()).toBe(false);
  const away = setUp(new JournalUnavailable('disk_full', 'no space'));
  await expect(away.deletions.submit(DELETION)).rejects.toThrow();
  expect(away.has()).toBe(false);
});

test('one whose end cannot be known stays deleted, and what is no outage is reported', async () => {
  const fault = new TypeError('a fault of ours');
  for (const [error, expected] of [
    [fault, [fault]],
    [new JournalUnavailable('disk_full', 'no space'), []],
  ] as const) {
    const { deletions, clock, end, has, reported } = setUp(ACCEPTED, error);
    await deletions.submit(DELETION);
    end();
    await clock.run(1);
    expect(has()).toBe(true);
    expect(reported).toEqual(expected);
  }
});
