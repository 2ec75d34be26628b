// Posts as the port wants them, from messages as the API gives them.

import type { tl } from '@mtcute/core';
import type { MediaReference, ReadPost } from '../../history.ts';

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

// A reference to a file expires within hours, so none is kept: who wants the file reads the post again.
function mediaOf(media: tl.TypeMessageMedia): MediaReference[] {
  switch (media._) {
    case 'messageMediaEmpty':
    // A preview of a link in the text.
    case 'messageMediaWebPage':
      return [];
    case 'messageMediaPhoto':
      return [{ kind: 'photo', name: null, bytes: photoBytes(media.photo), reference: null }];
    case 'messageMediaDocument':
      return media.document?._ === 'document' ? [documentOf(media.document)] : [];
    default: {
      const kind = media._.replace('messageMedia', '').toLowerCase();
      return [{ kind, name: null, bytes: null, reference: null }];
    }
  }
}

function photoBytes(photo: tl.TypePhoto | undefined): number | null {
  if (photo?._ !== 'photo') return null;
  const sizes = photo.sizes.map((size) => {
    if (size._ === 'photoSize') return size.size;
    return size._ === 'photoSizeProgressive' ? Math.max(0, ...size.sizes) : 0;
  });
  return Math.max(0, ...sizes) || null;
}

function documentOf({ attributes, size }: tl.RawDocument): MediaReference {
  const named = attributes.find((each) => each._ === 'documentAttributeFilename');
  return {
    kind: kindOf(attributes),
    name: named?.fileName ?? null,
    bytes: size,
    reference: null,
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
