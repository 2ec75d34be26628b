// Carries a call out on the screens, and reads its answer. There is no wire: what is written is shown, so a call is
// done or refused, and never in doubt while the process lives.

import { messageIdIn } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { scalarText } from '../../domain/scalar.ts';
import { unreachable } from '../../system/assert.ts';
import type { Reply } from '../../system/http/transport.ts';
import type { OutgoingCall, ScreenMessage } from '../platform.ts';
import { idOf, type TerminalParams } from './describe.ts';
import type { Screens } from './screens.ts';

type Refusal = 'message_empty' | 'message_too_long' | 'message_not_found' | 'method_not_found';

type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly reason: Refusal; readonly description: string };

export function send(screens: Screens, call: OutgoingCall): Reply {
  const answer = carryOut(screens, call);
  const status = answer.ok ? 200 : 400;
  return { kind: 'answered', status, headers: {}, body: JSON.stringify(answer) };
}

function carryOut(screens: Screens, { credential: account, method, body }: OutgoingCall): Answer {
  const params = JSON.parse(body) as TerminalParams;
  const chat = scalarText(params.chat);
  const text = typeof params.text === 'string' ? params.text : '';
  const id = idOf(params.message_id);
  if (text.length > screens.unitsMax) {
    const description = `${text.length} characters; a screen holds ${screens.unitsMax}`;
    return no('message_too_long', description);
  }
  switch (method) {
    case 'sendMessage': {
      if (text.trim() === '') return no('message_empty', 'there is no text to show');
      const thread = typeof params.thread === 'string' ? params.thread : null;
      return yes(shown(chat, screens.write(account, chat, text, thread)));
    }
    case 'editMessageText': {
      if (text.trim() === '') return no('message_empty', 'there is no text to show');
      const edited = id === null ? null : screens.edit(account, chat, id, text);
      if (edited === null) return no('message_not_found', `no message has had the id ${id} yet`);
      return yes(shown(chat, edited));
    }
    case 'deleteMessage':
      if (id !== null) screens.erase(account, chat, id);
      return yes(true);
    case 'sendChatAction':
      screens.typing(account, chat);
      return yes(true);
    default:
      return no('method_not_found', 'a terminal knows no such method');
  }
}

function shown(chat: string, { id, at, text }: ScreenMessage) {
  return { message_id: Number(id), chat, date: Math.floor(at / 1000), text };
}

const yes = (result: unknown): Answer => ({ ok: true, result });
const no = (reason: Refusal, description: string): Answer => ({ ok: false, reason, description });

export function classify(reply: Reply): Outcome {
  switch (reply.kind) {
    case 'answered':
      return ofAnswer(JSON.parse(reply.body) as Answer, reply.body);
    case 'unsent':
      return { kind: 'failed', reason: 'unsent', detail: reply.detail, hostDown: false };
    case 'lost':
      return { kind: 'uncertain', reason: 'answer_lost', detail: reply.detail };
    default:
      return unreachable(reply);
  }
}

function ofAnswer(answer: Answer, result: string): Outcome {
  if (!answer.ok) {
    const { reason, description: detail } = answer;
    return { kind: 'refused', reason, detail, result, cure: null };
  }
  const { message_id: id } = Object(answer.result) as { message_id?: number };
  return { kind: 'sent', messageId: messageIdIn(id), result };
}
