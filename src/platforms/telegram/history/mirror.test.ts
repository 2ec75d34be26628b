// What the port tells is enough to hold a copy of a channel without a gap: history upwards to the newest id, changes
// from the mark of the first page, all ids again where there was too much to tell. Random channels, read while they
// change.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SimChannel } from '../../../sim/sim.ts';
import { intBelow, pick, type Random, seededRandom } from '../../../system/random.ts';
import type { Channel, ChannelReader, Read, ReadPost } from '../../history.ts';
import { type Simulated, simulated } from './simulated.fixture.ts';

const SEEDS = 12;
const LOOKS = 8;
const PAGE = 20;

let world: Simulated;
let reader: ChannelReader;

beforeAll(async () => {
  world = await simulated({ options: { countsDeleted: true, tooLongAbove: 30 } });
  reader = await world.reader();
});

afterAll(() => world.close());

// Some changes, now and then so many that they are not told.
function change(news: SimChannel, random: Random): void {
  const count = random.next() < 0.05 ? 60 : intBelow(random, 4);
  for (let n = 0; n < count; n++) {
    const posts = news.posts();
    const kind = random.next();
    if (kind < 0.5 || posts.length === 0) news.post({ text: `post ${random.next()}` });
    else if (kind < 0.75) news.edit(pick(random, posts).id, `edit ${random.next()}`);
    else if (kind < 0.97) news.delete([pick(random, posts).id]);
    // A run of posts longer than a page.
    else news.delete(posts.slice(-PAGE * 2).map(({ id }) => id));
  }
}

class Copy {
  readonly posts = new Map<string, ReadPost>();
  readonly #channel: Channel;
  readonly #between: () => void;
  #last = 0;
  #mark: string | null = null;
  tooLong = 0;

  constructor(channel: Channel, between: () => void) {
    this.#channel = channel;
    this.#between = between;
  }

  async look(): Promise<void> {
    if (this.#mark === null) this.#mark = await this.#ascend();
    for (let mark = this.#mark; ; ) {
      const changes = await this.#asked(() => reader.changes!(this.#channel, mark, 10));
      this.#mark = changes.mark;
      mark = changes.mark;
      if (changes.kind === 'too_long') {
        this.tooLong++;
        await this.#ascend();
        await this.#audit([...this.posts.keys()]);
        continue;
      }
      this.#take(changes.posts);
      for (const id of changes.deleted) this.posts.delete(id);
      if (changes.isLast) return;
    }
  }

  // The mark of its first page: what changes while it goes on comes after that.
  async #ascend(): Promise<string> {
    let first: string | null = null;
    for (let from = this.#last; ; ) {
      const page = await this.#asked(() => reader.history(this.#channel, String(from), PAGE));
      first ??= page.mark;
      this.#take(page.posts);
      if (page.posts.length === 0 && page.newestId !== null && from < Number(page.newestId)) {
        await this.#audit(Array.from({ length: PAGE }, (_, n) => String(from + 1 + n)));
      }
      from = page.posts.length === 0 ? from + PAGE : this.#last;
      if (page.newestId !== null && from >= Number(page.newestId)) return first!;
    }
  }

  async #audit(ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += 100) {
      const part = ids.slice(at, at + 100);
      const left = await this.#asked(() => reader.byId!(this.#channel, part));
      const there = new Set(left.map(({ id }) => id));
      for (const id of part) if (!there.has(id)) this.posts.delete(id);
      this.#take(left);
    }
  }

  #take(posts: readonly ReadPost[]): void {
    for (const post of posts) {
      this.posts.set(post.id, post);
      this.#last = Math.max(this.#last, Number(post.id));
    }
  }

  async #asked<T>(ask: () => Promise<Read<T>>): Promise<T> {
    for (;;) {
      this.#between();
      const read = await ask();
      if (read.kind === 'read') return read.value;
      if (read.kind !== 'failed') throw new Error(JSON.stringify(read));
    }
  }
}

test('a copy equals its channel, whatever happens meanwhile', async () => {
  const { model } = world.sim;
  let tooLong = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed);
    const news = model.addChannel({ id: BigInt(seed), name: `news_${seed}`, title: 'News' });
    for (let n = 0; n < 90; n++) news.post({ text: `first ${n}` });
    const found = await reader.resolve(news.name);
    if (found.kind !== 'read') throw new Error(found.kind);
    let isQuiet = false;
    const copy = new Copy(found.value, () => {
      if (isQuiet) return;
      change(news, random);
      const posts = 1 + intBelow(random, PAGE);
      if (random.next() < 0.2) model.addFault({ fault: { kind: 'short_page', posts } });
      if (random.next() < 0.1) {
        model.addFault({ fault: { kind: 'error', code: 500, text: 'RPC_CALL_FAIL' } });
      }
      if (random.next() < 0.003) world.sim.cut();
    });
    for (let look = 0; look < LOOKS; look++) await copy.look();
    isQuiet = true;
    model.clearFaults();
    await copy.look();
    tooLong += copy.tooLong;
    const copied = [...copy.posts.values()].sort((one, other) => Number(one.id) - Number(other.id));
    const expected = news.posts().map(({ id, text }) => [String(id), text]);
    expect(
      copied.map(({ id, text }) => [id, text]),
      `seed ${seed}`,
    ).toEqual(expected);
  }
  expect(tooLong).toBeGreaterThan(0);
});
