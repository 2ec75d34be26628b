// Channels, posts and accounts as objects of the API. Fields that a layer does not know are left out when it is
// written.

import type { SimChannel, SimMedia, SimPost } from '../channel/channel.ts';
import type { DifferenceOf } from '../channel/reading.ts';
import { DC_ID, placeOf } from './files.ts';
import type { TlObject } from './tl/tl.ts';

const PHOTO_SIDE_PX = 800;

export function channelObject(channel: SimChannel): TlObject {
  return {
    _: 'channel',
    broadcast: true,
    left: true,
    id: channel.id,
    access_hash: channel.accessHash,
    title: channel.title,
    username: channel.name,
    photo: { _: 'chatPhotoEmpty' },
    date: seconds(channel.createdAt),
  };
}

export function postObject(channel: SimChannel, post: SimPost): TlObject {
  const { id, date, editedAt, text, author, groupId, media, isService } = post;
  const peer = { _: 'peerChannel', channel_id: channel.id };
  const common = { post: true, id, peer_id: peer, date: seconds(date) };
  if (isService) {
    const action = { _: 'messageActionChannelCreate', title: channel.title };
    return { _: 'messageService', ...common, action };
  }
  return {
    _: 'message',
    ...common,
    message: text,
    edit_date: editedAt === null ? null : seconds(editedAt),
    post_author: author,
    grouped_id: groupId,
    media: media === null ? null : mediaObject(media, channel, post),
  };
}

function mediaObject(
  { kind, name, bytes }: SimMedia,
  channel: SimChannel,
  post: SimPost,
): TlObject {
  const common = { ...placeOf(channel, post), date: seconds(post.date) };
  if (kind === 'photo') {
    const size = { type: 'x', w: PHOTO_SIDE_PX, h: PHOTO_SIDE_PX, size: bytes };
    const photo = { _: 'photo', ...common, sizes: [{ _: 'photoSize', ...size }] };
    return { _: 'messageMediaPhoto', photo };
  }
  const video = { _: 'documentAttributeVideo', duration: 1, w: PHOTO_SIDE_PX, h: PHOTO_SIDE_PX };
  const attributes = [
    ...(kind === 'video' ? [video] : []),
    ...(name === null ? [] : [{ _: 'documentAttributeFilename', file_name: name }]),
  ];
  const mime = kind === 'video' ? 'video/mp4' : 'application/octet-stream';
  const size = BigInt(bytes);
  const document = { _: 'document', ...common, mime_type: mime, size, attributes };
  return { _: 'messageMediaDocument', document };
}

export function pageObject(channel: SimChannel, messages: readonly TlObject[]): TlObject {
  return {
    _: 'messages.channelMessages',
    pts: channel.pts,
    count: channel.count,
    messages,
    topics: [],
    chats: [channelObject(channel)],
    users: [],
  };
}

export function differenceObject(
  channel: SimChannel,
  difference: DifferenceOf,
  timeoutS: number,
): TlObject {
  const { pts } = difference;
  const timeout = timeoutS === 0 ? null : timeoutS;
  const about = { chats: [channelObject(channel)], users: [] };
  switch (difference.kind) {
    case 'empty':
      return { _: 'updates.channelDifferenceEmpty', final: true, pts, timeout };
    case 'too_long': {
      const dialog = dialogObject(channel);
      const head = { final: true, timeout, dialog, messages: [] };
      return { _: 'updates.channelDifferenceTooLong', ...head, ...about };
    }
    case 'difference': {
      const edited = difference.edited.map(({ post, pts }) => ({
        _: 'updateEditChannelMessage',
        message: postObject(channel, post),
        pts,
        pts_count: 1,
      }));
      const deleted = difference.deleted.map(({ ids, pts }) => ({
        _: 'updateDeleteChannelMessages',
        channel_id: channel.id,
        messages: ids,
        pts,
        pts_count: ids.length,
      }));
      return {
        _: 'updates.channelDifference',
        final: difference.isFinal,
        pts,
        timeout,
        new_messages: difference.posted.map((post) => postObject(channel, post)),
        other_updates: [...edited, ...deleted],
        ...about,
      };
    }
  }
}

function dialogObject(channel: SimChannel): TlObject {
  return {
    _: 'dialog',
    peer: { _: 'peerChannel', channel_id: channel.id },
    top_message: channel.lastId,
    read_inbox_max_id: 0,
    read_outbox_max_id: 0,
    unread_count: 0,
    unread_mentions_count: 0,
    unread_reactions_count: 0,
    unread_poll_votes_count: 0,
    notify_settings: { _: 'peerNotifySettings' },
    pts: channel.pts,
  };
}

export function userObject(user: { readonly id: bigint; readonly phone: string }): TlObject {
  const { id, phone } = user;
  return { _: 'user', self: true, id, access_hash: id * 3n, first_name: 'Simulated', phone };
}

// The same numbers for everyone; what a client could take from it is the address.
export function configObject(host: string, port: number, nowS: number): TlObject {
  return {
    _: 'config',
    date: nowS,
    expires: nowS + 3600,
    test_mode: false,
    this_dc: DC_ID,
    dc_options: [{ _: 'dcOption', static: true, id: DC_ID, ip_address: host, port }],
    dc_txt_domain_name: '',
    chat_size_max: 200,
    megagroup_size_max: 200_000,
    forwarded_count_max: 100,
    online_update_period_ms: 210_000,
    offline_blur_timeout_ms: 5000,
    offline_idle_timeout_ms: 30_000,
    online_cloud_timeout_ms: 300_000,
    notify_cloud_delay_ms: 30_000,
    notify_default_delay_ms: 1500,
    push_chat_period_ms: 60_000,
    push_chat_limit: 2,
    saved_gifs_limit: 200,
    edit_time_limit: 172_800,
    revoke_time_limit: 172_800,
    revoke_pm_time_limit: 172_800,
    rating_e_decay: 2_419_200,
    stickers_recent_limit: 200,
    stickers_faved_limit: 5,
    channels_read_media_period: 604_800,
    pinned_dialogs_count_max: 5,
    pinned_infolder_count_max: 100,
    call_receive_timeout_ms: 20_000,
    call_ring_timeout_ms: 90_000,
    call_connect_timeout_ms: 30_000,
    call_packet_timeout_ms: 10_000,
    me_url_prefix: 'https://t.me/',
    caption_length_max: 1024,
    message_length_max: 4096,
    webfile_dc_id: DC_ID,
  };
}

export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
