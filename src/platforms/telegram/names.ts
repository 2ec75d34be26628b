// Whom an answer of Telegram names: the chat by its title or the person's name, and the bot that wrote by its username.
// Pure; an answer may be anything, and names are for people to read, never to act on.

import { jsonOrUndefined } from '../../system/json.ts';
import type { NamesInAnswer } from '../platform.ts';

type Fields = Readonly<Record<string, unknown>>;

const NAME_LENGTH_MAX = 80;
const NONE: NamesInAnswer = { chat: null, account: null };

export function readNames(result: string): NamesInAnswer {
  const answer = objectOf(jsonOrUndefined(result));
  const sent = Array.isArray(answer?.result) ? answer.result[0] : answer?.result;
  const message = objectOf(sent);
  if (message === null) return NONE;
  const chat = objectOf(message.chat);
  const name = nameOf(chat);
  const from = objectOf(message.from);
  const id = chat?.id;
  return {
    chat: name === null || !Number.isSafeInteger(id) ? null : { id: String(id), name },
    account: from?.is_bot === true ? handleOf(from) : null,
  };
}

// Of a chat as answers and updates describe it; null: it has no name.
export function nameOf(chat: Fields | null): string | null {
  const person = [textOf(chat?.first_name), textOf(chat?.last_name)].filter((part) => part !== '');
  const name = textOf(chat?.title) || person.join(' ');
  return name === '' ? handleOf(chat) : name.slice(0, NAME_LENGTH_MAX);
}

function handleOf(fields: Fields | null): string | null {
  const username = textOf(fields?.username);
  return username === '' ? null : `@${username.slice(0, NAME_LENGTH_MAX)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function objectOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null;
}
