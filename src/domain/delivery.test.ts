import { describe, expect, test } from 'vitest';
import {
  canMove,
  canMoveByReceipt,
  LIVE_STATES,
  laneOf,
  MOVES,
  STATES,
  statesBefore,
} from './delivery.ts';
import { formatId, parseId } from './ids.ts';
import { priorityOfUrgency } from './priority.ts';

describe('moves', () => {
  test('what has ended well moves no more; dead and uncertain move by hand only', () => {
    for (const state of ['sent', 'superseded', 'expired', 'cancelled'] as const) {
      expect(MOVES[state]).toEqual([]);
    }
    expect(MOVES.dead).toEqual(['queued', 'cancelled']);
    expect(MOVES.uncertain).toEqual(['queued', 'cancelled']);
  });

  test('every state is reached from queued, and only sending leads to an outcome', () => {
    const reached = new Set<string>(['queued']);
    for (const state of reached) {
      for (const next of MOVES[state as keyof typeof MOVES]) reached.add(next);
    }
    expect([...reached].sort()).toEqual([...STATES].sort());
    expect(statesBefore('sent')).toEqual(['sending']);
    expect(statesBefore('sending')).toEqual(['queued']);
    expect(canMove('queued', 'sent')).toBe(false);
    expect(LIVE_STATES.every((state) => MOVES[state].length > 0)).toBe(true);
  });
});

test('what a platform tells later brings no message back to the queue', () => {
  const told = STATES.flatMap((from) => STATES.filter((to) => canMoveByReceipt(from, to)));
  expect(new Set(told)).toEqual(new Set(['sent', 'dead']));
  expect(STATES.filter((from) => canMoveByReceipt(from, 'dead'))).toEqual(['sent', 'uncertain']);
  expect(canMoveByReceipt('sending', 'sent') || canMoveByReceipt('cancelled', 'sent')).toBe(false);
});

describe('lanes', () => {
  const call = { family: 'send', session: null, thread: null } as const;

  test('the session before the thread before the chat', () => {
    expect(laneOf(call)).toBe('');
    expect(laneOf({ ...call, thread: '7' })).toBe('t:7');
    expect(laneOf({ ...call, thread: '7', session: 'a' })).toBe('s:a');
  });

  test('no message waits behind a typing sign or a draft', () => {
    const lanes = (['send', 'typing', 'draft'] as const).map((family) =>
      laneOf({ ...call, family }),
    );
    expect(new Set(lanes).size).toBe(3);
  });
});

describe('ids', () => {
  test('round trip, and an id of another store is no id here', () => {
    const id = formatId('k7f2q', 123_456);
    expect(parseId('k7f2q', id)).toBe(123_456);
    expect(parseId('other', id)).toBeNull();
    for (const wrong of ['', 'k7f2q-', 'k7f2q-0', 'k7f2q--1', 'k7f2q-zzzzzzzzzzzzzz', `${id}x!`]) {
      expect(parseId('k7f2q', wrong), wrong).toBeNull();
    }
  });
});

test('urgency 0 to 7 as RFC 9218 has it', () => {
  const classes = [0, 1, 2, 3, 4, 5, 6, 7].map(priorityOfUrgency);
  const [c, h, n, l] = ['critical', 'high', 'normal', 'low'];
  expect(classes).toEqual([c, c, h, n, n, n, l, l]);
});
