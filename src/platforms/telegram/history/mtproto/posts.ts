// Posts as the port wants them, from messages as the API gives them.

import type { tl } from '@mtcute/core';
import type { MediaReference, ReadPost } from '../../../history.ts';
import { documentReference, photoReference } from './files.ts';

// Notes of the platform and empty places are no posts.
export function postsOf(messages: readonly tl.TypeMessage[]): ReadPost[] {
  return messages
    .filter((message) => message._ === 'message')
    .sort((one, other) => one.id - other.id)
    .map(postOf);
}

function postOf(message: tl.RawMessage): ReadPost {
  // Hidden: something beside the text has changed, such as its reactions.
  const isEdited = message.editDate !== undefined && message.editHide !== true;
  return {
    id: String(message.id),
    date: message.date * 1000,
    editedAt: isEdited ? message.editDate! * 1000 : null,
    text: message.message,
    author: message.postAuthor ?? null,
    groupId: message.groupedId?.toUnsigned().toString() ?? null,
    media: message.media === undefined ? [] : mediaOf(message.media),
  };
}

function mediaOf(media: tl.TypeMessageMedia): MediaReference[] {
  switch (media._) {
    case 'messageMediaEmpty':
    // A preview of a link in the text.
    case 'messageMediaWebPage':
      return [];
    case 'messageMediaPhoto':
      return [photoOf(media.photo)];
    case 'messageMediaDocument':
      return media.document?._ === 'document' ? [documentOf(media.document)] : [];
    default: {
      const kind = media._.replace('messageMedia', '').toLowerCase();
      return [{ kind, name: null, bytes: null, reference: null }];
    }
  }
}

function photoOf(photo: tl.TypePhoto | undefined): MediaReference {
  const nothing = { kind: 'photo', name: null, bytes: null, reference: null };
  if (photo?._ !== 'photo') return nothing;
  const largest = photo.sizes
    .map(sizeOf)
    .filter((size) => size !== null)
    .sort((one, other) => other.bytes - one.bytes)[0];
  if (largest === undefined) return nothing;
  return { ...nothing, bytes: largest.bytes, reference: photoReference(photo, largest.type) };
}

// null: it is no file.
function sizeOf(size: tl.TypePhotoSize): { type: string; bytes: number } | null {
  if (size._ === 'photoSize') return { type: size.type, bytes: size.size };
  if (size._ !== 'photoSizeProgressive') return null;
  return { type: size.type, bytes: Math.max(0, ...size.sizes) };
}

function documentOf(document: tl.RawDocument): MediaReference {
  const { attributes, size } = document;
  const named = attributes.find((each) => each._ === 'documentAttributeFilename');
  return {
    kind: kindOf(attributes),
    name: named?.fileName ?? null,
    bytes: size,
    reference: documentReference(document),
  };
}

function kindOf(attributes: readonly tl.TypeDocumentAttribute[]): string {
  for (const attribute of attributes) {
    switch (attribute._) {
      case 'documentAttributeAnimated':
        return 'animation';
      case 'documentAttributeVideo':
        return attribute.roundMessage === true ? 'video_note' : 'video';
      case 'documentAttributeAudio':
        return attribute.voice === true ? 'voice' : 'audio';
      case 'documentAttributeSticker':
        return 'sticker';
    }
  }
  return 'document';
}
