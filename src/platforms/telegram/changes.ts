// What a call changes in which message, and the calls that make a change of another platform here.

import { scalarText } from '../../domain/scalar.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { ChangeCall, MessageChange, MessageChanges } from '../changes.ts';
import type { BotApiParams } from './describe.ts';
import { deliveryMethod } from './methods.ts';
import { plainText } from './text/wording.ts';

// Messages of an album; they are numbered one after the other.
const ALBUM_MAX = 10;
const KINDS: readonly string[] = ['edit', 'delete', 'reaction'] satisfies MessageChange['kind'][];

export const CHANGES: MessageChanges = {
  read(method, params) {
    const { family } = deliveryMethod(method);
    const messages = messagesOf(params);
    if (!isKind(family) || messages.length === 0) return null;
    return { kind: family, messages, text: textOf(method, params) };
  },
  about: (params, message) => ({ ...params, message_id: Number(message) }),
  make({ kind, text }, message): ChangeCall | null {
    const message_id = Number(message);
    if (kind === 'delete') return { method: 'deleteMessage', params: { message_id } };
    if (kind !== 'edit' || text === null) return null;
    return { method: 'editMessageText', params: { message_id, text } };
  },
  albums: {
    firstsOf(message) {
      const before = Array.from({ length: ALBUM_MAX - 1 }, (_, n) => Number(message) - n - 1);
      return before.filter((id) => id > 0).map(String);
    },
    holds(result, message) {
      const answer = jsonOrUndefined(result) as { result?: unknown } | null | undefined;
      if (!Array.isArray(answer?.result)) return false;
      return answer.result.some((made) => scalarText(made?.message_id) === message);
    },
  },
};

function isKind(family: string): family is MessageChange['kind'] {
  return KINDS.includes(family);
}

// An inline message has no chat, and one that only some see no copies.
function messagesOf(params: BotApiParams): string[] {
  const { inline_message_id: inline, ephemeral_message_id: ephemeral, message_ids: many } = params;
  if (scalarText(inline) !== '' || scalarText(ephemeral) !== '') return [];
  const listed: unknown = typeof many === 'string' ? jsonOrUndefined(many) : many;
  const ids: unknown[] = Array.isArray(listed) ? listed : [params.message_id];
  return ids.map(scalarText).filter((id) => id !== '');
}

function textOf(method: string, params: BotApiParams): string | null {
  const { text, caption } = params;
  if (method === 'editMessageText' && typeof text === 'string') return plainText(params, text);
  if (method !== 'editMessageCaption' || typeof caption !== 'string') return null;
  return plainText({ ...params, entities: params.caption_entities }, caption);
}
