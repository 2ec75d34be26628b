import { describe, expect, test } from 'vitest';
import { createPageReader } from '../platforms/telegram/history/pages.ts';
import type { Transport } from '../system/http/transport.ts';
import { seededRandom } from '../system/random.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { SimChannel } from './channel/channel.ts';
import { SimPages } from './pages.ts';

const START = Date.UTC(2026, 5, 1, 4);
const CHANNEL = { id: 'daily_news', access: null, name: 'daily_news', title: 'Daily News' };

function opened(startsAt = START) {
  const clock = virtualClock(startsAt);
  const pages = new SimPages({ clock });
  const transport: Transport = {
    async request({ path }) {
      return { kind: 'answered', ...pages.page(path)! };
    },
    stream: () => Promise.reject(new Error('nothing is streamed')),
    async close() {},
  };
  const reader = createPageReader(transport);
  const postsAbove = async (id: string) => {
    const read = await reader.history(CHANNEL, id, 100);
    if (read.kind !== 'read') throw new Error(read.kind);
    return read.value.posts;
  };
  const all = async () => {
    const posts = [...(await postsAbove('0'))];
    for (let page = posts; page.length > 0; posts.push(...page)) {
      page = [...(await postsAbove(posts.at(-1)!.id))];
    }
    return posts;
  };
  return { clock, pages, reader, postsAbove, all };
}

describe('a channel that posts by itself', () => {
  test('has what it posted since midnight, by pages and with rising dates', async () => {
    const { reader, postsAbove, all } = opened();
    expect(await reader.resolve('@daily_news')).toEqual({ kind: 'read', value: CHANNEL });
    expect(await postsAbove('0')).toHaveLength(20);
    const dates = (await all()).map(({ date }) => date);
    expect(dates.length).toBeGreaterThan(310);
    expect(dates.length).toBeLessThan(330);
    expect(dates).toEqual(dates.toSorted((a, b) => a - b));
    expect(dates.at(-1)).toBeLessThanOrEqual(START);
  });

  test('goes on posting, and is the same to whoever looks, also after a restart', async () => {
    const first = opened();
    const before = await first.all();
    await first.clock.run(START + 3_600_000);
    const later = await first.all();
    expect(later.length - before.length).toBeGreaterThan(70);
    expect(later.slice(0, before.length)).toEqual(before);
    expect(await opened(START + 3_600_000).all()).toEqual(later);
  });

  test('the page without an id has the newest', async () => {
    const { pages, all } = opened();
    const shown = pages.page('/s/daily_news')!.body.match(/data-post="[^"]+"/g)!;
    const newest = (await all()).slice(-20).map(({ id }) => `data-post="daily_news/${id}"`);
    expect(shown).toEqual(newest);
  });
});

test('a channel made by hand is shown as it is, and what it says is escaped', async () => {
  const { clock, pages, postsAbove } = opened();
  const facts = { id: 5n, name: 'Daily_News', title: 'By <hand>' };
  const channel = new SimChannel(facts, { clock, random: seededRandom(1) });
  pages.add(channel);
  const { id } = channel.post({ text: '<b>&"\nx', author: '<Ann>' });
  expect(await postsAbove('0')).toMatchObject([
    { id: String(id), text: '<b>&"\nx', author: '<Ann>' },
  ]);
  channel.delete([id]);
  expect(await postsAbove('0')).toEqual([]);
});

test('other addresses are no pages', () => {
  const { pages } = opened();
  for (const path of ['/', '/s/', '/s/a', '/s/daily_news/5', '/bot1:x/getMe', '/s/../x']) {
    expect(pages.page(path)).toBeNull();
  }
});
