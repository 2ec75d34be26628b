// Reads a call once, at the wall. One path of the Graph API takes messages, reactions, read marks and typing signs, so
// the body tells them apart; each has a method of its own here, because they differ in whether they may be repeated and
// in what they count for. Whatever else the Graph API has is passed on, under its verb and path.

import type { Family } from '../../domain/call.ts';
import { fieldsOf, scalarText } from '../../domain/scalar.ts';
import type { PlainParams, Targets } from '../../domain/targets.ts';
import type { Described } from '../platform.ts';
import { MESSAGE_BUDGETS, OPEN } from '../shared/budgets.ts';

export type WhatsappParams = Readonly<Record<string, unknown>>;

export const MESSAGES = 'messages';
const REACTION = 'reaction';
const READ = 'read';
const TYPING = 'typing';
const METHODS = [MESSAGES, REACTION, READ, TYPING];
const IDEMPOTENT = [REACTION, READ, TYPING];

// A read mark names a message and no user: each is a place of its own, so that none waits for another.
const READ_OF = 'read:';

// `GET /v23.0/1234/message_templates`. Its segments are plain, so that nothing of a stranger's changes where it goes.
const PASSED = /^(?:GET|POST|DELETE) \/v\d{1,3}\.\d{1,2}(?:\/[\w.~-]{1,128}){1,8}$/;
const ID_LENGTH_MAX = 256;

// What sends has names of its own, and is none.
export function isPassed(method: string): boolean {
  if (!PASSED.test(method) || /\/\.{1,2}(?:\/|$)/.test(method)) return false;
  return !(method.startsWith('POST') && ofMessages(method));
}

// Whether the Graph API reads names in other letters is not documented: assumed is that it does, so that no way to
// write the path that sends leads past the queue.
function ofMessages(method: string): boolean {
  return /\/messages$/i.test(method);
}

// One of the methods that are sent to /messages.
export function isOfMessages(method: string): boolean {
  return METHODS.includes(method);
}

export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.includes(method);
}

export function describe(name: string, params: WhatsappParams): Described {
  // The Graph API reads another verb from this parameter: a read would be a message.
  if (ofMessages(name) && params.method !== undefined)
    return { kind: 'invalid', detail: "Parameter 'method' is not taken here" };
  if (isPassed(name)) return { kind: 'pass', method: name };
  if (!isOfMessages(name)) return { kind: 'invalid', detail: `Unknown path components: ${name}` };
  if (params.status !== undefined) return describeRead(params);
  const chat = addressee(params);
  if (chat === null) return { kind: 'invalid', detail: "Parameter 'to' is mandatory" };
  const about = params.type === REACTION ? reactedTo(params) : null;
  return {
    kind: 'call',
    method: params.type === REACTION ? REACTION : MESSAGES,
    chat,
    thread: null,
    family: params.type === REACTION ? 'reaction' : 'send',
    budget: budgetOf(params),
    cost: 1,
    slot: about === null ? null : `${REACTION}:${chat}:${about}`,
    about,
  };
}

function describeRead(params: WhatsappParams): Described {
  const id = scalarText(params.message_id);
  if (id === '' || id.length > ID_LENGTH_MAX) {
    return { kind: 'invalid', detail: "Parameter 'message_id' is mandatory" };
  }
  const isTyping = params.typing_indicator !== undefined;
  const family: Family = isTyping ? 'typing' : 'free';
  return {
    kind: 'call',
    method: isTyping ? TYPING : READ,
    chat: `${READ_OF}${id}`,
    thread: null,
    family,
    budget: OPEN,
    cost: 1,
    slot: isTyping ? null : `${READ}:${id}`,
  };
}

export function address(params: WhatsappParams, { chat }: { chat: string }) {
  if (chat.startsWith(READ_OF)) return { ...PRODUCT, ...params };
  const { to: _to, recipient: _recipient, ...rest } = params;
  const kind = { recipient_type: isUser(chat) ? 'individual' : 'group' };
  const named = isScopedId(chat) ? { recipient: chat } : { to: chat };
  return { ...PRODUCT, ...kind, ...rest, ...named };
}

export const PRODUCT = Object.freeze({ messaging_product: 'whatsapp' });

// Who shows no phone number has an id of the business's own, `US.13491208655302741918`, and another parameter for it.
export function isScopedId(chat: string): boolean {
  return /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(chat);
}

function isUser(chat: string): boolean {
  return /^\d+$/.test(chat) || isScopedId(chat);
}

// As Meta reads it: where both are given the phone number counts.
function addressee({ to, recipient }: WhatsappParams): string | null {
  return chatOf(scalarText(to) === '' ? recipient : to);
}

// As WhatsApp names its users: digits, however they were written. A group has an id of another kind.
export function chatOf(value: unknown): string | null {
  const text = scalarText(value).trim();
  const digits = text.replace(/^\+|[\s().-]/g, '');
  if (/^\d{3,20}$/.test(digits)) return digits;
  return /^[\w.:@=+/-]{3,256}$/.test(text) ? text : null;
}

// As an answer tells who it was.
export function contactOf(input: string, chat: string): Readonly<Record<string, string>> {
  return { input, [isScopedId(chat) ? 'user_id' : 'wa_id']: chat };
}

// null: it names none.
function reactedTo({ reaction }: WhatsappParams): string | null {
  const id = scalarText(fieldsOf(reaction).message_id);
  return id === '' || id.length > ID_LENGTH_MAX ? null : id;
}

// A reply is taken for an answer to someone who wrote; whether the user's window is open, the updates tell.
function budgetOf(params: WhatsappParams): string {
  return replyTarget('', params) === null ? MESSAGE_BUDGETS.unsolicited : MESSAGE_BUDGETS.reply;
}

export function replyTarget(_chat: string, params: WhatsappParams): string | null {
  return scalarText(fieldsOf(params.context).message_id) || null;
}

// Bodies are JSON: there is one reading of them.
export function plainParams(params: WhatsappParams): PlainParams {
  return { kind: 'plain', params };
}

export function targets(name: string, params: WhatsappParams): Targets {
  if (isPassed(name)) return { kind: 'account', chats: [] };
  if (!isOfMessages(name)) return { kind: 'unknown' };
  if (params.status !== undefined) return { kind: 'account', chats: [] };
  const chat = addressee(params);
  if (chat === null) return { kind: 'unknown' };
  const other = scalarText(params.recipient);
  return { kind: 'chats', chats: other === '' || other === chat ? [chat] : [chat, other] };
}

export function textParams(text: string): Record<string, unknown> {
  return { ...PRODUCT, type: 'text', text: { body: text } };
}
