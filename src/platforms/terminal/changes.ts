// A message on a screen can be edited and taken back; there are no reactions.

import { scalarText } from '../../domain/scalar.ts';
import type { MessageChange, MessageChanges } from '../changes.ts';

const KINDS: Readonly<Record<string, MessageChange['kind']>> = {
  editMessageText: 'edit',
  deleteMessage: 'delete',
};

export const CHANGES: MessageChanges = {
  read(method, params) {
    const kind = KINDS[method];
    const message = scalarText(params.message_id);
    if (kind === undefined || message === '') return null;
    const { text } = params;
    return { kind, messages: [message], text: typeof text === 'string' ? text : null };
  },
  about: (params, message) => ({ ...params, message_id: Number(message) }),
  make({ kind, text }, message) {
    const message_id = Number(message);
    if (kind === 'delete') return { method: 'deleteMessage', params: { message_id } };
    if (kind !== 'edit' || text === null) return null;
    return { method: 'editMessageText', params: { message_id, text } };
  },
};
