import { expect, test } from 'vitest';
import { systemClock } from '../../system/clock.ts';
import { seededRandom } from '../../system/random.ts';
import { SimChannel } from './channel.ts';
import { differenceOf, type HistoryQuery, historyOf } from './reading.ts';

// Ids 2 … count + 1; 1 is the note.
function channelOf(count: number): SimChannel {
  const ports = { clock: systemClock(), random: seededRandom(1) };
  const channel = new SimChannel({ id: 1n, name: 'daily_news', title: 'Daily' }, ports);
  for (let n = 0; n < count; n++) channel.post({ text: `${n}` });
  return channel;
}

const NEWEST: HistoryQuery = { offsetId: 0, addOffset: 0, limit: 5, maxId: 0, minId: 0 };
const ids = (channel: SimChannel, query: Partial<HistoryQuery>, countsDeleted = false) =>
  historyOf(channel, { ...NEWEST, ...query }, countsDeleted).map(({ id }) => id);

test('pages of the history go down from the newest, or from an id', () => {
  const channel = channelOf(20);
  expect(ids(channel, {})).toEqual([21, 20, 19, 18, 17]);
  expect(ids(channel, { offsetId: 10 })).toEqual([9, 8, 7, 6, 5]);
  expect(ids(channel, { offsetId: 10, addOffset: 2 })).toEqual([7, 6, 5, 4, 3]);
  expect(ids(channel, { offsetId: 3 })).toEqual([2, 1]);
  expect(ids(channel, { offsetId: 10, maxId: 9, minId: 6 })).toEqual([8, 7]);
});

test('and up, where the page begins above the id', () => {
  const channel = channelOf(20);
  expect(ids(channel, { offsetId: 11, addOffset: -5 })).toEqual([15, 14, 13, 12, 11]);
  expect(ids(channel, { offsetId: 11, addOffset: -2 })).toEqual([12, 11, 10, 9, 8]);
  expect(ids(channel, { offsetId: 20, addOffset: -5 })).toEqual([21, 20]);
  expect(ids(channel, { offsetId: 22, addOffset: -5 })).toEqual([]);
  expect(ids(channel, { offsetId: 1, addOffset: -5 })).toEqual([5, 4, 3, 2, 1]);
  // Beginning further above than the page is long.
  expect(ids(channel, { offsetId: 11, addOffset: -8 })).toEqual([18, 17, 16, 15, 14]);
  expect(ids(channel, { offsetId: 18, addOffset: -8 })).toEqual([21]);
});

test('deleted posts are left out; where they are counted, pages come short or empty', () => {
  const channel = channelOf(20);
  channel.delete([12, 13]);
  const up = { offsetId: 11, addOffset: -5 };
  expect(ids(channel, up)).toEqual([17, 16, 15, 14, 11]);
  expect(ids(channel, up, true)).toEqual([15, 14, 11]);
  channel.delete([11, 14, 15]);
  expect(ids(channel, up, true)).toEqual([]);
});

test('a difference tells posts as they are now, edits of older ones, and deletions', () => {
  const channel = channelOf(5);
  const { pts } = channel;
  const { id } = channel.post({ text: 'new' });
  channel.edit(id, 'newer');
  channel.post({ text: 'gone at once' });
  channel.delete([id + 1, 3]);
  channel.edit(2, 'edited');
  const told = differenceOf(channel, pts, 100, 100);
  expect(told).toMatchObject({
    kind: 'difference',
    pts: channel.pts,
    isFinal: true,
    posted: [{ id, text: 'newer' }],
    edited: [{ post: { id: 2, text: 'edited' } }],
    deleted: [{ ids: [id + 1, 3] }],
  });
  expect(differenceOf(channel, channel.pts, 100, 100)).toEqual({ kind: 'empty', pts: channel.pts });
});

test('it is told in parts, and not at all where there is too much of it', () => {
  const channel = channelOf(30);
  const since = channel.pts - 25;
  const part = differenceOf(channel, since, 10, 100);
  expect(part).toMatchObject({ kind: 'difference', isFinal: false, pts: since + 10 });
  expect(differenceOf(channel, since + 20, 10, 100)).toMatchObject({ isFinal: true });
  expect(differenceOf(channel, since, 10, 25)).toMatchObject({ kind: 'difference' });
  const { pts } = channel;
  expect(differenceOf(channel, since, 10, 24)).toEqual({ kind: 'too_long', pts });
});
