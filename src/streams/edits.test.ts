import { expect, test } from 'vitest';
import { aDelivery, aQueued } from '../domain/delivery.fixture.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import type { AskedRoad, Explanation } from '../road/road.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { LiveEdits } from './edits.ts';
import { Output } from './pacing/chat-pacer.ts';

const CLOSED_UNTIL = 20_000;

// A chat that is closed for a while, and a road that takes all it is given.
function setUp() {
  const clock = virtualClock(0);
  const submitted: NewDelivery[] = [];
  const scheduled = { kind: 'due', name: 'scheduled', until: 30_000, detail: 'later' } as const;
  const said: Explanation = {
    ...{ state: 'queued', position: 1, eta: 30_000, summary: 'scheduled for later' },
    ...{ cause: null, waitsFor: null, causes: [scheduled] },
  };
  const road = {
    explain: (seq: number) => (seq <= submitted.length ? said : null),
    hindrance: () => null,
    changedAt: () => null,
    touched: () => [],
    beganLive: () => {},
    async submit(delivery: NewDelivery) {
      submitted.push(delivery);
      const queued = aQueued({ seq: submitted.length });
      return { kind: 'accepted', queued, replaced: null };
    },
  } as unknown as AskedRoad;
  const output: Output = new Output(
    {
      clock,
      textOf: (id) => edits.get(id),
      earliest: () => CLOSED_UNTIL,
      show: async () => 'nothing',
      broken: (_text, error) => expect.unreachable(String(error)),
    },
    { budgetMpm: 20, tickMsMin: 3000, activeWindowMs: 10_000, slotMs: 3000, slotsSpared: 0 },
    { account: 'telegram:42', chat: '-100', platform: 'telegram' },
  );
  const report = (error: unknown) => expect.unreachable(String(error));
  const edits: LiveEdits = new LiveEdits({
    road,
    clock,
    publish: () => {},
    outputOf: () => output,
    report,
  });
  const edit = async (slot: string) => {
    await edits.submit(aDelivery({ family: 'edit', slot, live: true, notBefore: 0 }));
    return submitted.length;
  };
  return { edits, edit, said };
}

test('a held edit says whose turn it waits for, not that it is scheduled', async () => {
  const { edits, edit } = setUp();
  const [first, second] = [await edit('m1'), await edit('m2')];
  const next = edits.explain(first)!;
  expect(next).toMatchObject({ position: 1, causes: [{ kind: 'ahead', name: 'session' }] });
  expect(next.summary).toContain("waits for its session's turn: it is the next of its chat");
  const later = edits.explain(second)!;
  expect(later.position).toBe(2);
  expect(later.summary).toContain('1 session of its chat before it, first edit:');
  expect(later.summary).toContain('m1');
  expect(later.summary).toContain('share 20 a minute');
  expect(later.summary).not.toContain('scheduled');
  edits.stop();
});

test('whatever is not held is explained by the road', async () => {
  const { edits, edit, said } = setUp();
  const replaced = await edit('m1');
  await edit('m1');
  expect(edits.explain(replaced)).toBe(said);
  expect(edits.explain(99)).toBeNull();
  edits.stop();
});
