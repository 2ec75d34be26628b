// Posts of channels as the Bot API tells of them to bots that are admins there: new ones and edited ones, never deleted
// ones. Nothing is believed before it is checked; what is no such post is null.

import type { MediaReference, PushedPost } from '../../history.ts';

type Fields = Readonly<Record<string, unknown>>;

const KINDS = ['channel_post', 'edited_channel_post'];
const FILES = ['video', 'animation', 'document', 'audio', 'voice', 'video_note', 'sticker'];
// They have no file.
const OTHERS = ['poll', 'location', 'contact', 'dice'];

export function postIn(update: unknown): PushedPost | null {
  const fields = objectOf(update);
  const kind = KINDS.find((name) => fields?.[name] !== undefined);
  const post = kind === undefined ? null : objectOf(fields?.[kind]);
  const chat = objectOf(post?.chat);
  if (post === null || chat === null) return null;
  const { message_id: id, date, edit_date: edited } = post;
  if (!isNumber(id) || id <= 0 || !isNumber(date) || !isNumber(chat.id)) return null;
  return {
    channel: { id: String(chat.id), name: textOf(chat.username) },
    post: {
      id: String(id),
      date: date * 1000,
      editedAt: isNumber(edited) ? edited * 1000 : null,
      text: textOf(post.text) ?? textOf(post.caption) ?? '',
      author: textOf(post.author_signature),
      groupId: textOf(post.media_group_id),
      media: mediaOf(post),
    },
  };
}

function mediaOf(post: Fields): MediaReference[] {
  const photos = Array.isArray(post.photo) ? post.photo.map(objectOf) : [];
  // The largest is the last.
  const photo = photos.at(-1) ?? null;
  // An animation is told as a document, too.
  const files = FILES.filter((kind) => kind !== 'document' || post.animation === undefined);
  return [
    ...(photo === null ? [] : [fileOf('photo', photo)]),
    ...files.flatMap((kind) => {
      const file = objectOf(post[kind]);
      return file === null ? [] : [fileOf(kind, file)];
    }),
    ...OTHERS.filter((kind) => objectOf(post[kind]) !== null).map((kind) => ({
      ...{ kind, name: null, bytes: null, reference: null },
    })),
  ];
}

function fileOf(kind: string, file: Fields): MediaReference {
  const bytes = isNumber(file.file_size) ? file.file_size : null;
  return { kind, name: textOf(file.file_name), bytes, reference: textOf(file.file_id) };
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function objectOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null;
}
