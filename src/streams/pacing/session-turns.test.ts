import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChatTurns } from './session-turns.ts';

const PACE = { budgetMpm: 16, tickMsMin: 300, activeWindowMs: 10_000 };

function emit(turns: ChatTurns, session: string, now: number): void {
  turns.emitted(session, now);
  turns.want(session, `of ${session}`, now);
}

// Shows whatever may be shown until `until`; who was, in order. Everyone has something new all the time.
function showAll(turns: ChatTurns, sessions: readonly string[], from: number, until: number) {
  const shown: string[] = [];
  for (let now = from; now < until; ) {
    for (const session of sessions) emit(turns, session, now);
    const turn = turns.next(PACE, now);
    if (turn.kind !== 'show') {
      now = turn.kind === 'wait' ? turn.until : until;
      continue;
    }
    shown.push(turn.session);
    turns.leave(turn.session, turn.stream);
    turns.shown(turn.session, now);
  }
  return shown;
}

describe('turns', () => {
  test('an idle chat shows at once, and then at its pace', () => {
    const turns = new ChatTurns();
    emit(turns, 'a', 0);
    expect(turns.next(PACE, 0)).toEqual({ kind: 'show', session: 'a', stream: 'of a' });
    turns.leave('a', 'of a');
    turns.shown('a', 0);
    expect(turns.next(PACE, 0)).toEqual({ kind: 'idle' });
    emit(turns, 'a', 100);
    expect(turns.next(PACE, 100)).toEqual({ kind: 'wait', until: 3800 });
  });

  test('those that were shown less than another are known while they have something new', () => {
    const turns = new ChatTurns();
    for (const session of ['a', 'b', 'c']) emit(turns, session, 0);
    turns.leave('a', 'of a');
    turns.shown('a', 0);
    emit(turns, 'a', 1);
    turns.leave('c', 'of c');
    expect(turns.shownLess('a')).toEqual(['b']);
    expect(turns.shownLess('b')).toEqual([]);
  });

  test('a newcomer goes before those that were shown, after the spacing of the chat', () => {
    const turns = new ChatTurns();
    showAll(turns, ['a', 'b'], 0, 20_000);
    emit(turns, 'c', 20_000);
    const turn = turns.next(PACE, 20_000);
    const at = turn.kind === 'wait' ? turn.until : 20_000;
    expect(turns.next(PACE, at)).toMatchObject({ session: 'c' });
  });

  test('ending one text and beginning the next does not put a session ahead', () => {
    const turns = new ChatTurns();
    const shown = showAll(turns, ['a', 'b', 'c'], 0, 60_000);
    turns.leave(shown.at(-1)!, `of ${shown.at(-1)}`);
    turns.forgetIdle(PACE, 60_000);
    const next = showAll(turns, ['a', 'b', 'c'], 60_000, 75_000);
    expect(next[0]).not.toBe(shown.at(-1));
  });

  test('one that was ahead of its turn ever so often waits for a few rounds, and no longer', () => {
    const turns = new ChatTurns();
    const others = ['a', 'b', 'd', 'e', 'f', 'g'];
    for (let now = 0; now < 600_000; now += 10_000) {
      showAll(turns, others, now, now + 9_000);
      turns.shownAhead('c', now + 9_000);
    }
    const shown = showAll(turns, [...others, 'c'], 600_000, 900_000);
    expect(shown.indexOf('c')).toBeGreaterThanOrEqual(others.length);
    expect(shown.indexOf('c')).toBeLessThan(4 * others.length);
  });

  test('one that is shown ahead of its turn has had its next round', () => {
    const turns = new ChatTurns();
    const [first] = showAll(turns, ['a', 'b', 'c'], 0, 1000);
    turns.shownAhead(first!, 1500);
    const shown = showAll(turns, ['a', 'b', 'c'], 1500, 40_000);
    const others = ['a', 'b', 'c'].filter((session) => session !== first);
    expect(shown.slice(0, 4)).toEqual([...others, ...others]);
    expect(shown[4]).toBe(first);
  });

  test('one that had nothing new for a while does not make up for it', () => {
    const turns = new ChatTurns();
    showAll(turns, ['a', 'b', 'c'], 0, 20_000);
    turns.leave('c', 'of c');
    showAll(turns, ['a', 'b'], 20_000, 60_000);
    const shown = showAll(turns, ['a', 'b', 'c'], 60_000, 90_000);
    expect(shown.filter((session) => session === 'c').length).toBeLessThanOrEqual(3);
    expect(shown.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('a session that says nothing is forgotten, and a chat without sessions is idle', () => {
    const turns = new ChatTurns();
    showAll(turns, ['a'], 0, 1000);
    turns.leave('a', 'of a');
    expect(turns.forgetIdle(PACE, 5000)).toBe(false);
    expect(turns.active(PACE, 5000)).toBe(1);
    expect(turns.active(PACE, 12_000)).toBe(0);
    expect(turns.forgetIdle(PACE, 12_000)).toBe(true);
  });

  test('one that waits is active however long it waits, and says since when', () => {
    const turns = new ChatTurns();
    emit(turns, 'a', 0);
    turns.want('a', 'another', 5000);
    expect(turns.active(PACE, 100_000)).toBe(1);
    expect(turns.waits()).toEqual([{ session: 'a', since: 0 }]);
    expect(turns.forgetIdle(PACE, 100_000)).toBe(false);
  });

  test('when others leave, those who stay need not wait for their old tick', () => {
    const turns = new ChatTurns();
    const many = Array.from({ length: 20 }, (_, i) => `s${i}`);
    showAll(turns, many, 0, 80_000);
    for (const session of many.slice(1)) turns.leave(session, `of ${session}`);
    const shown = showAll(turns, ['s0'], 95_000, 125_000);
    expect(shown.length).toBeGreaterThanOrEqual(6);
  });
});

test('whoever has something new all the time is shown as often as anyone else, give or take one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (count) => {
      const sessions = Array.from({ length: count }, (_, i) => `s${i}`);
      const shown = showAll(new ChatTurns(), sessions, 0, 600_000);
      const counts = sessions.map((session) => shown.filter((one) => one === session).length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      expect(shown.length).toBeGreaterThanOrEqual(155);
      expect(shown.length).toBeLessThanOrEqual(161);
    }),
  );
});
