// Promise 6: one chat's trouble is that chat's. For every chat without trouble of its own, an imaginary
// slow clerk who serves that chat alone is the yardstick: the engine must not fall behind him by more than
// an allowance, whatever happens to the others.

import {
  type Check,
  clockTime,
  type Evidence,
  placeOf,
  type Story,
  type Try,
  takenAt,
} from '../evidence.ts';

// The clerk's pace: well below what the chat truly affords.
const PRIVATE_MS = 2000;
const GROUP_MS_PER_MESSAGE = 6000;
const ALLOWANCE_MS = 45_000;
// What one fault (a hang until the deadline, a backoff, an open breaker) or one crash may cost.
const PER_FAULT_MS = 90_000;
const PER_CRASH_MS = 60_000;
// A restart of the platform sends every chat away; broadcasts share the bot's budget.
const PER_RESTART_MS = 15_000;

export const checkIsolation: Check = (evidence) => {
  if (evidence.isSaturated) return [];
  const places = new Map<string, Story[]>();
  for (const story of evidence.stories) {
    const key = placeOf(story.message);
    const list = places.get(key);
    if (list === undefined) places.set(key, [story]);
    else list.push(story);
  }
  const floods = new Set(evidence.tries.filter((t) => t.call?.cause === 'flood').map(placeOf));
  const restarts = evidence.tries.filter((t) => t.fault === 'restart').map((t) => t.leftAt);
  return [...places].flatMap(([place, stories]) => {
    const chat = evidence.chats.get(place);
    const isTroubled = chat === undefined || chat.isPoison || chat.account.isDoomed;
    if (isTroubled || evidence.frozen.has(place) || floods.has(place)) return [];
    return compare(evidence, stories, chat.isPrivate, restarts);
  });
};

function compare(
  evidence: Evidence,
  stories: readonly Story[],
  isPrivate: boolean,
  restarts: readonly number[],
) {
  const served = stories.filter((story) => takenAt(story) !== null);
  const clerk = clerkTimes(
    served,
    (isPrivate ? PRIVATE_MS : GROUP_MS_PER_MESSAGE) / evidence.truth,
  );
  const actual = served.map((story) => takenAt(story)!).sort((a, b) => a - b);
  const faults = stories
    .flatMap((s) => s.tries)
    .filter((t) => hurts(t))
    .map((t) => t.leftAt);
  for (let k = 0; k < actual.length; k++) {
    const at = actual[k]!;
    const before = (times: readonly number[]) => times.filter((time) => time <= at).length;
    const { token } = served[0]!.message;
    const troubles = (evidence.troubles ?? []).filter(({ tokens }) => tokens.has(token));
    const allowed =
      clerk[k]! +
      ALLOWANCE_MS +
      PER_FAULT_MS * before(faults) +
      PER_CRASH_MS * before([...evidence.crashes, ...troubles.map(({ from }) => from)]) +
      PER_RESTART_MS * before(restarts);
    if (at > allowed) {
      const { chat } = served[0]!.message;
      const late = ((at - clerk[k]!) / 1000).toFixed(1);
      const facts =
        `chat ${chat}, without trouble of its own, fell ${late} s behind its own budget: ` +
        `message ${k + 1} of ${actual.length} went at ${clockTime(at, evidence.startedAt)}`;
      return [{ check: 'isolation', facts }];
    }
  }
  return [];
}

function clerkTimes(stories: readonly Story[], paceMs: number): number[] {
  let free = 0;
  return stories
    .map((story) => ({ from: Math.max(story.submittedAt, story.message.notBefore), story }))
    .sort((a, b) => a.from - b.from)
    .map(({ from, story }) => {
      const cost = story.tries.find((one) => one.call !== null)?.call?.cost ?? 1;
      free = Math.max(free, from) + paceMs * cost;
      return free;
    });
}

// Told no, told to wait, or told nothing: all of it stops the lane for a while.
function hurts(one: Try): boolean {
  return one.fault !== null || one.said !== 200;
}
