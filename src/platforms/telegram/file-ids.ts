// What Telegram already has need not be sent again: the file_id of each file it took, the latest first. An id belongs
// to one bot and one kind of media, and brings along what the file was sent with: its name, a title, a thumbnail, a
// length. So an id is used only for a file that is the same in all of it. Thumbnails and covers have no ids. A
// forgotten id costs an upload and nothing else, so they are kept in memory only.

import { hash } from 'node:crypto';
import { ATTACH, attachedTo, type Files } from '../../domain/body.ts';
import { scalarText } from '../../domain/scalar.ts';
import { jsonOrUndefined } from '../../system/json.ts';

type Params = Readonly<Record<string, unknown>>;

export interface Upload {
  readonly params: Params;
  // What must be sent with it.
  readonly files: Files;
  // Something was replaced by an id that Telegram gave.
  readonly isReused: boolean;
}

const IDS_MAX = 10_000;
// The parameter that is the file. Other methods take files that have no id, or must be new (setChatPhoto).
const METHODS: Readonly<Record<string, string>> = {
  sendPhoto: 'photo',
  sendAudio: 'audio',
  sendDocument: 'document',
  sendVideo: 'video',
  sendAnimation: 'animation',
  sendVoice: 'voice',
  sendVideoNote: 'video_note',
  sendSticker: 'sticker',
};
const KINDS = Object.values(METHODS);
// Their `media` is one such file, or several.
const ALBUMS = ['sendMediaGroup', 'sendPaidMedia', 'editMessageMedia'];
// Nobody sees what such a file was called.
const NAMELESS = ['photo', 'voice', 'video_note', 'sticker'];
// Parameters of the message, whatever file it shows. All others are taken for the file's.
const OF_MESSAGE: ReadonlySet<string> = new Set(
  `business_connection_id chat_id message_thread_id direct_messages_topic_id message_id inline_message_id
  ephemeral_message_parameters caption parse_mode caption_entities show_caption_above_media has_spoiler
  disable_notification protect_content allow_paid_broadcast message_effect_id suggested_post_parameters
  reply_parameters reply_to_message_id allow_sending_without_reply reply_markup star_count payload type`
    .trim()
    .split(/\s+/),
);

// A call that may bring files along.
export interface FileCall {
  readonly bot: string;
  readonly method: string;
  readonly params: Params;
  readonly files: Files;
}

// A place in a call where a file may also be named by its id.
interface FileSlot {
  readonly part: string;
  readonly kind: string;
  // Under which its id is known.
  readonly key: string;
  // Which of the answer's messages shows it.
  readonly message: number;
}

export class FileIds {
  // In order of use: the first is the one that was used longest ago.
  readonly #ids = new Map<string, string>();

  // The call with known files named by their id, and the files that are left.
  reuse(call: FileCall): Upload {
    const { params, files } = call;
    const counts = attachedTo(params);
    const known = new Map<string, string>();
    for (const { part, key } of fileSlotsOf(call)) {
      const id = this.#get(key);
      if (id !== undefined && counts.get(part) === 1) known.set(part, id);
    }
    const rest = Object.entries(files).filter(([part]) => counts.has(part) && !known.has(part));
    const renamed = known.size === 0 ? params : rename(params, known);
    return { params: renamed, files: Object.fromEntries(rest), isReused: known.size > 0 };
  }

  // From the answer to a call that brought the files along.
  learn(call: FileCall, result: unknown): void {
    const messages = Array.isArray(result) ? result : [result];
    for (const { kind, key, message } of fileSlotsOf(call)) {
      const id = fileIdOf(messages[message], kind);
      if (id === null) continue;
      this.#ids.delete(key);
      this.#ids.set(key, id);
    }
    for (const oldest of this.#ids.keys()) {
      if (this.#ids.size <= IDS_MAX) break;
      this.#ids.delete(oldest);
    }
  }

  forget(call: FileCall): void {
    for (const { key } of fileSlotsOf(call)) this.#ids.delete(key);
  }

  #get(key: string): string | undefined {
    const id = this.#ids.get(key);
    if (id === undefined) return undefined;
    this.#ids.delete(key);
    this.#ids.set(key, id);
    return id;
  }
}

function fileSlotsOf(call: FileCall): FileSlot[] {
  const { method, params } = call;
  const kind = METHODS[method];
  if (kind !== undefined) return placeOf(call, kind, params, kind, 0);
  if (!ALBUMS.includes(method)) return [];
  return mediaOf(params).flatMap((item, message) =>
    placeOf(call, scalarText(item.type), item, 'media', message),
  );
}

// `named`: the member of `holder` that is the file.
function placeOf(
  { bot, files }: FileCall,
  kind: string,
  holder: Params,
  named: string,
  message: number,
): FileSlot[] {
  const part = attachedPart(holder[named]);
  const file = part === null ? undefined : files[part];
  if (part === null || file === undefined || !KINDS.includes(kind)) return [];
  const shown = NAMELESS.includes(kind) ? [file.id] : [file.id, file.name, file.type];
  const aspects: unknown[] = [bot, kind, ...shown];
  for (const name of Object.keys(holder).toSorted()) {
    const value = holder[name];
    if (name === named || OF_MESSAGE.has(name) || value === null || value === '') continue;
    const other = attachedPart(value);
    aspects.push(name, other === null ? value : files[other]?.id);
  }
  return [{ part, kind, key: hash('sha256', JSON.stringify(aspects), 'base64'), message }];
}

function rename(params: Params, known: ReadonlyMap<string, string>): Params {
  const idOf = (value: unknown) => known.get(attachedPart(value) ?? '') ?? value;
  const renamed: Record<string, unknown> = { ...params };
  for (const kind of KINDS) if (kind in renamed) renamed[kind] = idOf(renamed[kind]);
  const items = mediaOf(params).map((item) => ({ ...item, media: idOf(item.media) }));
  if (items.length > 0) renamed.media = isList(params.media) ? items : items[0];
  return renamed;
}

function attachedPart(value: unknown): string | null {
  return typeof value === 'string' && value.startsWith(ATTACH) ? value.slice(ATTACH.length) : null;
}

// An album, or the one medium of an edit.
function mediaOf(params: Params): Record<string, unknown>[] {
  const media = parsed(params.media);
  const items = Array.isArray(media) ? media : [media];
  return items.filter((item) => typeof item === 'object' && item !== null);
}

function isList(media: unknown): boolean {
  return Array.isArray(parsed(media));
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return jsonOrUndefined(value) ?? null;
}

// Of a photo the largest size, which comes last.
function fileIdOf(message: unknown, kind: string): string | null {
  if (typeof message !== 'object' || message === null) return null;
  const shown = (message as Record<string, unknown>)[kind];
  const file: unknown = Array.isArray(shown) ? shown.at(-1) : shown;
  if (typeof file !== 'object' || file === null || !('file_id' in file)) return null;
  return typeof file.file_id === 'string' ? file.file_id : null;
}
