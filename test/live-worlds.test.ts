// Live output in the simulated world: many sessions in one group, each with its topic, for minutes of virtual time.

import { describe, expect, test } from 'vitest';
import { intBelow, seededRandom } from '../src/system/random.ts';
import { FINAL_WORD, type Finish, jain, produce } from './live/producers.ts';
import { GROUP, type LiveWorld, liveWorld } from './live/world.ts';
import { TEST_SEED } from './seed.ts';

const EDITS = ['shared', 'separate', 'free'] as const;
// With these a group of any size has about six finals a minute.
const LIFE_MS_MIN = 6_000;
const LIFE_MS_MAX = 14_000;
// A final waits for the slots of those before it, of the few that may have gone ahead of theirs, and for its own.
const SLOT_MS = 3000;
const AHEAD_MAX = 4;
const SEED_MAX = 2 ** 31;

async function emit(sessions: number, changes: Partial<Parameters<typeof produce>[1]> = {}) {
  const world = await liveWorld({ seed: sessions });
  return { world, ...(await produce(world, plan(sessions, changes))) };
}

function plan(sessions: number, changes: Partial<Parameters<typeof produce>[1]> = {}) {
  const lifeMs = [LIFE_MS_MIN * sessions, LIFE_MS_MAX * sessions] as const;
  return { sessions, everyMs: 300, minutes: 10, lifeMs, ...changes };
}

function shownBySession(world: LiveWorld, sessions: number): number[] {
  const shown = new Map<string, number>();
  for (const event of world.events) {
    if (event.kind === 'shown') shown.set(event.session, (shown.get(event.session) ?? 0) + 1);
  }
  return Array.from({ length: sessions }, (_, i) => shown.get(`session ${i}`) ?? 0);
}

// Of each text: what Telegram took of it, in order.
function takenOf(world: LiveWorld): Map<string, string[]> {
  const taken = new Map<string, string[]>();
  const accepted = world.calls.filter(({ acceptedAt }) => acceptedAt !== null);
  for (const { text } of accepted) {
    const tag = /^#\d+\./.exec(text)?.[0];
    if (tag !== undefined) taken.set(tag, [...(taken.get(tag) ?? []), text]);
  }
  return taken;
}

function checkTexts(world: LiveWorld, streams: number): void {
  const isFinal = (text: string) => text.endsWith(FINAL_WORD);
  for (const [tag, texts] of takenOf(world)) {
    const first = texts.findIndex(isFinal);
    expect(first, `${tag} has its final`).toBeGreaterThanOrEqual(0);
    expect(texts.slice(first).every(isFinal), `${tag}: no preview after its final`).toBe(true);
  }
  const messages = world.texts(GROUP);
  expect(messages).toHaveLength(streams);
  expect(new Set(messages.map((text) => text.split('.', 1)[0])).size).toBe(streams);
  expect(messages.every(isFinal)).toBe(true);
}

function checkFinals(finishes: readonly Finish[]): void {
  for (const { stream, askedAt, endedAt, waiting } of finishes) {
    const tookMs = (endedAt ?? Number.POSITIVE_INFINITY) - askedAt;
    expect(tookMs, `the final of text ${stream}`).toBeLessThanOrEqual(
      SLOT_MS * (waiting + 1 + AHEAD_MAX),
    );
  }
}

// The crowd where edits share the chat's budget with messages, which is where it is tight.
describe.each(EDITS)('edits %s', (edits) => {
  const crowd = edits === 'shared' ? 100 : 40;
  const fresh = intBelow(seededRandom(TEST_SEED), SEED_MAX);
  test.each([
    [1, 1],
    [5, 5],
    [20, 20],
    [20, fresh],
    [crowd, crowd],
  ])('%i sessions of one group share it (seed %i)', async (sessions, seed) => {
    const world = await liveWorld({ seed, telegram: { edits } });
    const { finishes, depths, streams } = await produce(world, plan(sessions));
    expect(world.calls.filter(({ status }) => status !== 200)).toEqual([]);
    // Nothing but finals and one showing ever waits.
    expect(Math.max(...depths)).toBeLessThanOrEqual(1);
    // Sixteen a minute, less what six finals a minute take beyond the reserve of four, and a margin.
    const shown = shownBySession(world, sessions);
    expect(shown.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(110);
    expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
    // A hundred sessions are shown once or twice in ten minutes; no division of whole showings is fairer.
    if (sessions <= 20) expect(jain(shown)).toBeGreaterThanOrEqual(0.98);
    checkFinals(finishes);
    checkTexts(world, streams);
  });
});

test('a hundred sessions share it fairly in the long run', async () => {
  const { world, finishes, streams } = await emit(100, { everyMs: 3000, minutes: 100 });
  expect(jain(shownBySession(world, 100))).toBeGreaterThanOrEqual(0.98);
  expect(world.calls.filter(({ status }) => status !== 200)).toEqual([]);
  checkFinals(finishes);
  checkTexts(world, streams);
});
