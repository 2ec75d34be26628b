// The public pages of channels (`/s/<name>`), as the platform serves them to anyone: the newest posts, or those after
// an id. Channels that were made by hand are shown as they are; any other name is a channel that posts by itself.

import type { Clock } from '../system/clock.ts';
import type { SimChannel, SimPost } from './channel/channel.ts';
import { DailyChannel } from './channel/daily.ts';

export interface SimPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface SimChannelPage {
  readonly name: string;
  readonly title: string;
  readonly posts: readonly SimPost[];
}

const POSTS_PER_PAGE = 20;

export class SimPages {
  readonly #clock: Clock;
  readonly #byHand = new Map<string, SimChannel>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  add(channel: SimChannel): void {
    this.#byHand.set(channel.name.toLowerCase(), channel);
  }

  // null: it is not the address of such a page.
  page(path: string): SimPage | null {
    const { pathname, searchParams } = new URL(path, 'http://sim');
    const name = /^\/s\/([A-Za-z]\w{3,63})$/.exec(pathname)?.[1];
    if (name === undefined) return null;
    const asked = searchParams.get('after') ?? '';
    const after = /^\d{1,15}$/.test(asked) ? Number(asked) : null;
    const made = this.#byHand.get(name.toLowerCase());
    const shown = made === undefined ? this.#daily(name, after) : byHand(made, after);
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    return { status: 200, headers, body: htmlOf(shown) };
  }

  #daily(name: string, after: number | null): SimChannelPage {
    const channel = new DailyChannel(name, this.#clock);
    const posts =
      after === null ? channel.newest(POSTS_PER_PAGE) : channel.after(after, POSTS_PER_PAGE);
    return { name, title: channel.title, posts };
  }
}

function byHand(channel: SimChannel, after: number | null): SimChannelPage {
  const { name, title } = channel;
  const posts = channel.posts();
  if (after === null) return { name, title, posts: posts.slice(-POSTS_PER_PAGE) };
  const above = posts.filter(({ id }) => id > after);
  return { name, title, posts: above.slice(0, POSTS_PER_PAGE) };
}

function htmlOf({ name, title, posts }: SimChannelPage): string {
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
