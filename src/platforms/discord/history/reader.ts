// The history of a channel, read with a bot's own token. Discord tells no changes over HTTP: new messages are read
// upwards by id, edits and deletions are found by reading the newest again. Pages come with the newest first, and there
// is one trap: a bot that may see a channel and not its past is shown empty pages, as if nothing were there. So a page
// is asked for from just below the last known message, which then stands in it; where it is empty all the same, a
// message is asked for by its id, which such a bot is refused.

import { compareIds, ID_ZERO, idMinus } from '../../../domain/decimal-id.ts';
import { ACCOUNT_REFUSED } from '../../../domain/outcome.ts';
import { unreachable } from '../../../system/assert.ts';
import { type PublicFiles, publicFiles } from '../../../system/http/public-files.ts';
import type { Reply } from '../../../system/http/transport.ts';
import { jsonOrUndefined } from '../../../system/json.ts';
import type {
  Channel,
  ChannelReader,
  HistoryPage,
  Read,
  ReaderKind,
  ReadPost,
} from '../../history.ts';
import { readPublicPart } from '../../shared/public-media.ts';
import { classify } from '../classify.ts';
import { isSandboxCredential, speakerOf } from '../credentials.ts';
import { API, type DiscordWires, get } from '../send.ts';
import { channelIdIn } from './channel-name.ts';
import { idIn, postIn } from './posts.ts';

const PAGE_MAX = 100;
const DEADLINE_MS = 20_000;
// Of channels in which nobody writes.
const WITHOUT_MESSAGES: Readonly<Record<number, string>> = {
  4: 'it is a category: follow the channels in it',
  15: 'it is a forum: follow its threads, each is a channel',
  16: 'it is a media channel: follow its threads, each is a channel',
};
// Of an application: bots of it are told what others write.
const CONTENT_FLAGS = (1 << 18) | (1 << 19);
const NO_CONTENT =
  'the bot is not told what others write: switch on the Message Content Intent on the page of its application';

export function historyKind(lines: DiscordWires): ReaderKind {
  return {
    kind: 'discord',
    title: 'a bot of this gateway that is in the channel',
    readsWith: (credential) => speakerOf(credential)?.kind === 'bot',
    async open(account) {
      if (account === null) throw new Error('it is read with an account of this gateway: name it');
      const isSandbox = isSandboxCredential(account.session);
      return createHistoryReader(lines, account.session, isSandbox ? null : publicFiles());
    },
  };
}

// `files`: by which attachments are fetched; null: they are not.
export function createHistoryReader(
  lines: DiscordWires,
  credential: string,
  files: PublicFiles | null = null,
): ChannelReader {
  const ask = async (path: string) =>
    readOf(await get(lines, credential, `${API}${path}`, DEADLINE_MS));

  // null: bots are told what others write, or nobody knows.
  async function contentTrouble(): Promise<Exclude<Read<never>, { kind: 'read' }> | null> {
    const application = await ask('/applications/@me');
    if (application.kind === 'wait') return application;
    if (application.kind !== 'read') return null;
    const { flags } = fieldsOf(application.value);
    if (typeof flags !== 'number' || (flags & CONTENT_FLAGS) !== 0) return null;
    return refused('no_message_content', NO_CONTENT);
  }

  // The end of a channel, or one whose past the bot may not read.
  async function emptyPage(channel: Channel, after: string): Promise<Read<HistoryPage>> {
    const known = after === ID_ZERO ? channel.id : after;
    const one = await ask(`/channels/${channel.id}/messages/${known}`);
    if (one.kind === 'read') return failed('an empty page, though there are messages');
    const isGone = one.kind === 'refused' && one.reason === 'message_not_found';
    return isGone ? { kind: 'read', value: { posts: [], newestId: after, mark: null } } : one;
  }

  return {
    async resolve(given) {
      const id = channelIdIn(given);
      if (id === null)
        return refused('name_invalid', 'expected the id of a channel, or its address');
      const found = await ask(`/channels/${id}`);
      if (found.kind !== 'read') return found;
      const { type, name } = fieldsOf(found.value);
      const without = WITHOUT_MESSAGES[Number(type)];
      if (without !== undefined) return refused('no_messages', without);
      const trouble = await contentTrouble();
      if (trouble !== null) return trouble;
      const title = typeof name === 'string' && name !== '' ? `#${name}` : id;
      return { kind: 'read', value: { id, access: null, name: null, title } };
    },

    async history(channel, after, limit) {
      const count = Math.min(PAGE_MAX, limit + 1);
      const query = `after=${idMinus(after, 1)}&limit=${count}`;
      const answer = await ask(`/channels/${channel.id}/messages?${query}`);
      if (answer.kind !== 'read') return answer;
      const { value, ...rest } = answer;
      if (!Array.isArray(value)) return failed('no list of messages');
      if (value.length === 0) return emptyPage(channel, after);
      return { ...rest, value: pageAfter(value, after, limit) };
    },

    ...(files === null
      ? {}
      : { download: (reference, offset) => readPublicPart(reference, offset, files) }),

    async close() {
      await files?.close();
    },
  };
}

function pageAfter(messages: readonly unknown[], after: string, limit: number): HistoryPage {
  const above = messages
    .map((message) => ({ message, id: idIn(message) ?? ID_ZERO }))
    .filter(({ id }) => compareIds(id, after) > 0)
    .sort((one, other) => compareIds(one.id, other.id))
    .slice(0, limit);
  const last = above.at(-1);
  if (last === undefined) return { posts: [], newestId: after, mark: null };
  const posts = above.map(({ message }) => postIn(message));
  const isPost = (post: ReadPost | null): post is ReadPost => post !== null;
  return { posts: posts.filter(isPost), upTo: last.id, newestId: null, mark: null };
}

function readOf(reply: Reply): Read<unknown> {
  const outcome = classify('', reply);
  switch (outcome.kind) {
    case 'sent': {
      const value = jsonOrUndefined(outcome.result);
      const { remaining = 1, resetAfterMs = 0 } = outcome.observed ?? {};
      const restMs = remaining < 1 ? resetAfterMs : 0;
      return { kind: 'read', value, ...(restMs > 0 ? { restMs } : {}) };
    }
    case 'limited':
      return {
        kind: 'wait',
        waitMs: outcome.retryAfterMs,
        ...(outcome.scope === 'account' ? { isOfAccount: true } : {}),
      };
    case 'refused':
      return outcome.reason === ACCOUNT_REFUSED
        ? { kind: 'logged_out', detail: outcome.detail }
        : refused(outcome.reason, outcome.detail);
    case 'failed':
    case 'uncertain':
      return { kind: 'failed', reason: reasonOf(reply), detail: outcome.detail };
    default:
      return unreachable(outcome);
  }
}

function reasonOf(reply: Reply) {
  if (reply.kind === 'answered') return 'server';
  return reply.reason.endsWith('timeout') ? 'timeout' : 'connection';
}

function refused(reason: string, detail: string) {
  return { kind: 'refused', reason, detail } as const;
}

function failed(detail: string) {
  return { kind: 'failed', reason: 'server', detail } as const;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
