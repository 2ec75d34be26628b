import { expect, test } from 'vitest';
import { aPage, aPost, aService, KIND, PUSHED, posts } from './ingest.fixture.ts';

const CHANNEL = { id: '-1001', name: 'News' };

async function started(name = '@news', settings: object = {}) {
  const made = aService({ settings: { pace: 'fixed' } });
  await made.service.start();
  const { source } = await made.service.add(PUSHED, name, settings);
  const push = (id: number, changes: object = {}) =>
    made.service.push('bot:1', { channel: CHANNEL, post: aPost(id, changes) });
  const stored = async () => {
    const all = { source: source.id, order: 'oldest', cursor: null, since: null, text: null };
    const page = await made.service.store.posts({ ...all, order: 'oldest', max: 100 });
    return page.posts.map(({ id }) => id);
  };
  return { ...made, id: source.id, push, stored };
}

test('posts that come by themselves are stored at once, and never asked for', async () => {
  const at = await started();
  await at.push(5);
  await at.push(6);
  await at.push(5, { text: 'edited', editedAt: 9e12 });
  expect(await at.stored()).toEqual(['5', '6']);
  expect(await at.service.store.versions({ source: at.id, id: '5', max: 9 })).toHaveLength(1);
  await at.run(3_600_000);
  expect(at.calls).toEqual([]);
  const view = { lastId: '6', gaps: [], nextLookAt: null, nextLookReason: 'pushed' };
  expect(at.service.get(at.id)).toMatchObject(view);
  expect(at.service.samples().filter(({ name }) => name === 'parser_hwm_age_seconds')).toEqual([]);
});

test.each(['-1001', 'https://example.org/s/NEWS', 'news'])(
  '%s is the same channel',
  async (name) => {
    const at = await started(name);
    await at.push(5);
    expect(await at.stored()).toEqual(['5']);
  },
);

test('others are passed over: other channels, other accounts, paused ones', async () => {
  const other = await started('@olds');
  await other.push(5);
  expect(await other.stored()).toEqual([]);
  const bound = await started('@news', { account: 'bot:2' });
  await bound.push(5);
  expect(await bound.stored()).toEqual([]);
  const paused = await started();
  await paused.service.pause(paused.id);
  await paused.push(5);
  expect(await paused.stored()).toEqual([]);
});

test('a jump of ids is a gap; it stays where nobody else reads the channel', async () => {
  const at = await started();
  await at.push(5);
  await at.push(9);
  const gap = { after: '5', before: '9' };
  expect(at.service.get(at.id)).toMatchObject({ lastId: '9', gaps: [gap] });
  expect(at.events).toContainEqual({ kind: 'gap', source: at.id, ...gap });
  const again = aService({ disk: at.disk, clock: at.clock });
  await again.service.start();
  expect(again.service.get(at.id)).toMatchObject({ gaps: [gap] });
});

test('a gap is filled from another source of the channel, with nothing but what was missing', async () => {
  const at = await started();
  at.answers.history = (after) => aPage(after === '0' ? posts(1, 5) : []);
  await at.service.add(KIND, '@news');
  await at.run(1_000);
  await at.push(5, { text: 'as it was pushed' });
  at.answers.changes = () => ({
    kind: 'read',
    value: {
      kind: 'changes',
      ...{ posts: posts(6, 9).filter(({ id }) => id !== '7'), deleted: [] },
      ...{ mark: '9', isLast: true, notBeforeMs: 0 },
    },
  });
  await at.push(9);
  // At once, not in five minutes.
  await at.run(1_000);
  expect(await at.stored()).toEqual(['5', '6', '8', '9']);
  expect(at.service.get(at.id)).toMatchObject({ gaps: [], lastId: '9' });
  expect(await at.service.store.post({ source: at.id, id: '5' })).toMatchObject({
    text: 'as it was pushed',
  });
});

test('a gap that the other source has not come to stays', async () => {
  const at = await started();
  at.answers.history = () => aPage(posts(1, 7));
  await at.push(5);
  await at.push(9);
  await at.service.add(KIND, '@news');
  await at.run(1_000);
  expect(at.service.get(at.id)).toMatchObject({ gaps: [{ after: '5', before: '9' }] });
});

test('posts from a date on are noted to be forwarded', async () => {
  const at = await started('@news', { forwardSince: 100 });
  await at.push(5, { date: 99 });
  await at.push(6, { date: 100 });
  const waiting = await at.service.store.unforwarded({ source: at.id, max: 9 });
  expect(waiting.map(({ id }) => id)).toEqual(['6']);
});
