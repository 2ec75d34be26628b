import { expect, test } from 'vitest';
import { seededRandom } from '../../system/random.ts';
import { SimChannel } from './channel.ts';

function channel(): { made: SimChannel; at: (ms: number) => void } {
  let now = 1000;
  const clock = { now: () => now, schedule: () => ({ cancel() {} }) };
  const facts = { id: 7n, name: 'daily_news', title: 'Daily News' };
  return {
    made: new SimChannel(facts, { clock, random: seededRandom(1) }),
    at: (ms) => {
      now = ms;
    },
  };
}

test('begins with a note, which takes an id and is no post', () => {
  const { made } = channel();
  expect(made.posts()).toEqual([]);
  expect({ lastId: made.lastId, count: made.count, pts: made.pts }).toEqual({
    lastId: 1,
    count: 1,
    pts: 2,
  });
  expect(made.edit(1, 'no')).toBe(false);
});

test('posts, edits and deletions are counted, each deleted id for itself', () => {
  const { made, at } = channel();
  const { pts } = made;
  const first = made.post({ text: 'one' });
  made.post({ text: 'two', author: 'Ann' });
  at(5000);
  expect(made.edit(first.id, 'uno')).toBe(true);
  const { id: third } = made.post({ text: 'three' });
  expect(made.delete([first.id + 1, 99, third, third])).toEqual([first.id + 1, third]);
  expect(made.pts - pts).toBe(6);
  expect(made.posts().map(({ text, date, editedAt }) => ({ text, date, editedAt }))).toEqual([
    { text: 'uno', date: 1000, editedAt: 5000 },
  ]);
  expect(made.changesAfter(pts).map(({ kind }) => kind)).toEqual([
    'posted',
    'posted',
    'edited',
    'posted',
    'deleted',
  ]);
  expect(made.changesAfter(made.pts)).toEqual([]);
});

test('a deleted post cannot be edited, nor deleted again, and its id is not given away again', () => {
  const { made } = channel();
  const { id } = made.post({ text: 'gone' });
  made.delete([id]);
  const { pts } = made;
  expect(made.edit(id, 'back')).toBe(false);
  expect(made.delete([id])).toEqual([]);
  expect(made.pts).toBe(pts);
  expect(made.post({ text: 'next' }).id).toBe(id + 1);
});

test('the posts of an album share a group, which no other has', () => {
  const { made } = channel();
  const media = { kind: 'photo', name: null, bytes: 10 } as const;
  const one = made.album([
    { text: 'a', media },
    { text: '', media },
  ]);
  const other = made.album([{ text: 'b', media }]);
  expect(new Set(one.map(({ groupId }) => groupId)).size).toBe(1);
  expect(other[0]!.groupId).not.toBe(one[0]!.groupId);
});
