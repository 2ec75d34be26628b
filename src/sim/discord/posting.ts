// Messages of the simulated Discord: made, changed and taken away, by a bot, a webhook or an answer to an interaction.

import { asObject, flagOf, jsonOf, type SimParams, textOf } from '../params.ts';
import { EMPTY, invalidForm, NOT_YOURS, type SimDiscordError, UNKNOWN_MESSAGE } from './answers.ts';
import { type SimDiscordMessage, viewOf } from './messages.ts';
import { type ActEnding, type DiscordScene, done, no } from './scene.ts';

const CONTENT_CHARS_MAX = 2000;
const NONCE_CHARS_MAX = 25;
const EMBEDS_MAX = 10;
const ANSWER = 19;
const FILE = /^file:([^:]*):(\d+)$/;
const TYPES: Readonly<Record<string, string>> = { png: 'image/png', mp4: 'video/mp4' };
// What a message keeps of what it was made of.
const KEPT = ['embeds', 'components', 'message_reference', 'flags', 'sticker_ids', 'poll', 'tts'];

// A form says what JSON says in one of its fields.
export function contentOf(params: SimParams): SimParams {
  return 'payload_json' in params
    ? { ...params, ...asObject(jsonOf(params, 'payload_json')) }
    : params;
}

export function troubleOf(params: SimParams): SimDiscordError | null {
  const { content, embeds } = params;
  if (typeof content === 'string' && [...content].length > CONTENT_CHARS_MAX) {
    const words = `Must be ${CONTENT_CHARS_MAX} or fewer in length.`;
    return invalidForm('content', 'BASE_TYPE_MAX_LENGTH', words);
  }
  if (content !== undefined && content !== null && typeof content !== 'string') {
    return invalidForm('content', 'STRING_TYPE_CONVERT', 'Could not interpret as string.');
  }
  if (Array.isArray(embeds) && embeds.length > EMBEDS_MAX) {
    return invalidForm('embeds', 'BASE_TYPE_MAX_LENGTH', `Must be ${EMBEDS_MAX} or fewer.`);
  }
  if (textOf(params, 'nonce').length > NONCE_CHARS_MAX) {
    return invalidForm('nonce', 'NONCE_TYPE_TOO_LONG', `At most ${NONCE_CHARS_MAX} characters.`);
  }
  return null;
}

export function isEmpty(params: SimParams): boolean {
  if (textOf(params, 'content').trim() !== '' || filesOf(params, '0').length > 0) return false;
  const lists = ['embeds', 'sticker_ids', 'components'];
  const isListed = lists.some((name) => Array.isArray(params[name]) && params[name].length > 0);
  return !isListed && typeof params.poll !== 'object' && params.message_reference === undefined;
}

export function post(
  scene: DiscordScene,
  given: SimParams,
  place: { chat: string; webhook?: string; bot?: string },
): ActEnding {
  const params = contentOf(given);
  const trouble = troubleOf(params);
  if (trouble !== null) return no(trouble);
  if (isEmpty(params)) return no(EMPTY);
  const known = sameNonce(scene, params);
  if (known !== null) return done(viewOf(known));
  const message = write(scene, params, place);
  return done(viewOf(message), [message.id]);
}

export function write(
  scene: DiscordScene,
  params: SimParams,
  place: { chat: string; webhook?: string; bot?: string },
): SimDiscordMessage {
  const { bot, now, messages, snowflakes, nonces, options } = scene;
  const id = snowflakes.next(now);
  const { nonce = null } = params;
  const message: SimDiscordMessage = {
    bot: place.bot ?? bot,
    chat: place.chat,
    thread: null,
    id,
    date: now / 1000,
    fromBot: true,
    type: typeof params.message_reference === 'object' ? ANSWER : 0,
    text: textOf(params, 'content'),
    isDeleted: false,
    editedAt: null,
    nonce: typeof nonce === 'string' || typeof nonce === 'number' ? nonce : null,
    webhook: place.webhook ?? null,
    parts: partsOf(params, id),
    reactions: new Map(),
  };
  messages.add(message);
  if (message.nonce !== null) {
    nonces.set(`${message.bot} ${message.nonce}`, { id, until: now + options.nonceMs });
  }
  return message;
}

// The message that was made with it, where that is asked for.
function sameNonce(scene: DiscordScene, params: SimParams): SimDiscordMessage | null {
  const { bot, ids, now, nonces, messages } = scene;
  if (!flagOf(params, 'enforce_nonce')) return null;
  const known = nonces.get(`${bot} ${textOf(params, 'nonce')}`);
  return known === undefined || known.until <= now ? null : messages.get(ids.channel!, known.id);
}

function partsOf(params: SimParams, id: string): Record<string, unknown> {
  const kept = KEPT.filter((name) => params[name] !== undefined && params[name] !== null);
  const attachments = filesOf(params, id);
  return {
    ...Object.fromEntries(kept.map((name) => [name, params[name]])),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

function filesOf(params: SimParams, id: string): object[] {
  return Object.entries(params).flatMap(([part, value]) => {
    const file = /^files?\[?\d*\]?$/.test(part) && FILE.exec(String(value));
    if (!file) return [];
    const [, filename, size] = file;
    const url = `https://cdn.simulated.invalid/attachments/${id}/${filename}`;
    const fileId = `${id}${part.replace(/\D/g, '')}`;
    const known = TYPES[filename!.slice(filename!.lastIndexOf('.') + 1)];
    const type = known === undefined ? {} : { content_type: known };
    return [{ id: fileId, filename, size: Number(size), url, proxy_url: url, ...type }];
  });
}

export function edit(
  scene: DiscordScene,
  chat: string,
  id: string,
  webhook: string | null,
): ActEnding {
  const { messages, params: given, bot, now } = scene;
  const message = messages.get(chat, id);
  if (message === null) return no(UNKNOWN_MESSAGE);
  const isOwn =
    webhook === null ? message.bot === bot && message.fromBot : message.webhook === webhook;
  if (!isOwn) return no(NOT_YOURS);
  const params = contentOf(given);
  const trouble = troubleOf(params);
  if (trouble !== null) return no(trouble);
  if (params.content !== undefined) message.text = textOf(params, 'content');
  message.parts = { ...message.parts, ...partsOf(params, id) };
  message.editedAt = now;
  return done(viewOf(message), [id]);
}

export function remove(scene: DiscordScene, chat: string, id: string): ActEnding {
  const message = scene.messages.get(chat, id);
  if (message === null) return no(UNKNOWN_MESSAGE);
  message.isDeleted = true;
  return done(null, [id]);
}
