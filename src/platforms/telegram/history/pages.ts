// The public pages as a reader: no credentials, new posts by paging upwards, edits and deletions only by comparing what
// is shown with what was read. https://t.me/s/<name>?after=<id> has the next posts above that id, about twenty.

import type { PublicFiles } from '../../../system/http/public-files.ts';
import type { Reply, Transport } from '../../../system/http/transport.ts';
import type { Channel, ChannelReader, HistoryPage, Read } from '../../history.ts';
import { readPublicPart } from '../../shared/public-media.ts';
import { type ChannelPage, readChannelPage } from './page-html.ts';

// A page of twenty posts has 75 KB; more is none of Telegram's.
const PAGE_CHARS_MAX = 4_000_000;
const DEADLINE_MS = 20_000;
// A 429 without a word of how long.
const WAIT_MS_DEFAULT = 60_000;

// `files`: by which media are fetched; null: they are not.
export function createPageReader(
  transport: Transport,
  files: PublicFiles | null = null,
): ChannelReader {
  async function ask(name: string, query: string): Promise<Read<ChannelPage>> {
    const path = `/s/${encodeURIComponent(name)}${query}`;
    const headers = { accept: 'text/html', 'accept-language': 'en' };
    const request = { method: 'GET', path, headers, body: null, deadlineMs: DEADLINE_MS } as const;
    return readReply(await transport.request(request));
  }

  return {
    async resolve(given) {
      const name = channelName(given);
      if (name === null) return refused('name_invalid', 'not a name of a public channel');
      const page = await ask(name, '');
      if (page.kind !== 'read') return page;
      const { channel } = page.value;
      if (channel === null) return refused('no_preview', NO_PREVIEW);
      // The page never tells the number; names are not reused within what ingest remembers.
      const id = channel.name.toLowerCase();
      return {
        kind: 'read',
        value: { id, access: null, name: channel.name, title: channel.title },
      };
    },

    async history(channel, after, limit) {
      const page = await ask(nameOf(channel), `?after=${after}`);
      if (page.kind !== 'read') return page;
      if (page.value.channel === null) return refused('no_preview', NO_PREVIEW);
      return { kind: 'read', value: historyAfter(page.value, after, limit) };
    },

    ...(files === null
      ? {}
      : { download: (reference, offset) => readPublicPart(reference, offset, files) }),

    async close() {
      await Promise.all([transport.close(), files?.close()]);
    },
  };
}

// A page that has nothing above an id is the end: ids that are gone are passed over by the page itself.
function historyAfter(page: ChannelPage, after: string, limit: number): HistoryPage {
  const above = page.posts.filter(({ id }) => BigInt(id) > BigInt(after));
  return {
    posts: above.slice(0, limit),
    newestId: above.length === 0 ? after : null,
    mark: null,
  };
}

function readReply(reply: Reply): Read<ChannelPage> {
  if (reply.kind !== 'answered') {
    const reason = reply.reason.endsWith('timeout') ? 'timeout' : 'connection';
    return { kind: 'failed', reason, detail: reply.detail };
  }
  const { status, headers, body } = reply;
  if (status === 429) return { kind: 'wait', waitMs: waitMsOf(headers['retry-after']) };
  if (status >= 500) return { kind: 'failed', reason: 'server', detail: `HTTP ${status}` };
  // To the page without posts: there is no preview, or no such channel.
  if (status !== 200) return refused('no_preview', NO_PREVIEW);
  if (body.length > PAGE_CHARS_MAX) return refused('page_too_large', 'the page is too large');
  return { kind: 'read', value: readChannelPage(body) };
}

const NO_PREVIEW =
  'the channel shows no posts on its public page: it is private, restricted, or does not exist';

function waitMsOf(header: string | undefined): number {
  return /^\d{1,9}$/.test(header ?? '') ? Number(header) * 1000 : WAIT_MS_DEFAULT;
}

function refused(reason: string, detail: string): Read<never> {
  return { kind: 'refused', reason, detail };
}

function nameOf(channel: Channel): string {
  return channel.name ?? channel.id;
}

// `@name`, `name`, `t.me/name`, `https://t.me/s/name`.
export function channelName(given: string): string | null {
  const bare = /^(?:https?:\/\/)?t\.me\/(?:s\/)?([^/?#]{1,64})\/?$/i.exec(given.trim());
  const name = bare?.[1] ?? given.trim().replace(/^@/, '');
  return /^[A-Za-z]\w{3,63}$/.test(name) ? name : null;
}
