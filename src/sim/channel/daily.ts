// A channel that posts by itself now and then. What it has posted follows from its name and the time alone, so that it
// is the same after a restart, and nothing runs while nobody looks. It begins at midnight (UTC): today's, or early in
// the day that of the day before.

import type { Clock } from '../../system/clock.ts';
import { pick, seededRandom } from '../../system/random.ts';
import type { SimPost } from './channel.ts';

const DAY_MS = 86_400_000;
const EARLY_MS = 3 * 3_600_000;
// One in each, at some moment of it.
const SLOT_MS = 45_000;
// The first slot there is.
const EPOCH_MS = Date.UTC(2025, 0, 1);
const TITLE_CHARS_MAX = 64;

const WHO = ['The harbour', 'The night train', 'The old bridge', 'The market', 'The observatory'];
const WHAT = ['opens early', 'is closed for repairs', 'has a new timetable', 'stays open late'];
const WHY = ['because of the rain.', 'for the first time this year.', 'as announced.', 'again.'];

export class DailyChannel {
  readonly name: string;
  readonly title: string;
  readonly #clock: Clock;
  readonly #seed: number;
  readonly #firstId: number;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.title = titleOf(name);
    this.#clock = clock;
    this.#seed = [...name.toLowerCase()].reduce((sum, each) => sum * 31 + each.charCodeAt(0), 7);
    const now = clock.now();
    const midnight = Math.floor(now / DAY_MS) * DAY_MS;
    const beginsAt = now - midnight < EARLY_MS ? midnight - DAY_MS : midnight;
    this.#firstId = idAt(beginsAt);
  }

  // The lowest above the id.
  after(id: number, max: number): SimPost[] {
    const posts: SimPost[] = [];
    const newest = this.#newestId();
    for (let each = Math.max(id + 1, this.#firstId); each <= newest; each++) {
      if (posts.length === max) break;
      posts.push(this.#post(each));
    }
    return posts;
  }

  newest(max: number): SimPost[] {
    return this.after(this.#newestId() - max, max);
  }

  #newestId(): number {
    const now = this.#clock.now();
    const id = idAt(now);
    return this.#post(id).date <= now ? id : id - 1;
  }

  #post(id: number): SimPost {
    const random = seededRandom(this.#seed + id);
    const date = EPOCH_MS + id * SLOT_MS + Math.floor(random.next() * SLOT_MS);
    const text = [WHO, WHAT, WHY].map((each) => pick(random, each)).join(' ');
    const nothing = { editedAt: null, author: null, groupId: null, media: null, isService: false };
    return { id, date, text, ...nothing };
  }
}

function idAt(ms: number): number {
  return Math.floor((ms - EPOCH_MS) / SLOT_MS);
}

function titleOf(name: string): string {
  const words = name.split('_').filter((word) => word !== '');
  const title = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ');
  return title.slice(0, TITLE_CHARS_MAX);
}
