// The public pages of channels (`/s/<name>`), as the platform serves them to anyone: the newest posts, or those after
// an id. Any name is a channel here. It has some posts when it is first read, and more come by themselves now and then:
// they are made when somebody looks, with the dates they would have, so that nothing runs while nobody does.

import type { Clock } from '../system/clock.ts';
import { intBelow, pick, type Random } from '../system/random.ts';
import { SimChannel, type SimPost } from './channels.ts';

export interface SimPagesOptions {
  // When a channel is first read it has so many posts, the first of them so long ago.
  readonly postsAtFirst: number;
  readonly sinceMs: number;
  // Between two posts, on average.
  readonly everyMs: number;
}

export const PAGES_DEFAULTS: SimPagesOptions = {
  postsAtFirst: 25,
  sinceMs: 3 * 3_600_000,
  everyMs: 20_000,
};

export interface SimPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Living {
  readonly channel: SimChannel;
  // What its clock says: when the post that is made was made.
  readonly time: { at: number };
  nextAt: number;
}

const POSTS_PER_PAGE = 20;
const CHANNELS_MAX = 1000;
// Of what came while nobody looked.
const CAUGHT_UP_MAX = 500;
const TITLE_CHARS_MAX = 64;

const WHO = ['The harbour', 'The night train', 'The old bridge', 'The market', 'The observatory'];
const WHAT = [
  'opens early',
  'is closed for repairs',
  'has a new timetable',
  'stays open all night',
];
const WHY = ['because of the rain.', 'for the first time this year.', 'as announced.', 'again.'];

export class SimPages {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #options: SimPagesOptions;
  readonly #channels = new Map<string, Living>();

  constructor(
    ports: { readonly clock: Clock; readonly random: Random },
    options: Partial<SimPagesOptions> = {},
  ) {
    this.#clock = ports.clock;
    this.#random = ports.random;
    this.#options = { ...PAGES_DEFAULTS, ...options };
  }

  // null: it is not the address of such a page.
  page(path: string): SimPage | null {
    const { pathname, searchParams } = new URL(path, 'http://sim');
    const name = /^\/s\/([A-Za-z]\w{3,63})$/.exec(pathname)?.[1];
    if (name === undefined) return null;
    const living = this.#living(name);
    if (living === null) return { status: 429, headers: { 'retry-after': '60' }, body: '' };
    this.#catchUp(living);
    const html = pageOf(living.channel, shownOf(living.channel, searchParams.get('after')));
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: html };
  }

  // To post, edit and delete by hand; null: there are as many channels as may be.
  channel(name: string): SimChannel | null {
    return this.#living(name)?.channel ?? null;
  }

  #living(name: string): Living | null {
    const key = name.toLowerCase();
    const known = this.#channels.get(key);
    if (known !== undefined) return known;
    if (this.#channels.size >= CHANNELS_MAX) return null;
    const made = this.#made(name);
    this.#channels.set(key, made);
    return made;
  }

  #made(name: string): Living {
    const { postsAtFirst, sinceMs } = this.#options;
    const now = this.#clock.now();
    const time = { at: now - sinceMs };
    const clock: Clock = { ...this.#clock, now: () => time.at };
    const facts = { id: BigInt(this.#channels.size + 1), name, title: titleOf(name) };
    const channel = new SimChannel(facts, { clock, random: this.#random });
    for (let n = 0; n < postsAtFirst; n++) {
      time.at = now - sinceMs + (sinceMs * n) / postsAtFirst;
      this.#post(channel);
    }
    time.at = now;
    return { channel, time, nextAt: now + this.#pause() };
  }

  #catchUp(living: Living): void {
    const now = this.#clock.now();
    for (let made = 0; living.nextAt <= now && made < CAUGHT_UP_MAX; made++) {
      living.time.at = living.nextAt;
      this.#post(living.channel);
      living.nextAt += this.#pause();
    }
    living.nextAt = Math.max(living.nextAt, now);
    living.time.at = now;
  }

  #post(channel: SimChannel): void {
    const words = [WHO, WHAT, WHY].map((each) => pick(this.#random, each));
    channel.post({ text: words.join(' ') });
  }

  #pause(): number {
    const { everyMs } = this.#options;
    return everyMs / 2 + intBelow(this.#random, everyMs);
  }
}

function titleOf(name: string): string {
  const words = name.split('_').filter((word) => word !== '');
  const title = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ');
  return title.slice(0, TITLE_CHARS_MAX);
}

// The next above the id, or the newest.
function shownOf(channel: SimChannel, after: string | null): SimPost[] {
  const posts = channel.posts();
  if (after === null || !/^\d{1,15}$/.test(after)) return posts.slice(-POSTS_PER_PAGE);
  return posts.filter(({ id }) => id > Number(after)).slice(0, POSTS_PER_PAGE);
}

function pageOf({ name, title }: SimChannel, posts: readonly SimPost[]): string {
  return `<!DOCTYPE html>
<html><head><title>${escaped(title)}</title></head><body>
<div class="tgme_channel_info_header_title"><span dir="auto">${escaped(title)}</span></div>
<div class="tgme_channel_info_header_username"><a href="/${name}">@${name}</a></div>
<main class="tgme_main"><section class="tgme_channel_history js-message_history">
${posts.map((post) => blockOf(name, post)).join('\n')}
</section></main></body></html>`;
}

function blockOf(name: string, { id, date, text, author }: SimPost): string {
  const words = escaped(text).replaceAll('\n', '<br/>');
  const signed =
    author === null
      ? ''
      : `<span class="tgme_widget_message_from_author" dir="auto">${escaped(author)}</span>`;
  const posted = new Date(Math.floor(date / 1000) * 1000).toISOString().replace('.000Z', '+00:00');
  return `<div class="tgme_widget_message_wrap js-widget_message_wrap">
<div class="tgme_widget_message text_not_supported_wrap js-widget_message" data-post="${name}/${id}">
<div class="tgme_widget_message_bubble">
<div class="tgme_widget_message_text js-message_text" dir="auto">${words}</div>
<span class="tgme_widget_message_meta">${signed}<a class="tgme_widget_message_date" href="/${name}/${id}">
<time datetime="${posted}" class="time">${posted.slice(11, 16)}</time></a></span>
</div></div></div>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
