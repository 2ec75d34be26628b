// The methods of the API that a reader of channels calls, one function each. What is refused is thrown, in the
// platform's own words.

import { randomBytes } from 'node:crypto';
import type { SimChannel } from '../channel/channel.ts';
import { differenceOf, historyOf } from '../channel/reading.ts';
import type { KeyHolder, SimAccounts } from './accounts.ts';
import { intOf, longOf, objectIn, objectsIn, RpcRefusal, textOf } from './fields.ts';
import { filePiece } from './files.ts';
import {
  channelObject,
  configObject,
  differenceObject,
  pageObject,
  postObject,
  seconds,
} from './objects.ts';
import type { TlObject, TlValue } from './tl/tl.ts';

export interface MethodOptions {
  // The application that may log in; null: any.
  readonly api: { readonly id: number; readonly hash: string } | null;
  // Ids of deleted posts take places of a page, so that it comes short.
  readonly countsDeleted: boolean;
  // More changes than this are not told: the reader has to read again.
  readonly tooLongAbove: number;
  // How long a reader is asked to wait before it asks for changes again; 0: nothing is said.
  readonly differenceTimeoutS: number;
  // How long one has to wait before an export may begin; 0: it may at once.
  readonly takeoutDelayS: number;
}

export interface MethodState {
  readonly options: MethodOptions;
  readonly accounts: SimAccounts;
  readonly channels: Map<bigint, SimChannel>;
  // Exports that were begun and not finished.
  readonly takeouts: Set<bigint>;
  address: { readonly host: string; readonly port: number };
}

export interface MethodCall {
  readonly call: TlObject;
  readonly holder: KeyHolder;
  readonly now: number;
  // How many posts a page may have, where a fault makes it short.
  readonly pageMax: number;
}

export type ApiMethod = (state: MethodState, made: MethodCall) => TlValue;

export const PAGE_MAX = 100;
const NAME = /^[a-z]\w{3,31}$/i;

// What may be called before anyone has logged in.
export const OPEN_METHODS: Readonly<Record<string, ApiMethod>> = {
  'help.getConfig': ({ address }, { now }) =>
    configObject(address.host, address.port, seconds(now)),
  'help.getNearestDc': () => ({ _: 'nearestDc', country: 'ZZ', this_dc: 2, nearest_dc: 2 }),
  'auth.sendCode'({ options, accounts }, { holder, call }) {
    const { api } = options;
    const isKnown = intOf(call, 'api_id') === api?.id && textOf(call, 'api_hash') === api.hash;
    if (api !== null && !isKnown) throw new RpcRefusal(400, 'API_ID_INVALID');
    return accounts.sendCode(holder, call);
  },
  'auth.signIn': ({ accounts }, { holder, call }) => accounts.signIn(holder, call),
  'auth.checkPassword': ({ accounts }, { holder, call }) => accounts.checkPassword(holder, call),
  'auth.logOut': ({ accounts }, { holder }) => accounts.leave(holder),
  'account.getPassword': ({ accounts }, { holder }) => accounts.password(holder),
};

export const METHODS: Readonly<Record<string, ApiMethod>> = {
  'users.getUsers': ({ accounts }, { holder, call }) =>
    objectsIn(call, 'id').map((user) =>
      user._ === 'inputUserSelf' ? accounts.user(holder) : { _: 'userEmpty', id: 0n },
    ),
  'updates.getState': (_, { now }) => {
    const nothing = { pts: 1, qts: 0, seq: 0, unread_count: 0 };
    return { _: 'updates.state', ...nothing, date: seconds(now) };
  },
  'contacts.resolveUsername'({ channels }, { call }) {
    const name = textOf(call, 'username');
    if (!NAME.test(name)) throw new RpcRefusal(400, 'USERNAME_INVALID');
    const found = [...channels.values()].find(
      (channel) => channel.name.toLowerCase() === name.toLowerCase(),
    );
    if (found === undefined) throw new RpcRefusal(400, 'USERNAME_NOT_OCCUPIED');
    const peer = { _: 'peerChannel', channel_id: found.id };
    return { _: 'contacts.resolvedPeer', peer, chats: [channelObject(found)], users: [] };
  },
  'channels.getChannels': (state, { call }) => ({
    _: 'messages.chats',
    chats: objectsIn(call, 'id').map((input) => channelObject(channelOf(state, input))),
  }),
  'messages.getHistory'(state, { call, pageMax }) {
    const channel = channelOf(state, objectIn(call, 'peer'));
    const query = {
      offsetId: intOf(call, 'offset_id'),
      addOffset: intOf(call, 'add_offset'),
      limit: Math.min(intOf(call, 'limit'), PAGE_MAX),
      maxId: intOf(call, 'max_id'),
      minId: intOf(call, 'min_id'),
    };
    const posts = historyOf(channel, query, state.options.countsDeleted);
    // A short page has those that are nearest to where it was asked from.
    const kept = query.addOffset < 0 ? posts.slice(-pageMax) : posts.slice(0, pageMax);
    const shown = pageMax === 0 ? [] : kept;
    return pageObject(
      channel,
      shown.map((post) => postObject(channel, post)),
    );
  },
  'channels.getMessages'(state, { call }) {
    const channel = channelOf(state, objectIn(call, 'channel'));
    const messages = objectsIn(call, 'id').map((input) => {
      const id = intOf(input, 'id');
      const post = channel.get(id);
      return post === null ? { _: 'messageEmpty', id } : postObject(channel, post);
    });
    return pageObject(channel, messages);
  },
  'updates.getChannelDifference'(state, { call }) {
    const channel = channelOf(state, objectIn(call, 'channel'));
    const since = intOf(call, 'pts');
    const limit = intOf(call, 'limit');
    if (since <= 0) throw new RpcRefusal(400, 'PERSISTENT_TIMESTAMP_EMPTY');
    if (since > channel.pts) throw new RpcRefusal(400, 'PERSISTENT_TIMESTAMP_INVALID');
    if (limit <= 0) throw new RpcRefusal(400, 'LIMIT_INVALID');
    const { tooLongAbove, differenceTimeoutS } = state.options;
    const difference = differenceOf(channel, since, limit, tooLongAbove);
    return differenceObject(channel, difference, differenceTimeoutS);
  },
  'upload.getFile': ({ channels }, { call }) => filePiece(channels, call),
  'account.initTakeoutSession'({ options, takeouts }) {
    const { takeoutDelayS } = options;
    if (takeoutDelayS > 0) throw new RpcRefusal(420, `TAKEOUT_INIT_DELAY_${takeoutDelayS}`);
    const id = randomBytes(8).readBigInt64LE();
    takeouts.add(id);
    return { _: 'account.takeout', id };
  },
  'account.finishTakeoutSession': () => true,
};

function channelOf({ channels }: MethodState, input: TlObject): SimChannel {
  if (input._ !== 'inputPeerChannel' && input._ !== 'inputChannel') {
    throw new RpcRefusal(400, 'PEER_ID_INVALID');
  }
  const channel = channels.get(longOf(input, 'channel_id'));
  if (channel === undefined || channel.accessHash !== longOf(input, 'access_hash')) {
    throw new RpcRefusal(400, 'CHANNEL_INVALID');
  }
  if (channel.isPrivate) throw new RpcRefusal(400, 'CHANNEL_PRIVATE');
  return channel;
}
