// What the bodies of messages must say, by their type, and what a reader would see of them.

import { objectOf, type SimParams, textOf } from '../params.ts';
import { ERRORS, invalid, missing, type SimGraphError } from './errors.ts';

export const TEXT_CHARS_MAX = 4096;
const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'];
const TYPES = [
  ...['text', 'template', 'interactive', 'reaction', 'location', 'contacts'],
  ...MEDIA,
];

export function typeOf(params: SimParams): string {
  return textOf(params, 'type') || 'text';
}

// A phone number, or an id of the business's own for who shows none; the number counts where both are given.
export function recipientOf(params: SimParams): string {
  return textOf(params, 'to') || textOf(params, 'recipient');
}

// null: it can be sent.
export function troubleOf(params: SimParams): SimGraphError | null {
  if (params.messaging_product !== 'whatsapp') return missing('messaging_product');
  if (recipientOf(params) === '') return missing('to');
  const type = typeOf(params);
  if (!TYPES.includes(type)) return ERRORS.unknownType;
  if (type === 'contacts') return Array.isArray(params.contacts) ? null : missing('contacts');
  const content = objectOf(params, type);
  if (Object.keys(content).length === 0) return missing(type);
  switch (type) {
    case 'text': {
      const body = textOf(content, 'body');
      if (body === '') return missing('text.body');
      return [...body].length > TEXT_CHARS_MAX
        ? invalid(`Param text['body'] must be at most ${TEXT_CHARS_MAX} characters long.`)
        : null;
    }
    case 'template':
      if (textOf(content, 'name') === '') return missing('template.name');
      return textOf(objectOf(content, 'language'), 'code') === ''
        ? missing('template.language.code')
        : null;
    case 'reaction':
      return textOf(content, 'message_id') === '' ? missing('reaction.message_id') : null;
    case 'location':
      return textOf(content, 'latitude') === '' ? missing('location.latitude') : null;
    default:
      if (!MEDIA.includes(type)) return null;
      return textOf(content, 'id') === '' && textOf(content, 'link') === ''
        ? missing(`${type}.id or ${type}.link`)
        : null;
  }
}

// What a reader sees.
export function shownOf(params: SimParams): string {
  const type = typeOf(params);
  const content = objectOf(params, type);
  switch (type) {
    case 'text':
      return textOf(content, 'body');
    case 'template':
      return `[template ${textOf(content, 'name')}]`;
    case 'reaction':
      return textOf(content, 'emoji');
    case 'interactive':
      return textOf(objectOf(content, 'body'), 'text');
    default: {
      const caption = textOf(content, 'caption');
      return caption === '' ? `[${type}]` : `[${type}] ${caption}`;
    }
  }
}
