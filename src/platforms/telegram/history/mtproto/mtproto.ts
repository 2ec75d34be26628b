// A reader of channels over MTProto: one session of one account, one connection. It asks what it is asked, once; waits,
// refusals and failures are values. A wire that breaks in the middle of a call is mended within the call's time.

import { Long, type tl } from '@mtcute/core';
import type { BaseTelegramClient } from '@mtcute/core/client.js';
import type {
  Changes,
  Channel,
  ChannelReader,
  HistoryPage,
  MediaPiece,
  Read,
  ReadPost,
} from '../../../history.ts';
import { type NotRead, notRead } from './answers.ts';
import { pieceCall, pieceOf } from './files.ts';
import { postsOf } from './posts.ts';

// The longest that one question takes.
const CALL_MS_MAX = 30_000;
// What the platform gives at most in one answer.
const PAGE_POSTS_MAX = 100;
// Of how many the newest is looked for, first and then: notes of the platform take places, and so do deleted posts.
const NEWEST_MESSAGES = [10, PAGE_POSTS_MAX];

export class MtprotoReader implements ChannelReader {
  readonly #connect: () => Promise<BaseTelegramClient>;
  readonly #callMsMax: number;
  #client: Promise<BaseTelegramClient> | null = null;
  #isConnected = false;

  // `connect` is asked with the first question, and again until there is a client.
  constructor(connect: () => Promise<BaseTelegramClient>, callMsMax = CALL_MS_MAX) {
    this.#connect = connect;
    this.#callMsMax = callMsMax;
  }

  async resolve(name: string): Promise<Read<Channel>> {
    const username = name.replace(/^(?:https?:\/\/t\.me\/(?:s\/)?|@)/, '');
    const found = await this.#ask({ _: 'contacts.resolveUsername', username });
    if (found.kind !== 'read') return found;
    const { peer, chats } = found.value;
    const channel = chats.find(
      (chat) => peer._ === 'peerChannel' && chat._ === 'channel' && chat.id === peer.channelId,
    );
    if (channel?._ !== 'channel') {
      return { kind: 'refused', reason: 'no_channel', detail: 'the name is not a channel’s' };
    }
    const value = {
      id: String(channel.id),
      access: channel.accessHash?.toString() ?? null,
      name: channel.username ?? username,
      title: channel.title,
    };
    return { kind: 'read', value };
  }

  async history(channel: Channel, after: string, limit: number): Promise<Read<HistoryPage>> {
    const count = Math.min(limit, PAGE_POSTS_MAX);
    const last = Number(after);
    const page = await this.#page(channel, last, count);
    if (page.kind !== 'read') return page;
    const posts = postsOf(page.value.messages).filter((post) => Number(post.id) > last);
    const mark = String(page.value.pts);
    // A full page is followed by another in any case. Where one comes short, or has nothing but notes, the answer does
    // not say whether it is the last, so the newest id is asked for: after the page, so that nothing comes between.
    if (posts.length > 0 && page.value.messages.length >= count) {
      return { kind: 'read', value: { posts, newestId: null, mark } };
    }
    const newest = await this.#newest(channel);
    if (newest.kind !== 'read') return newest;
    return { kind: 'read', value: { posts, newestId: newest.value, mark } };
  }

  async changes(channel: Channel, mark: string, limit: number): Promise<Read<Changes>> {
    const found = await this.#ask({
      _: 'updates.getChannelDifference',
      channel: { _: 'inputChannel', ...idOf(channel) },
      filter: { _: 'channelMessagesFilterEmpty' },
      pts: Number(mark),
      limit: Math.min(limit, PAGE_POSTS_MAX),
    });
    return found.kind === 'read' ? changesOf(found.value) : found;
  }

  async byId(channel: Channel, ids: readonly string[]): Promise<Read<readonly ReadPost[]>> {
    const found = await this.#ask({
      _: 'channels.getMessages',
      channel: { _: 'inputChannel', ...idOf(channel) },
      id: ids.map((id) => ({ _: 'inputMessageID', id: Number(id) })),
    });
    if (found.kind !== 'read') return found;
    const messages = messagesOf(found.value);
    return messages.kind === 'read'
      ? { kind: 'read', value: postsOf(messages.value.messages) }
      : messages;
  }

  async download(reference: string, offset: number): Promise<Read<MediaPiece>> {
    const { request, dcId, type } = pieceCall(reference, offset);
    const found = await this.#ask(request, { dcId });
    return found.kind === 'read' ? pieceOf(found.value, type) : found;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    await client?.destroy();
  }

  // The messages right above `last`: towards the newer ones, counted from there.
  async #page(channel: Channel, last: number, count: number): Promise<Read<Messages>> {
    return this.#messages(channel, {
      offsetId: last + 1,
      addOffset: -count,
      limit: count,
      minId: last,
    });
  }

  // null: the answer does not say, which is so where all of the last ones were deleted.
  async #newest(channel: Channel): Promise<Read<string | null>> {
    for (const limit of NEWEST_MESSAGES) {
      const range = { offsetId: 0, addOffset: 0, limit, minId: 0 };
      const found = await this.#messages(channel, range);
      if (found.kind !== 'read') return found;
      const { messages, count } = found.value;
      if (messages.length > 0) return { kind: 'read', value: String(newestOf(messages)) };
      if (count === 0) return { kind: 'read', value: '0' };
    }
    return { kind: 'read', value: null };
  }

  async #messages(channel: Channel, range: MessageRange): Promise<Read<Messages>> {
    const found = await this.#ask({
      _: 'messages.getHistory',
      peer: { _: 'inputPeerChannel', ...idOf(channel) },
      offsetDate: 0,
      maxId: 0,
      hash: Long.ZERO,
      ...range,
    });
    return found.kind === 'read' ? messagesOf(found.value) : found;
  }

  async #ask<Request extends tl.RpcMethod>(
    request: Request,
    options: { readonly dcId?: number } = {},
  ): Promise<Read<tl.RpcCallReturn[Request['_']]>> {
    try {
      const client = await this.#opened();
      const value = await client.call(request, { timeout: this.#callMsMax, ...options });
      return { kind: 'read', value };
    } catch (error) {
      return notRead(error, this.#isConnected);
    }
  }

  async #opened(): Promise<BaseTelegramClient> {
    this.#client ??= this.#open();
    try {
      return await this.#client;
    } catch (error) {
      this.#client = null;
      throw error;
    }
  }

  async #open(): Promise<BaseTelegramClient> {
    const client = await this.#connect();
    client.onConnectionState.add((state) => {
      this.#isConnected = state === 'connected';
    });
    // Each call says what became of it; that the library reconnects is no news.
    client.onError.add(() => {});
    return client;
  }
}

interface MessageRange {
  readonly offsetId: number;
  readonly addOffset: number;
  readonly limit: number;
  readonly minId: number;
}

type Messages = tl.messages.RawChannelMessages;

function messagesOf(found: tl.messages.TypeMessages): Read<Messages> {
  if (found._ === 'messages.channelMessages') return { kind: 'read', value: found };
  return unexpected(found._);
}

function changesOf(found: tl.updates.TypeChannelDifference): Read<Changes> {
  const notBeforeMs = (found.timeout ?? 0) * 1000;
  switch (found._) {
    case 'updates.channelDifferenceEmpty': {
      const mark = String(found.pts);
      const nothing = { posts: [], deleted: [] };
      return {
        kind: 'read',
        value: { kind: 'changes', ...nothing, mark, isLast: true, notBeforeMs },
      };
    }
    case 'updates.channelDifferenceTooLong': {
      const pts = found.dialog._ === 'dialog' ? found.dialog.pts : undefined;
      if (pts === undefined) return unexpected('a dialog without pts');
      return { kind: 'read', value: { kind: 'too_long', mark: String(pts) } };
    }
    case 'updates.channelDifference': {
      const { otherUpdates, newMessages, pts } = found;
      const edited = otherUpdates.filter((update) => update._ === 'updateEditChannelMessage');
      const deleted = otherUpdates.filter((update) => update._ === 'updateDeleteChannelMessages');
      const value: Changes = {
        kind: 'changes',
        posts: postsOf([...newMessages, ...edited.map(({ message }) => message)]),
        deleted: deleted.flatMap(({ messages }) => messages.map(String)),
        mark: String(pts),
        isLast: found.final === true,
        notBeforeMs,
      };
      return { kind: 'read', value };
    }
  }
}

// Of notes alone, the oldest: nothing is known of what is below.
function newestOf(messages: readonly tl.TypeMessage[]): number {
  const posts = messages.filter(({ _ }) => _ === 'message').map(({ id }) => id);
  return posts.length > 0 ? Math.max(...posts) : Math.min(...messages.map(({ id }) => id));
}

function idOf({ id, access }: Channel) {
  return { channelId: Number(id), accessHash: Long.fromString(access ?? '0') };
}

function unexpected(what: string): NotRead {
  return { kind: 'failed', reason: 'server', detail: `unexpected answer: ${what}` };
}
