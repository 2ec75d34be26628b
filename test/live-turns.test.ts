// Sessions of one group that edit their messages on a busy machine: their edits come in late and in bunches, they or
// the gateway stand still for seconds, the disk and the platform take their time. They are shown in turns all the same.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { showingsAhead } from '../bench/live/fairness.ts';
import { ChatTurns } from '../src/streams/pacing/session-turns.ts';
import { intBelow, seededRandom } from '../src/system/random.ts';
import { type Edited, editHindered, type Hindered } from './live/edits.ts';
import { TEST_SEED } from './seed.ts';

const SEEDS = 25;
const BUSY = { lateMsMax: 300, commitMsMax: 100, jitterBackMs: 300, stillMsMax: 3000 } as const;
const SLOW_DISK = { ...BUSY, commitMsMax: 400, stillTimes: 0, stands: 'each' } as const;
const EACH = { ...BUSY, stillTimes: 4, stands: 'each' } as const;
const ALL = { ...BUSY, stillTimes: 3, stands: 'all' } as const;
const TWENTY = { ...BUSY, commitMsMax: 30, stillTimes: 2, stands: 'all' } as const;
const GATEWAY = { ...BUSY, stillTimes: 3, stands: 'gateway' } as const;

const first = intBelow(seededRandom(TEST_SEED), 2 ** 20);
const seeds = Array.from({ length: SEEDS }, (_, i) => first + i);

// Before the first last text was ready: from then on there are fewer to take turns.
function ahead(edited: readonly Edited[]): number {
  return showingsAhead(edited, Math.min(...edited.map(({ readyAt }) => readyAt)));
}

async function furthestAhead(hindered: Omit<Hindered, 'seed' | 'sessions'>): Promise<number[]> {
  const found: number[] = [];
  for (const seed of seeds) {
    const { world, edited } = await editHindered({ ...hindered, sessions: 3, seed });
    expect(world.calls.filter(({ status }) => status === 429)).toEqual([]);
    for (const { shown, last } of edited) expect(shown.at(-1)?.text, `seed ${seed}`).toBe(last);
    found.push(ahead(edited));
  }
  return found;
}

describe('no session is shown twice while another has something to show', () => {
  test.each([
    ['a slow disk', SLOW_DISK],
    ['producers that stand still, each for itself', EACH],
    ['producers that stand still, all at once', ALL],
    ['a gateway that stands still', GATEWAY],
  ])('%s', async (_, hindered) => {
    const found = await furthestAhead(hindered);
    const broken = seeds.filter((_, i) => found[i]! > 1);
    expect(broken, 'seeds').toEqual([]);
  });
});

describe('the count can fail', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('one session is favoured', async () => {
    const { shown } = ChatTurns.prototype;
    vi.spyOn(ChatTurns.prototype, 'shown').mockImplementation(function (
      this: ChatTurns,
      session,
      now,
    ) {
      // Every other showing of the first message is forgotten.
      if (session.endsWith('1') && now % 2 < 1) return;
      shown.call(this, session, now);
    });
    expect(Math.max(...(await furthestAhead(SLOW_DISK)))).toBeGreaterThan(1);
  });

  test('what was taken for the last, and was not, costs its session no turn', async () => {
    vi.spyOn(ChatTurns.prototype, 'shownAhead').mockImplementation(() => {});
    expect(Math.max(...(await furthestAhead(EACH)))).toBeGreaterThan(1);
  });
});

// `docs/internals/benchmarks.md` says how near fifty seeds come to the bound.
test.each([
  ['just begun', 0],
  ['a minute after their first messages', 60_000],
])(
  'twenty sessions that stand still, %s: their last texts are shown in time',
  async (_, restMs) => {
    for (const seed of seeds.slice(0, 3)) {
      const { world, edited } = await editHindered({ ...TWENTY, sessions: 20, seed, restMs });
      const lateMs = edited.map(({ shown, last, readyAt }) => {
        const at = shown.at(-1)!;
        return at.text === last ? at.at - readyAt : Number.POSITIVE_INFINITY;
      });
      expect(Math.max(...lateMs), `seed ${seed}`).toBeLessThanOrEqual(63_000);
      expect(ahead(edited), `seed ${seed}`).toBeLessThanOrEqual(1);
      expect(world.calls.filter(({ status }) => status === 429)).toEqual([]);
    }
  },
);
