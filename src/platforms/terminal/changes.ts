// A message on a screen can be edited and taken back; there are no reactions.

import { scalarText } from '../../domain/scalar.ts';
import { changesBy, type MessageChange } from '../changes.ts';

const KINDS: Readonly<Record<string, MessageChange['kind']>> = {
  editMessageText: 'edit',
  deleteMessage: 'delete',
};

export const CHANGES = changesBy({
  kindOf: (method) => KINDS[method] ?? null,
  messagesIn: ({ message_id: id }) => [scalarText(id)].filter((text) => text !== ''),
  idName: () => 'message_id',
  idOf: Number,
  textOf: (_method, { text }) => (typeof text === 'string' ? text : null),
  edit: 'editMessageText',
  remove: 'deleteMessage',
  editOf: (text) => ({ text }),
});
