// What `sluice sim world` shows while it plays: which world, how far it is, and nothing too often.

import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Clock } from '../../system/clock.ts';
import type { Io } from '../io.ts';
import { addWorld } from './world.ts';

// Every look at it takes so long.
function busyClock(lookMs: number): Clock {
  let at = 0;
  const now = () => {
    at += lookMs;
    return at;
  };
  return { now, schedule: () => ({ cancel() {} }) };
}

async function play(lookMs: number, isTerminal: boolean, flags: readonly string[]) {
  const seen = { out: [] as string[], err: [] as string[], drawn: [] as string[] };
  const io: Io = {
    env: {},
    out: (line) => seen.out.push(line),
    err: (line) => seen.err.push(line),
    ...(isTerminal ? { progress: (line: string) => void seen.drawn.push(line) } : {}),
  };
  const program = new Command();
  addWorld(program, io, busyClock(lookMs));
  await program.parseAsync(['world', '--seed', '7', '--minutes', '3', ...flags], { from: 'user' });
  return seen;
}

const ANNOUNCED = '3 virtual minutes, 4 bots, 40 chats, 2 crashes, each';

test('on a terminal a line is drawn over, at most twice a second, and cleared at the end', async () => {
  const { out, err, drawn } = await play(500, true, ['--seeds', '2']);
  expect(err).toEqual([ANNOUNCED]);
  const end = drawn.indexOf('');
  const first = ['minute 1 of 3', 'minute 2 of 3', 'drains'];
  expect(drawn.slice(0, 3)).toEqual(first.map((what) => `world 7 (1 of 2): ${what}`));
  expect(new Set(drawn.slice(3, end))).toEqual(new Set(['world 7 (1 of 2): drains']));
  expect(drawn[end + 1]).toBe('world 8 (2 of 2): minute 1 of 3');
  expect(drawn.at(-1)).toBe('');
  expect(out.at(-1)).toBe('2 run, 0 broken');
  // Two looks, at the least, between one line and the next.
  const half = (await play(250, true, [])).drawn;
  expect(half.slice(0, 2)).toEqual(['world 7 (1 of 1): minute 2 of 3', 'world 7 (1 of 1): drains']);
});

test('elsewhere each is a line of its own, every five seconds', async () => {
  const often = await play(5000, false, []);
  const first = ['minute 1 of 3', 'minute 2 of 3', 'drains'];
  expect(often.err.slice(0, 4)).toEqual([
    ANNOUNCED,
    ...first.map((what) => `world 7 (1 of 1): ${what}`),
  ]);
  expect(often.out[0]).toMatch(/^world 7: all promises kept · /);
  const seldom = await play(1, false, []);
  expect(seldom.err).toEqual([ANNOUNCED]);
});

test('worlds of several platforms show it too', async () => {
  const { drawn } = await play(500, true, ['--platforms', 'discord']);
  expect(drawn).toContain('world 7 (1 of 1): minute 2 of 3');
});
