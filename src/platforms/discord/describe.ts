// Reads a call once, at the wall: which route, which channel, what it counts for. Refuses only what it cannot route;
// the rest is for Discord to judge. Ids are text here: they have more digits than a number keeps.

import type { AnswersWithin, Described } from '../../domain/call.ts';
import { scalarText } from '../../domain/scalar.ts';
import type { PlainParams, Targets } from '../../domain/targets.ts';
import { MESSAGE_BUDGETS, OPEN } from '../shared/budgets.ts';
import { type DiscordRoute, idsIn, isId, routeOf } from './routes.ts';

export type DiscordParams = Readonly<Record<string, unknown>>;

// How a call is named that is passed on: its verb and its path.
const PASSED = /^(?:GET|POST|PUT|PATCH|DELETE) \/api\//;
const CHANNEL_PATH =
  /^([A-Z]+) \/api(?:\/v\d+)?\/channels\/(\d{1,20})((?:\/[\w@:%-]{1,200}){0,5})(?:\?|$)/;
const OWN_PATH =
  /^GET \/api(?:\/v\d+)?\/(?:users\/@me|gateway|gateway\/bot|applications\/@me)(?:\?|$)/;

// An interaction is answered at once, and spoken of for a quarter of an hour.
const FIRST_ANSWER_MS = 3000;
export const INTERACTION_MS = 15 * 60_000;
const EPOCH_MS = 1_420_070_400_000;
const TIME_SHIFT = 22n;

const OF_INTERACTION = 'interaction:';

export function describe(method: string, params: DiscordParams): Described {
  if (PASSED.test(method)) return { kind: 'pass', method };
  const route = routeOf(method);
  if (route === null) return { kind: 'invalid', detail: 'no such method' };
  for (const name of idsIn(route)) {
    // The webhook's own token is its account's credential; one that is given all the same stands in a path.
    if (name === 'webhook_token' && params[name] === undefined) continue;
    if (!isId(name, scalarText(params[name])))
      return { kind: 'invalid', detail: `${name} is no id` };
  }
  const chat = chatOf(route, params);
  const about = scalarText(params.message_id) || null;
  const answers = answersOf(route, params);
  const isMessage = route.family === 'send' && route.kind !== 'interaction';
  return {
    kind: 'call',
    method,
    chat,
    thread: route.kind === 'webhook' ? scalarText(params.thread_id) || null : null,
    family: route.family,
    budget: isMessage ? MESSAGE_BUDGETS.unsolicited : OPEN,
    cost: 1,
    slot: slotOf(route, chat, params),
    about: route.family === 'send' ? null : about,
    ...(answers === null ? null : { answers }),
  };
}

function chatOf({ kind }: DiscordRoute, params: DiscordParams): string {
  if (kind === 'webhook') return scalarText(params.webhook_id);
  if (kind !== 'interaction') return scalarText(params.channel_id);
  return `${OF_INTERACTION}${interactionIdOf(params)}`;
}

// Edits of one message replace each other, and so do two signs of one reaction.
function slotOf(
  { family, name }: DiscordRoute,
  chat: string,
  params: DiscordParams,
): string | null {
  const message = scalarText(params.message_id);
  if (family === 'edit') return `edit:${chat}:${message}`;
  if (family !== 'reaction' || name === 'deleteReactions' || name === 'deleteReactionsOf') {
    return family === 'typing' ? `typing:${chat}` : null;
  }
  const user = scalarText(params.user_id) || '@me';
  return `reaction:${chat}:${message}:${user}:${scalarText(params.emoji)}`;
}

function answersOf({ kind, name }: DiscordRoute, params: DiscordParams): AnswersWithin | null {
  if (kind !== 'interaction') return null;
  const ms = name === 'createInteractionResponse' ? FIRST_ANSWER_MS : INTERACTION_MS;
  return { ms, since: madeAt(interactionIdOf(params)) };
}

// Its token tells it: `interaction:<id>:…` in base64.
function interactionIdOf({ interaction_id: id, interaction_token: token }: DiscordParams): string {
  if (id !== undefined) return scalarText(id);
  const text = Buffer.from(scalarText(token), 'base64url').toString('latin1');
  return /^interaction:(\d{1,20}):/.exec(text)?.[1] ?? '';
}

// Ids of Discord tell when they were made.
export function madeAt(id: string): number | null {
  return /^\d{15,20}$/.test(id) ? Number(BigInt(id) >> TIME_SHIFT) + EPOCH_MS : null;
}

// A thread is a channel of its own id.
export function address(
  params: DiscordParams,
  { chat, thread }: { chat: string; thread: string | null },
): Record<string, unknown> {
  if (chat.startsWith(OF_INTERACTION)) return { ...params };
  if ('webhook_id' in params) {
    return { ...params, webhook_id: chat, ...(thread === null ? {} : { thread_id: thread }) };
  }
  return { ...params, channel_id: thread ?? chat };
}

export function isIdempotent(method: string): boolean {
  return routeOf(method)?.idempotent === true;
}

// For so long Discord is taken to remember a nonce; its documents say a few minutes.
const NONCE_MS = 2 * 60_000;

// A caller's own nonce is left as it is, and may not be enforced.
export function recognisedMs(method: string, body: string): number {
  if (method !== 'createMessage') return 0;
  const { nonce, enforce_nonce: enforced } = JSON.parse(body) as DiscordParams;
  return nonce === undefined || nonce === null || enforced === true ? NONCE_MS : 0;
}

// The message of the same channel that it answers; null: none.
export function replyTarget(chat: string, { message_reference: to }: DiscordParams): string | null {
  if (typeof to !== 'object' || to === null) return null;
  const { message_id: message, channel_id: channel, type } = to as DiscordParams;
  const isHere = channel === undefined || channel === null || scalarText(channel) === chat;
  // Type 1 forwards it.
  return isHere && type !== 1 ? scalarText(message) || null : null;
}

// JSON stays JSON: nothing in it is read a second time.
export function plainParams(params: DiscordParams): PlainParams {
  return { kind: 'plain', params };
}

export function targets(method: string, params: DiscordParams): Targets {
  const route = routeOf(method);
  if (route !== null) {
    const described = describe(method, params);
    if (described.kind !== 'call') return { kind: 'unknown' };
    return { kind: 'chats', chats: [described.chat, ...otherChats(params, described.chat)] };
  }
  const channel = channelIn(method);
  if (channel !== null) return { kind: 'chats', chats: [channel] };
  if (OWN_PATH.test(method)) return { kind: 'none' };
  return PASSED.test(method) ? { kind: 'account', chats: [] } : { kind: 'unknown' };
}

// What is about one channel and nothing else, so that a key bound to it may ask for it. Not its webhooks, whose tokens
// outlive the key; not its followers, which are another channel; not its invitations, which open the whole server.
const READ_OF_CHANNEL = /^(?:\/(?:messages|pins|threads|thread-members|polls|users)(?:\/|$)|$)/;
const CHANGED_IN_CHANNEL = /^\/(?:pins|messages\/pins|permissions|thread-members|polls)\//;

function channelIn(method: string): string | null {
  const [, verb, channel = null, rest = ''] = CHANNEL_PATH.exec(method) ?? [];
  if (verb === 'GET') return READ_OF_CHANNEL.test(rest) ? channel : null;
  const isItself = rest === '' && (verb === 'PATCH' || verb === 'DELETE');
  return isItself || CHANGED_IN_CHANNEL.test(rest) ? channel : null;
}

// What a message forwards may stand in another channel.
function otherChats({ message_reference: to }: DiscordParams, own: string): string[] {
  if (typeof to !== 'object' || to === null) return [];
  const channel = scalarText((to as DiscordParams).channel_id);
  return channel === '' || channel === own ? [] : [channel];
}
