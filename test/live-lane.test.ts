// Sessions of one group without topics: whatever is said there is one lane, their edits and everyone's commands.

import { describe, expect, test } from 'vitest';
import { delivery, sendFirst } from './live/edits.ts';
import { GROUP, type LiveWorld, liveWorld } from './live/world.ts';

const SESSIONS = 16;
const EVERY_MS = 250;
const EDITS_MS = 30_000;
const COMMANDS_AT_MS = [10_000, 25_000];
const COMMAND_MS_MAX = 4000;
// As long as it takes to show the last texts, and longer.
const AFTER_MS = 120_000;
const LAST = 'the last word of';

interface Said {
  readonly text: string;
  readonly at: number;
}

interface Lane {
  readonly restMs: number;
  // By its caller's word.
  readonly isNamed: boolean;
  readonly isEndSaid: boolean;
}

// What was shown of each message while they were edited, and how late last texts and commands were.
async function shared({ restMs, isNamed, isEndSaid }: Lane) {
  const world = await liveWorld();
  const ids = await world.done(sendFirst(world, SESSIONS, { inTopics: false }));
  await world.run(restMs);
  const edit = (n: number, text: string, final = false) => {
    const params = { chat_id: GROUP, message_id: Number(ids[n]), text };
    const session = isNamed ? `s${n}` : null;
    void world.live.edits.submit(delivery(world, 'editMessageText', params, { session, final }));
  };
  const from = world.clock.now();
  const commands: Said[] = [];
  while (world.clock.now() < from + EDITS_MS) {
    const at = world.clock.now();
    for (const n of ids.keys()) edit(n, `${n}: ${at}`);
    if (COMMANDS_AT_MS.includes(at - from)) commands.push(command(world, at - from));
    await world.run(EVERY_MS);
  }
  const readyAt = world.clock.now();
  for (const n of ids.keys()) edit(n, `${LAST} ${n}`, isEndSaid);
  await world.run(AFTER_MS);
  return {
    ...seen(world, ids, readyAt),
    commandsMs: commands.map(({ text, at }) => shownAt(world, text) - at),
  };
}

function command(world: LiveWorld, ms: number): Said {
  const text = `a command after ${ms} ms`;
  void world.live.edits.submit(delivery(world, 'sendMessage', { chat_id: GROUP, text }));
  return { text, at: world.clock.now() };
}

function shownAt(world: LiveWorld, text: string): number {
  return world.calls.find((call) => call.text === text)?.acceptedAt ?? Number.POSITIVE_INFINITY;
}

function seen(world: LiveWorld, ids: readonly string[], readyAt: number) {
  const edits = ids.map((id) =>
    world.calls.filter(
      ({ method, messageIds, acceptedAt }) =>
        method === 'editMessageText' && acceptedAt !== null && messageIds.includes(Number(id)),
    ),
  );
  return {
    refused: world.calls.filter(({ status }) => status === 429).length,
    shown: edits.map((calls) => calls.filter(({ acceptedAt }) => acceptedAt! < readyAt).length),
    newest: edits.map((calls) => calls.at(-1)?.text),
    lastMs: ids.map((_, n) => shownAt(world, `${LAST} ${n}`) - readyAt),
  };
}

describe.each([
  ['just begun', 0],
  ['a minute after their first messages', 60_000],
])('%s', (_begun, restMs) => {
  test.each([
    ['edits of which nobody says anything', false, false],
    ['edits, the end is said', false, true],
    ['edits of named sessions', true, false],
    ['edits of named sessions, the end is said', true, true],
  ])('%s', async (_what, isNamed, isEndSaid) => {
    const found = await shared({ restMs, isNamed, isEndSaid });
    expect(found.refused).toBe(0);
    expect(Math.max(...found.commandsMs)).toBeLessThanOrEqual(COMMAND_MS_MAX);
    expect(Math.max(...found.shown) - Math.min(...found.shown)).toBeLessThanOrEqual(1);
    expect(found.newest).toEqual(found.newest.map((_text, n) => `${LAST} ${n}`));
    expect(Math.max(...found.lastMs)).toBeLessThanOrEqual(3000 * SESSIONS + 3000);
  });
});
