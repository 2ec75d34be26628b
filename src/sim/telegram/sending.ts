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
  topicOf,
} from './act.ts';
import { badRequest, type SimRefusal } from './answers.ts';
import { argOf, isObject, jsonArg, requiredProblem } from './args.ts';
import { chatView, type SimChat } from './chats.ts';
import {
  contentProblem,
  mediaProblem,
  messageIdsProblem,
  messageProblem,
  previewProblem,
  replyProblem,
} from './forms.ts';
import type { SimEntity } from './markup/entities.ts';
import { parsed, richText } from './markup/markup.ts';
import { isWrongFile, sizeOf } from './uploads.ts';

// UTF-16 units, after the markup is taken out.
export const TEXT_UNITS_MAX = 4096;
export const CAPTION_UNITS_MAX = 1024;
const RICH_UNITS_MAX = 32_768;
const ALBUM_ITEMS_MAX = 10;

// A text as it will be shown.
export interface ReadText {
  readonly text: string;
  readonly entities: readonly SimEntity[];
}

export function readText(params: SimParams): ReadText | SimRefusal {
  const rich = richText(params);
  if (rich !== '') {
    return rich.length > RICH_UNITS_MAX
      ? badRequest('RICH_MESSAGE_TEXT_TOO_LONG')
      : { text: rich, entities: [] };
  }
  const preview = previewProblem(params);
  if (preview !== null) return badRequest(preview);
  const raw = argOf(params, 'text');
  if (raw === '') return badRequest('message text is empty');
  const read = parsed(params, raw, 'entities');
  if (read.kind === 'broken') return badRequest(read.why);
  if (isBlank(read.text)) return badRequest('text must be non-empty');
  return read.text.length > TEXT_UNITS_MAX ? badRequest('message is too long') : read;
}

// Signs that show nothing are no text either.
function isBlank(text: string): boolean {
  return /^[\s\u180e\u200b-\u200f\u202e\u2800\ufffc]*$/.test(text);
}

export function readCaption(params: SimParams): ReadText | SimRefusal {
  const read = parsed(params, argOf(params, 'caption'), 'caption_entities');
  if (read.kind === 'broken') return badRequest(read.why);
  return read.text.length > CAPTION_UNITS_MAX ? badRequest('message caption is too long') : read;
}

export function contentOf(params: SimParams, read: ReadText): string {
  const { text, entities } = read;
  const keyboard = JSON.stringify(keyboardOf(params) ?? '');
  return `${text}\n${entities.length === 0 ? '' : JSON.stringify(entities)}${keyboard}`;
}

// The buttons under a message; without any there is no keyboard.
export function keyboardOf(params: SimParams): { inline_keyboard: readonly unknown[] } | null {
  const rows = listOf(objectOf(params, 'reply_markup'), 'inline_keyboard');
  return rows.length === 0 ? null : { inline_keyboard: rows };
}

// One message of `media` ('' for text) with its text or caption.
export function send(scene: Scene, media: string): Planned {
  const { params } = scene;
  const problem = media === '' ? null : contentProblem(params, media);
  if (problem !== null) return no(badRequest(problem));
  const read = media === '' ? readText(params) : readCaption(params);
  if ('status' in read) return no(read);
  const form = messageProblem(params);
  if (form !== null) return no(badRequest(form));
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const wrong = isWrongFile(params[media]) ? WRONG_FILE : null;
  return act({
    chat: to.chat,
    thread: topicOf(scene, to.chat),
    charge: charge(scene, to.chat, 'message', 1),
    backend: to.backend ?? misplaced(scene, to.chat) ?? wrong,
    text: read.text,
    run(at) {
      const message = makeMessage(scene, to.chat, at, media, read);
      return { result: message, messageIds: [to.chat.lastMessageId] };
    },
  });
}

const WRONG_FILE = badRequest('wrong file identifier/HTTP URL specified');

export function makeMessage(
  scene: Scene,
  chat: SimChat,
  at: number,
  media: string,
  { text, entities }: ReadText,
  extra: Readonly<Record<string, unknown>> = {},
  file: unknown = scene.params[media],
): Record<string, unknown> {
  const id = ++chat.lastMessageId;
  const date = Math.floor(at / 1000);
  const thread = topicOf(scene, chat);
  scene.messages.add({
    bot: scene.bot.id,
    chat: chat.id,
    thread,
    id,
    date,
    fromBot: true,
    text,
    entities,
    content: contentOf(scene.params, { text, entities }),
    isDeleted: false,
  });
  const topic =
    thread === null ? {} : { message_thread_id: Number(thread), is_topic_message: true };
  const shown = () => mediaView(media, id, sizeOf(scene.params, file));
  const said = shownText(media === '' ? '' : 'caption', text, entities);
  const body = media === '' ? said : { ...shown(), ...said };
  const from = chat.kind === 'channel' ? {} : { from: scene.bot.view };
  const view = { message_id: id, ...topic, ...from, chat: chatView(chat), date, ...extra, ...body };
  const keyboard = keyboardOf(scene.params);
  return keyboard === null ? view : { ...view, reply_markup: keyboard };
}

// The members of a message that tell its text, or its caption.
export function shownText(
  kind: '' | 'caption',
  text: string,
  entities: readonly SimEntity[],
): Record<string, unknown> {
  if (kind === 'caption' && text === '') return {};
  const [name, marks] = kind === '' ? ['text', 'entities'] : ['caption', 'caption_entities'];
  return entities.length === 0 ? { [name]: text } : { [name]: text, [marks]: entities };
}

function mediaView(media: string, id: number, bytes: number): Record<string, unknown> {
  const file = { file_id: `sim-${media}-${id}`, file_unique_id: `u${id}`, file_size: bytes };
  if (media === 'photo') return { photo: [{ ...file, width: 90, height: 90 }] };
  if (media === 'dice') return { dice: { emoji: '🎲', value: 1 + (id % 6) } };
  return { [media]: file };
}

export function sendAlbum(scene: Scene): Planned {
  const album = readAlbum(scene.params);
  if ('status' in album) return no(album);
  const { items, captions } = album;
  const to = target(scene);
  if (to.kind === 'refused') return to;
  return act({
    chat: to.chat,
    thread: topicOf(scene, to.chat),
    charge: charge(scene, to.chat, 'message', items.length),
    backend: to.backend ?? misplaced(scene, to.chat),
    text: captions.find(({ text }) => text !== '')?.text ?? '',
    brokenItem: 1 + items.findIndex((item) => textOf(item, 'media').startsWith(NOT_MEDIA)),
    run(at, count) {
      const group = { media_group_id: `${to.chat.id}-${to.chat.lastMessageId + 1}` };
      const result = items.slice(0, count).map((item, i) => {
        const media = textOf(item, 'type');
        return makeMessage(scene, to.chat, at, media, captions[i]!, group, item.media);
      });
      return { result, messageIds: result.map((m) => Number(m.message_id)) };
    },
  });
}

// A page that the core finds no medium at.
const NOT_MEDIA = 'https://no-media.invalid/';

function readAlbum(params: SimParams) {
  const form = replyProblem(params) ?? requiredProblem(params, 'media');
  if (form !== null) return badRequest(form);
  const arg = jsonArg(params, 'media');
  if (arg.kind !== 'value') return badRequest("can't parse media JSON object");
  if (!Array.isArray(arg.value)) return badRequest('expected an Array of InputMedia');
  const captions: ReadText[] = [];
  for (const item of arg.value as unknown[]) {
    const read = isObject(item) ? readCaption(item) : null;
    if (read !== null && 'status' in read) return read;
    const problem = mediaProblem(params, item, true);
    if (problem !== null) return badRequest(`can't parse InputMedia: ${problem}`);
    captions.push(read!);
  }
  const items = arg.value.map(asObject);
  if (items.length > ALBUM_ITEMS_MAX) return badRequest('too many messages to send as an album');
  if (items.length === 0) return badRequest('there are no messages to send');
  return { items, captions };
}

// forwardMessage(s) and copyMessage(s). Ids that are not there are skipped in a batch, refused alone.
export function relay(scene: Scene, how: 'forward' | 'copy', isBatch: boolean): Planned {
  const form =
    requiredProblem(scene.params, 'from_chat_id') ??
    (isBatch ? messageIdsProblem(scene.params) : messageProblem(scene.params));
  if (form !== null) return no(badRequest(form));
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const source = { ...scene, params: { chat_id: scene.params.from_chat_id } };
  const from = target(source);
  if (from.kind === 'refused') return from;
  const named = isBatch ? listOf(scene.params, 'message_ids') : [intOf(scene.params, 'message_id')];
  const found = named.map(Number).filter((id) => isThere(source, from.chat, id));
  const gone =
    found.length === 0 ? badRequest(`message to ${isBatch ? 'forward' : how} not found`) : null;
  const readAt = (id: number): ReadText =>
    scene.messages.get(scene.bot.id, from.chat.id, id) ?? { text: '(forgotten)', entities: [] };
  return act({
    chat: to.chat,
    thread: topicOf(scene, to.chat),
    charge: charge(scene, to.chat, 'message', Math.max(1, found.length)),
    backend: to.backend ?? gone ?? misplaced(scene, to.chat),
    text: found.length === 0 ? '' : readAt(found[0]!).text,
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
      const made = found.map((id) => makeMessage(scene, to.chat, at, '', readAt(id), origin));
      const ids = made.map((m) => Number(m.message_id));
      const views = ids.map((message_id) => ({ message_id }));
      if (isBatch) return { result: views, messageIds: ids };
      return { result: how === 'copy' ? views[0] : made[0], messageIds: ids };
    },
  });
}
