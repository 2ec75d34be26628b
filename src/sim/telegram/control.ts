// The hand on the simulated Telegram: what its own routes below /sim/ show and change.

import { intOf, type SimParams, textOf } from '../params.ts';
import type { ChatState } from './chats.ts';
import type { TelegramModel } from './port.ts';

const CHAT_STATES = ['open', 'blocked', 'deactivated', 'kicked', 'missing', 'deleted', 'migrated'];

// null: no such route.
export function control(
  model: TelegramModel,
  route: string,
  params: SimParams,
  now: number,
): unknown {
  switch (route) {
    case 'GET /sim/messages':
      return model.messagesOf(textOf(params, 'chat'));
    case 'POST /sim/update': {
      const text = textOf(params, 'text');
      const { update, messageId } = model.inject(
        textOf(params, 'token'),
        textOf(params, 'chat'),
        text,
        now,
      );
      return { update, messageId };
    }
    case 'POST /sim/chats':
      return setChat(model, params, now);
    case 'POST /sim/revoke':
      model.revoke(textOf(params, 'token'));
      return { ok: true };
    default:
      return null;
  }
}

function setChat(model: TelegramModel, params: SimParams, now: number): unknown {
  const chat = textOf(params, 'chat');
  const kind = textOf(params, 'state');
  if (kind !== '' && !CHAT_STATES.includes(kind)) return { ok: false, states: CHAT_STATES };
  if (kind === 'migrated') model.setChat(chat, { kind, to: textOf(params, 'to') });
  else if (kind !== '') model.setChat(chat, { kind } as ChatState);
  if (params.channel === true) model.setChannel(chat);
  if (params.forum === false) model.setPlain(chat);
  const seconds = intOf(params, 'freezeSeconds');
  if (seconds !== null) model.freeze(textOf(params, 'token'), chat, seconds, now);
  return { ok: true };
}
