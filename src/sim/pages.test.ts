import { describe, expect, test } from 'vitest';
import { createPageReader } from '../platforms/telegram/history/pages.ts';
import { seededRandom } from '../system/random.ts';
import type { Transport } from '../system/transport.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { SimPages } from './pages.ts';

const START = 1_760_000_000_000;
const CHANNEL = { id: 'daily_news', access: null, name: 'daily_news', title: 'Daily News' };

function opened() {
  const clock = virtualClock(START);
  const pages = new SimPages({ clock, random: seededRandom(1) });
  const transport: Transport = {
    async request({ path }) {
      return { kind: 'answered', ...pages.page(path)! };
    },
    stream: () => Promise.reject(new Error('nothing is streamed')),
    async close() {},
  };
  const reader = createPageReader(transport);
  const after = async (id: string) => {
    const read = await reader.history(CHANNEL, id, 100);
    if (read.kind !== 'read') throw new Error(read.kind);
    return read.value.posts;
  };
  return { clock, pages, reader, after };
}

describe('a channel of the simulated pages', () => {
  test('has posts when it is first read, by pages and with rising dates', async () => {
    const { reader, after } = opened();
    expect(await reader.resolve('@daily_news')).toEqual({ kind: 'read', value: CHANNEL });
    const first = await after('0');
    expect(first).toHaveLength(20);
    const rest = await after(first.at(-1)!.id);
    expect(rest).toHaveLength(5);
    expect(await after(rest.at(-1)!.id)).toEqual([]);
    const dates = [...first, ...rest].map(({ date }) => date);
    expect(dates).toEqual(dates.toSorted((a, b) => a - b));
    expect(new Set(dates).size).toBe(25);
    expect(dates.at(-1)).toBeLessThan(START);
  });

  test('posts by itself now and then, whether somebody looks or not', async () => {
    const { clock, after } = opened();
    await after('0');
    await clock.run(START + 600_000);
    const news = (await after('26')).length + (await after('46')).length;
    expect(news).toBeGreaterThan(15);
    expect(news).toBeLessThan(60);
    for (const { date } of await after('26')) {
      expect(date).toBeGreaterThan(START);
      expect(date).toBeLessThanOrEqual(clock.now());
    }
  });

  test('is changed by hand, and escapes what it shows', async () => {
    const { pages, after } = opened();
    const channel = pages.channel('Daily_News')!;
    const { id } = channel.post({ text: '<b>&"\nx', author: '<Ann>' });
    const [post] = await after(String(id - 1));
    expect(post).toMatchObject({ id: String(id), text: '<b>&"\nx', author: '<Ann>' });
    channel.delete([id]);
    expect(await after(String(id - 1))).toEqual([]);
  });

  test('other addresses are none', () => {
    const { pages } = opened();
    for (const path of ['/', '/s/', '/s/a', '/s/daily_news/5', '/bot1:x/getMe', '/s/../x']) {
      expect(pages.page(path)).toBeNull();
    }
  });
});
