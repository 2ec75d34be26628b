// Methods that put new messages into a chat. Each checks what the server itself can see (sizes, markup),
// names its cost, and makes the messages when flood control has let them in.

import { asObject, intOf, listOf, objectOf, type SimParams, textOf } from '../params.ts';
import {
  act,
  charge,
  type Done,
  isThere,
  misplaced,
  no,
  type Planned,
  type Scene,
  target,
  threadOf,
} from './act.ts';
import { badRequest, type SimRefusal } from './answers.ts';
import { chatView, type SimChat } from './chats.ts';
import { parsed, richText } from './markup.ts';

// UTF-16 units, after the markup is taken out; raw bytes before.
export const TEXT_UNITS_MAX = 4096;
export const CAPTION_UNITS_MAX = 1024;
export const TEXT_BYTES_MAX = 32_768;
export const RICH_UNITS_MAX = 32_768;
const ALBUM_ITEMS_MAX = 10;
const BATCH_IDS_MAX = 100;
const ATTACHED = 'attach://';
const FILE_BYTES = 1024;
// A part with a file, as it is read from a body: its name and its size.
const UPLOADED = /^file:.*:(\d+)$/;

export function readText(params: SimParams): { text: string } | SimRefusal {
  const rich = richText(params);
  if (rich !== '') {
    return rich.length > RICH_UNITS_MAX ? badRequest('RICH_MESSAGE_TEXT_TOO_LONG') : { text: rich };
  }
  const raw = textOf(params, 'text');
  if (Buffer.byteLength(raw) > TEXT_BYTES_MAX) return badRequest('text is too long');
  const read = parsed(params, raw, 'entities');
  if (read.kind === 'broken') return badRequest(read.why);
  if (read.text.trim() === '') return badRequest('message text is empty');
  return read.text.length > TEXT_UNITS_MAX ? badRequest('message is too long') : read;
}

export function readCaption(params: SimParams): { text: string } | SimRefusal {
  const read = parsed(params, textOf(params, 'caption'), 'caption_entities');
  if (read.kind === 'broken') return badRequest(read.why);
  return read.text.length > CAPTION_UNITS_MAX ? badRequest('message caption is too long') : read;
}

export function contentOf(params: SimParams, text: string): string {
  return `${text}\n${JSON.stringify(keyboardOf(params) ?? '')}`;
}

// The buttons under a message; without any there is no keyboard.
export function keyboardOf(params: SimParams): { inline_keyboard: readonly unknown[] } | null {
  const rows = listOf(objectOf(params, 'reply_markup'), 'inline_keyboard');
  return rows.length === 0 ? null : { inline_keyboard: rows };
}

// One message of `media` ('' for text) with its text or caption.
export function send(scene: Scene, media: string): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  if (media !== '' && !hasMedia(scene.params, media)) {
    return no(badRequest(`there is no ${media.replace('_', ' ')} in the request`));
  }
  if (media === 'paid_media' && !listOf(scene.params, 'media').every((m) => isItem(scene, m))) {
    return no(badRequest("can't parse InputPaidMedia: media not found"));
  }
  const read = media === '' ? readText(scene.params) : readCaption(scene.params);
  if ('status' in read) return no(read);
  return act({
    chat: to.chat,
    thread: threadOf(scene.params),
    charge: charge(scene, to.chat, 'message', 1),
    backend: to.backend ?? misplaced(scene, to.chat),
    text: read.text,
    run(at) {
      const message = makeMessage(scene, to.chat, at, media, read.text);
      return { result: message, messageIds: [to.chat.lastMessageId] };
    },
  });
}

// Media without a field of their own (a dice, a game) need nothing.
const FREE_MEDIA = new Set(['dice', 'paid_media', 'checklist', 'invoice', 'game', 'story']);

function hasMedia(params: SimParams, media: string): boolean {
  const value = media === 'location' || media === 'venue' ? params.latitude : params[media];
  if (media === 'contact') return textOf(params, 'phone_number') !== '';
  if (media === 'poll') return textOf(params, 'question') !== '';
  return FREE_MEDIA.has(media) || isFile(params, value);
}

// An id, a URL, a part; a part that is referred to must have come along, and be a file.
function isFile(params: SimParams, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (typeof value !== 'string' || !value.startsWith(ATTACHED)) return true;
  return UPLOADED.test(textOf(params, value.slice(ATTACHED.length)));
}

export function isItem(scene: Scene, item: unknown): boolean {
  return isFile(scene.params, asObject(item).media);
}

export function makeMessage(
  scene: Scene,
  chat: SimChat,
  at: number,
  media: string,
  text: string,
  extra: Readonly<Record<string, unknown>> = {},
  file: unknown = scene.params[media],
): Record<string, unknown> {
  const id = ++chat.lastMessageId;
  const date = Math.floor(at / 1000);
  const thread = threadOf(scene.params);
  scene.messages.add({
    bot: scene.bot.id,
    chat: chat.id,
    thread,
    id,
    date,
    fromBot: true,
    text,
    content: contentOf(scene.params, text),
    isDeleted: false,
  });
  const topic =
    thread === null ? {} : { message_thread_id: Number(thread), is_topic_message: true };
  const shown = () => mediaView(media, id, sizeOf(scene.params, file));
  const body = media === '' ? { text } : { ...shown(), ...(text && { caption: text }) };
  const from = chat.kind === 'channel' ? {} : { from: scene.bot.view };
  const view = { message_id: id, ...topic, ...from, chat: chatView(chat), date, ...extra, ...body };
  const keyboard = keyboardOf(scene.params);
  return keyboard === null ? view : { ...view, reply_markup: keyboard };
}

// Of an upload its own, of anything else the simulator knows no better.
function sizeOf(params: SimParams, file: unknown): number {
  const value =
    typeof file === 'string' && file.startsWith(ATTACHED)
      ? params[file.slice(ATTACHED.length)]
      : file;
  const uploaded = typeof value === 'string' ? UPLOADED.exec(value)?.[1] : undefined;
  return uploaded === undefined ? FILE_BYTES : Number(uploaded);
}

function mediaView(media: string, id: number, bytes: number): Record<string, unknown> {
  const file = { file_id: `sim-${media}-${id}`, file_unique_id: `u${id}`, file_size: bytes };
  if (media === 'photo') return { photo: [{ ...file, width: 90, height: 90 }] };
  if (media === 'dice') return { dice: { emoji: '🎲', value: 1 + (id % 6) } };
  return { [media]: file };
}

export function sendAlbum(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const items = listOf(scene.params, 'media').map(asObject);
  if (items.length === 0) return no(badRequest('there are no messages to send'));
  if (items.length > ALBUM_ITEMS_MAX) {
    return no(badRequest('too many messages to send as an album'));
  }
  const captions: string[] = [];
  for (const item of items) {
    // An empty one is a file that the core chokes on.
    if (textOf(item, 'media') !== '' && !isFile(scene.params, item.media)) {
      return no(badRequest("can't parse InputMedia: media not found"));
    }
    const read = readCaption(item);
    if ('status' in read) return no(read);
    captions.push(read.text);
  }
  return act({
    chat: to.chat,
    thread: threadOf(scene.params),
    charge: charge(scene, to.chat, 'message', items.length),
    backend: to.backend ?? misplaced(scene, to.chat),
    text: captions.find((c) => c !== '') ?? '',
    brokenItem: 1 + items.findIndex((item) => textOf(item, 'media') === ''),
    run(at, count) {
      const group = { media_group_id: `${to.chat.id}-${to.chat.lastMessageId + 1}` };
      const result = items.slice(0, count).map((item, i) => {
        const media = textOf(item, 'type') || 'photo';
        return makeMessage(scene, to.chat, at, media, captions[i]!, group, item.media);
      });
      return { result, messageIds: result.map((m) => Number(m.message_id)) };
    },
  });
}

// forwardMessage(s) and copyMessage(s). Ids that are not there are skipped in a batch, refused alone.
export function relay(scene: Scene, how: 'forward' | 'copy', isBatch: boolean): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const source = { ...scene, params: { chat_id: scene.params.from_chat_id } };
  const from = target(source);
  if (from.kind === 'refused') return from;
  const named = isBatch ? listOf(scene.params, 'message_ids') : [intOf(scene.params, 'message_id')];
  if (named.length === 0 || named.length > BATCH_IDS_MAX) {
    return no(badRequest('message identifiers are not specified or too many'));
  }
  const found = named.map(Number).filter((id) => isThere(source, from.chat, id));
  const gone = found.length === 0 ? badRequest(`message to ${how} not found`) : null;
  const textAt = (id: number) =>
    scene.messages.get(scene.bot.id, from.chat.id, id)?.text ?? '(forgotten)';
  return act({
    chat: to.chat,
    thread: threadOf(scene.params),
    charge: charge(scene, to.chat, 'message', Math.max(1, found.length)),
    backend: to.backend ?? gone ?? misplaced(scene, to.chat),
    text: found.length === 0 ? '' : textAt(found[0]!),
    run(at): Done {
      const origin =
        how === 'forward'
          ? {
              forward_origin: {
                type: 'chat',
                date: Math.floor(at / 1000),
                sender_chat: chatView(from.chat),
              },
            }
          : {};
      const made = found.map((id) => makeMessage(scene, to.chat, at, '', textAt(id), origin));
      const ids = made.map((m) => Number(m.message_id));
      const views = ids.map((message_id) => ({ message_id }));
      if (isBatch) return { result: views, messageIds: ids };
      return { result: how === 'copy' ? views[0] : made[0], messageIds: ids };
    },
  });
}
