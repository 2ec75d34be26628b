// What the port tells is enough to hold a copy of a channel: pages upwards to the end, and the newest again for what
// was edited or deleted. Random channels, read while they change; all that is known is compared at the end.

import { expect, test } from 'vitest';
import { idMinus } from '../../../domain/decimal-id.ts';
import { intBelow, pick, type Random, seededRandom } from '../../../system/random.ts';
import type { ChannelReader, Read, ReadPost } from '../../history.ts';
import {
  CHANNEL,
  HERE,
  type SimulatedDiscord,
  simulatedDiscord,
  UNLIMITED,
} from './simulated.fixture.ts';

const SEEDS = 12;
const LOOKS = 6;
const PAGE = 20;

function change(sim: SimulatedDiscord, random: Random): void {
  for (let n = intBelow(random, 4); n > 0; n--) {
    const there = sim.there();
    const kind = random.next();
    if (kind < 0.5 || there.length === 0) sim.post(`post ${random.next()}`);
    else if (kind < 0.6) sim.model.note(CHANNEL, sim.clock.now());
    else if (kind < 0.8) sim.edit(pick(random, there).id, `edit ${random.next()}`);
    else if (kind < 0.97) sim.remove(pick(random, there).id);
    // A run of posts longer than a page.
    else for (const { id } of there.slice(-PAGE * 2)) sim.remove(id);
  }
}

class Copy {
  readonly posts = new Map<string, ReadPost>();
  readonly #sim: SimulatedDiscord;
  readonly #reader: ChannelReader;
  readonly #between: () => void;
  #last = '0';

  constructor(sim: SimulatedDiscord, between: () => void) {
    this.#sim = sim;
    this.#reader = sim.reader();
    this.#between = between;
  }

  async ascend(): Promise<void> {
    for (;;) {
      const page = await this.#page(this.#last);
      for (const post of page.posts) this.posts.set(post.id, post);
      if (page.newestId !== null) return;
      this.#last = page.upTo!;
    }
  }

  // Everything again: what a page passes over without showing it is gone.
  async compare(): Promise<void> {
    const known = [...this.posts.keys()].sort((a, b) => Number(BigInt(a) - BigInt(b)));
    for (let left = known; left.length > 0; ) {
      const page = await this.#page(idMinus(left[0]!, 1));
      const upTo = BigInt(page.upTo ?? known.at(-1)!);
      for (const id of left) if (BigInt(id) <= upTo) this.posts.delete(id);
      for (const post of page.posts) if (known.includes(post.id)) this.posts.set(post.id, post);
      left = left.filter((id) => BigInt(id) > upTo);
    }
  }

  async #page(after: string) {
    for (;;) {
      this.#between();
      const read: Read<{
        readonly posts: readonly ReadPost[];
        readonly upTo?: string;
        readonly newestId: string | null;
      }> = await this.#sim.asked(this.#reader.history(HERE, after, PAGE));
      if (read.kind === 'read') return read.value;
      if (read.kind !== 'failed') throw new Error(JSON.stringify(read));
    }
  }
}

test('a copy equals its channel, whatever happens meanwhile', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed);
    const sim = simulatedDiscord(UNLIMITED);
    for (let n = 0; n < 90; n++) sim.post(`first ${n}`);
    let isQuiet = false;
    const copy = new Copy(sim, () => {
      if (isQuiet) return;
      change(sim, random);
      if (random.next() < 0.05) sim.model.restart(sim.clock.now() + 1);
    });
    for (let look = 0; look < LOOKS; look++) {
      await copy.ascend();
      await copy.compare();
    }
    isQuiet = true;
    await copy.ascend();
    await copy.compare();
    const copied = Array.from(copy.posts.values(), ({ id, text }) => ({ id, text })).sort((a, b) =>
      BigInt(a.id) < BigInt(b.id) ? -1 : 1,
    );
    expect(copied, `seed ${seed}`).toEqual(sim.there());
  }
});
