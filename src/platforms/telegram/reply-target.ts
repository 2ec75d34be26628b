// Which message a call replies to. Parameters come typed (JSON) or as text (query, form).

import { scalarText } from '../../domain/scalar.ts';
import { jsonOrUndefined } from '../../system/json.ts';

// null: none, or one of another chat, which answers nobody here.
export function replyTarget(
  chat: string,
  params: Readonly<Record<string, unknown>>,
): string | null {
  const { reply_parameters: reply, reply_to_message_id: old } = params;
  const fields = typeof reply === 'string' ? parsed(reply) : reply;
  if (typeof fields !== 'object' || fields === null || !('message_id' in fields)) {
    return wholeOf(old);
  }
  // Of a business chat only the id can be named.
  const id = chat.slice(chat.lastIndexOf(':') + 1);
  const isElsewhere = 'chat_id' in fields && scalarText(fields.chat_id) !== id;
  return isElsewhere ? null : wholeOf(fields.message_id);
}

function wholeOf(value: unknown): string | null {
  const isWhole = typeof value === 'string' ? /^\d+$/.test(value) : Number.isSafeInteger(value);
  return isWhole && Number(value) > 0 ? String(Number(value)) : null;
}

function parsed(text: string): unknown {
  return jsonOrUndefined(text) ?? null;
}

// A private chat has the id of its person.
export function personIn(chat: string): string | null {
  return /^\d+$/.test(chat) ? chat : null;
}
