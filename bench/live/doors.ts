// The two doors by which a program edits a message while its text grows: the platform's own API with a plain client,
// and REST with a session and a final. Neither knows anything of streams.

import { Api } from 'grammy';
import { Pool } from 'undici';

export interface Door {
  // The id of the new message.
  send(chat: number, text: string, session: Session | null): Promise<number>;
  // Resolves when the gateway has answered.
  edit(chat: number, messageId: number, text: string, session: Session): Promise<unknown>;
  close(): Promise<void>;
}

export interface Session {
  readonly name: string;
  readonly thread: number | null;
  readonly isLast: boolean;
}

interface Gateway {
  readonly url: string;
  readonly key: string;
}

export type DoorName = 'drop-in' | 'REST';

export function openDoor(name: DoorName, gateway: Gateway, token: string): Door {
  return name === 'REST' ? rest(gateway, token) : dropIn(gateway, token);
}

function dropIn({ url }: Gateway, token: string): Door {
  const api = new Api(token, { apiRoot: url });
  return {
    async send(chat, text, session) {
      const thread = session?.thread ?? null;
      const options = thread === null ? {} : { message_thread_id: thread };
      return (await api.sendMessage(chat, text, options)).message_id;
    },
    edit: (chat, messageId, text) => api.editMessageText(chat, messageId, text),
    close: async () => {},
  };
}

function rest({ url, key }: Gateway, account: string): Door {
  const pool = new Pool(url, { connections: 64 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = async (message: object) => {
    const body = JSON.stringify(message);
    const answer = await pool.request({ method: 'POST', path: '/v1/messages', headers, body });
    const told = (await answer.body.json()) as { messageId?: string };
    if (answer.statusCode >= 300) throw new Error(JSON.stringify(told));
    return told;
  };
  return {
    async send(chat, text, session) {
      const thread = session?.thread ?? null;
      const to = { platform: 'telegram', account, chat, ...(thread === null ? {} : { thread }) };
      const named = session === null ? {} : { session: session.name };
      const told = await post({ to, body: { text }, ...named, wait: true });
      return Number(told.messageId);
    },
    edit(chat, messageId, text, { name, isLast }) {
      const to = { platform: 'telegram', account, chat };
      const body = { message_id: messageId, text };
      const last = isLast ? { final: true } : {};
      return post({ to, method: 'editMessageText', body, session: name, ...last });
    },
    close: () => pool.close(),
  };
}
