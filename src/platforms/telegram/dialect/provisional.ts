// The answer to a caller who does not wait: messages that do not exist yet. Their ids may be used in later calls
// (edit, delete, reply, pin, react); the road puts the real ones in when it knows them.

import type { DescribedCall } from '../../../domain/call.ts';
import { provisionalId } from '../../../domain/ids.ts';
import { scalarNumber } from '../../../domain/scalar.ts';
import { keptText } from '../text/kept-text.ts';
import { placeholderMessage } from './placeholder.ts';

type Params = Readonly<Record<string, unknown>>;

// Methods that answer with bare ids, or with several messages.
const COPIES = /^(copy|forward)Messages$/;
// They answer that it is done.
const GIFTS = /^(sendGift|giftPremiumSubscription)$/;
// Of a topic whose creator names none, and of no meaning otherwise.
const TOPIC_COLOR = 0x6fb9f0;
const LIST = /^(sendMediaGroup|copyMessages|forwardMessages)$/;

export function provisionalResult(
  call: DescribedCall,
  params: Params,
  seq: number,
  now: number,
): unknown {
  const { family, method, cost } = call;
  if (family === 'edit') {
    const id = scalarNumber(params.message_id);
    return isEdit(method) && Number.isFinite(id) && id !== 0
      ? placeholderMessage(call, params, id, now)
      : true;
  }
  if (family !== 'send') return true;
  if (GIFTS.test(method)) return true;
  const id = provisionalId(seq);
  if (method === 'createForumTopic') {
    return {
      message_thread_id: id,
      name: params.name,
      icon_color: params.icon_color ?? TOPIC_COLOR,
    };
  }
  const isBare = COPIES.test(method) || method === 'copyMessage';
  const message = isBare ? { message_id: id } : placeholderMessage(call, params, id, now);
  // An album is known by its first message, now and later.
  return LIST.test(method) ? Array.from({ length: cost }, () => message) : message;
}

// Whether the answer to an edit can be told before Telegram's: what has no text needs none.
export function isForetold({ method }: DescribedCall, params: Params): boolean {
  const name = method === 'editMessageCaption' ? 'caption' : 'text';
  return typeof params[name] !== 'string' || keptText(params, name) !== null;
}

// Calls that change a message and answer with it.
export function isEdit(method: string): boolean {
  return /^edit/i.test(method);
}
