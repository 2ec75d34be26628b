// What Telegram already has need not be sent again: the file_id of each content it took, by bot and kind, the
// latest first. An id belongs to one bot and one kind of media; thumbnails and covers have none. A forgotten id
// costs an upload and nothing else, so they are kept in memory only.

import { scalarText } from '../../domain/scalar.ts';
import { ATTACH, attachedTo, type Files } from '../../domain/upload.ts';
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
const KINDS = [
  ...['photo', 'audio', 'document', 'video', 'animation', 'voice', 'video_note', 'sticker'],
];

// A place in a call where a file may also be named by its id.
interface Place {
  readonly part: string;
  readonly kind: string;
  // Which of the answer's messages shows it.
  readonly message: number;
}

export class FileIds {
  // In order of use: the first is the one that was used longest ago.
  readonly #ids = new Map<string, string>();

  // The call with known files named by their id, and the files that are left.
  reuse(bot: string, params: Params, files: Files): Upload {
    const counts = attachedTo(params);
    const known = new Map<string, string>();
    for (const { part, kind } of placesOf(params)) {
      const file = files[part];
      const id = file === undefined ? undefined : this.#get(keyOf(bot, kind, file.id));
      if (id !== undefined && counts.get(part) === 1) known.set(part, id);
    }
    const rest = Object.entries(files).filter(([part]) => counts.has(part) && !known.has(part));
    const renamed = known.size === 0 ? params : rename(params, known);
    return { params: renamed, files: Object.fromEntries(rest), isReused: known.size > 0 };
  }

  // From the answer to a call that brought the files along.
  learn(bot: string, params: Params, files: Files, result: unknown): void {
    const messages = Array.isArray(result) ? result : [result];
    for (const { part, kind, message } of placesOf(params)) {
      const file = files[part];
      const id = fileIdOf(messages[message], kind);
      if (file === undefined || id === null) continue;
      const key = keyOf(bot, kind, file.id);
      this.#ids.delete(key);
      this.#ids.set(key, id);
    }
    for (const oldest of this.#ids.keys()) {
      if (this.#ids.size <= IDS_MAX) break;
      this.#ids.delete(oldest);
    }
  }

  forget(bot: string, params: Params, files: Files): void {
    for (const { part, kind } of placesOf(params)) {
      const file = files[part];
      if (file !== undefined) this.#ids.delete(keyOf(bot, kind, file.id));
    }
  }

  #get(key: string): string | undefined {
    const id = this.#ids.get(key);
    if (id === undefined) return undefined;
    this.#ids.delete(key);
    this.#ids.set(key, id);
    return id;
  }
}

function keyOf(bot: string, kind: string, content: string): string {
  return `${bot} ${kind} ${content}`;
}

function placesOf(params: Params): Place[] {
  const places: Place[] = [];
  for (const kind of KINDS) {
    const part = attachedPart(params[kind]);
    if (part !== null) places.push({ part, kind, message: 0 });
  }
  for (const [message, item] of mediaOf(params).entries()) {
    const part = attachedPart(item.media);
    const kind = scalarText(item.type);
    if (part !== null && KINDS.includes(kind)) places.push({ part, kind, message });
  }
  return places;
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
