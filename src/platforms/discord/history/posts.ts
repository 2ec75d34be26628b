// A message of Discord as a post: who wrote what and when, and its files. Notes of the platform (somebody has joined,
// something was pinned) take ids as messages do, and are no posts. Everything is checked: it comes from outside.

import { isDecimalId } from '../../../domain/decimal-id.ts';
import type { MediaReference, ReadPost } from '../../history.ts';

// Written by somebody: a message, an answer to one, and what a command has said.
const WRITTEN = [0, 19, 20, 23];
// Discord itself takes 4,000 in the text and 6,000 in the embeds.
const TEXT_CHARS_MAX = 20_000;
const NAME_CHARS_MAX = 256;
const MEDIA_MAX = 20;

// An id is the time it was made at, in ms since 2015, above 22 bits that count.
const EPOCH_MS = 1_420_070_400_000;
const COUNTED_BITS = 22n;

type Fields = Readonly<Record<string, unknown>>;

export function dateOf(id: string): number {
  return Number(BigInt(id) >> COUNTED_BITS) + EPOCH_MS;
}

// null: it is no message of Discord's.
export function idIn(message: unknown): string | null {
  const { id } = fieldsOf(message);
  return typeof id === 'string' && isDecimalId(id) ? id : null;
}

// null: nobody wrote it.
export function postIn(message: unknown): ReadPost | null {
  const fields = fieldsOf(message);
  const id = idIn(message);
  if (id === null || !WRITTEN.includes(Number(fields.type ?? 0))) return null;
  // What is passed on from elsewhere stands in a copy.
  const copies = listOf(fields.message_snapshots).map((each) => fieldsOf(fieldsOf(each).message));
  const parts = [fields, ...copies];
  const media = parts.flatMap(({ attachments }) => listOf(attachments).map(mediaIn));
  return {
    id,
    date: dateOf(id),
    editedAt: timeOf(fields.edited_timestamp),
    text: parts.flatMap(wordsOf).join('\n').slice(0, TEXT_CHARS_MAX),
    author: authorOf(fieldsOf(fields.author)),
    groupId: null,
    media: media.slice(0, MEDIA_MAX),
  };
}

// The text, and what its sender has put into embeds; those that Discord makes of links come and go by themselves.
function wordsOf({ content, embeds }: Fields): string[] {
  const made = listOf(embeds)
    .map(fieldsOf)
    .filter(({ type }) => type === undefined || type === 'rich');
  const said = made.flatMap(({ title, description, fields }) => [
    title,
    description,
    ...listOf(fields)
      .map(fieldsOf)
      .flatMap(({ name, value }) => [name, value]),
  ]);
  return [content, ...said].filter(
    (each): each is string => typeof each === 'string' && each !== '',
  );
}

function authorOf({ global_name: shown, username }: Fields): string | null {
  const name = [shown, username].find((each) => typeof each === 'string' && each !== '');
  return name === undefined ? null : String(name).slice(0, NAME_CHARS_MAX);
}

function mediaIn(attachment: unknown): MediaReference {
  const { content_type: type, filename, size, url } = fieldsOf(attachment);
  const kind = /^(image|video|audio)\//.exec(typeof type === 'string' ? type : '')?.[1];
  return {
    kind: kind ?? 'file',
    name: typeof filename === 'string' ? filename.slice(0, NAME_CHARS_MAX) : null,
    bytes: typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : null,
    reference: typeof url === 'string' ? url : null,
  };
}

function timeOf(text: unknown): number | null {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
