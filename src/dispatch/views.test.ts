import { expect, test } from 'vitest';
import type { Explained } from '../scheduler/scheduler.ts';
import { summaryOf } from './views.ts';

const NOW = 1_000_000;
const HOUR_MS = 3_600_000;

type Why = Explained['causes'][number];
const AHEAD: Why = { kind: 'ahead', name: 'lane', until: null, detail: '2 before it' };
const FROZEN: Why = {
  kind: 'freeze',
  scope: 'chat',
  name: '-100',
  until: NOW + HOUR_MS,
  detail: 'send refused',
};
const WINDOW: Why = {
  kind: 'window',
  scope: 'chat',
  name: 'chat_second',
  until: NOW + 900,
  detail: '1 of 1 in 1 s',
};
const PAUSED: Why = { kind: 'held', name: 'account', until: null, detail: 'paused' };

function say(eta: number | null, ...causes: Why[]): string {
  return summaryOf({ position: 1, eta, causes }, NOW);
}

test('what decides comes first, whatever stands before it in the lane', () => {
  expect(say(NOW + HOUR_MS, AHEAD, WINDOW, FROZEN)).toBe(
    'chat -100 is frozen: send refused; 2 before it; expected in 60 min',
  );
  expect(say(null, FROZEN, AHEAD, PAUSED)).toBe(
    'its account is held: paused; 2 before it; no end is known',
  );
});

test('a retry that waits for a freeze is the freeze’s doing', () => {
  const retry: Why = { kind: 'due', name: 'retry', until: NOW + HOUR_MS + 1, detail: 'a retry' };
  expect(say(NOW + HOUR_MS, retry, FROZEN)).toMatch(/^chat -100 is frozen/);
});

test('a window is soon free again: what stands before it decides', () => {
  expect(say(NOW + 3000, AHEAD, WINDOW)).toBe('2 before it; 1 of 1 in 1 s; expected in 3 s');
});

test('of an account that is held the next try is known, not the end', () => {
  const held: Why = { kind: 'held', name: 'unsent', until: NOW + 2000, detail: 'no answer' };
  expect(say(NOW + 2000, held)).toBe('its account is held: no answer; the next try is in 2 s');
});

test('nothing holds it', () => {
  expect(say(NOW)).toContain('nothing holds it');
  expect(say(NOW + 3 * HOUR_MS, AHEAD)).toBe('2 before it; expected in 3 h');
});
