// What a new message says in plain words, for observers on other platforms.

import { fieldsOf } from '../../domain/scalar.ts';
import type { WhatsappParams } from './describe.ts';

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'];

// null: it cannot be put in words.
export function wording(_method: string, params: WhatsappParams): string | null {
  const type = typeof params.type === 'string' ? params.type : 'text';
  const content = fieldsOf(params[type]);
  switch (type) {
    case 'text':
      return textOf(content.body);
    case 'interactive':
      return textOf(fieldsOf(content.body).text);
    case 'template':
      return textOf(content.name) === null ? null : `[template ${content.name}]`;
    case 'location':
      return (
        [content.name, content.address].map(textOf).find((text) => text !== null) ?? '[location]'
      );
    case 'contacts':
      return '[contacts]';
    default: {
      if (!MEDIA.includes(type)) return null;
      const caption = textOf(content.caption);
      return caption === null ? `[${type}]` : `[${type}] ${caption}`;
    }
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
