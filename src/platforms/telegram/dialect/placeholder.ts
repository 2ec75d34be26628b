// A message as Telegram would show it, made from the call alone: where the platform has not answered yet, or has
// only said that nothing changed. Client libraries of typed languages want a Message here, so it is one, with no
// more in it than we know.

import type { DescribedCall } from '../../../domain/call.ts';
import { keptText } from '../text/kept-text.ts';

// Ids of supergroups and channels begin here, those of basic groups end before.
const SUPERGROUP_ID_MAX = -1_000_000_000_000;

export function placeholderMessage(
  call: Pick<DescribedCall, 'chat'>,
  params: Readonly<Record<string, unknown>>,
  messageId: number,
  now: number,
): Record<string, unknown> {
  const message = { message_id: messageId, date: Math.floor(now / 1000), chat: chatOf(call.chat) };
  const name = typeof params.text === 'string' ? 'text' : 'caption';
  const kept = keptText(params, name);
  if (kept === null || kept.text === '') return message;
  const { text, entities } = kept;
  const marks = name === 'text' ? 'entities' : 'caption_entities';
  return { ...message, [name]: text, ...(entities.length > 0 && { [marks]: entities }) };
}

function chatOf(chat: string): Record<string, unknown> {
  // Of a business chat what follows its connection.
  const id = Number(chat.slice(chat.lastIndexOf(':') + 1));
  if (!Number.isSafeInteger(id)) return { username: chat.replace(/^@/, ''), type: 'channel' };
  if (id > 0) return { id, type: 'private' };
  return { id, type: id <= SUPERGROUP_ID_MAX ? 'supergroup' : 'group' };
}
