// What WhatsApp posts: one post may hold messages and statuses of many users and of several numbers. It is cut into
// updates of one thing each, and each is read as far as delivery needs it. Nothing is believed before it is checked.

import { messageIdIn } from '../../domain/ids.ts';
import { fieldsOf, scalarText } from '../../domain/scalar.ts';
import { unreachable } from '../../system/assert.ts';
import { numberOf } from '../shared/numbered.ts';
import type { MessageReceipt, UpdatePart, UpdateSummary, Voice } from '../updates.ts';
import { unmarked } from './callback-data.ts';
import { readError } from './classify.ts';
import { contactOf, PRODUCT } from './describe.ts';
import { handlingOf } from './error-codes.ts';
import type { WhatsappReason } from './reasons.ts';

type Fields = Readonly<Record<string, unknown>>;

const OBJECT = 'whatsapp_business_account';
// Someone pressed what the business had sent: an answer is awaited.
const PRESSES = ['interactive', 'button'];
// A post has many updates of one second: what they say tells them apart, so most of a number is for that.
const NUMBER_BITS = { timeBits: 20, keyBits: 32 };

const CHAT_NAME_LENGTH_MAX = 80;

interface Change {
  readonly entry: Fields;
  readonly change: Fields;
  readonly value: Fields;
}

function changesOf(update: unknown): Change[] {
  const { object, entry: entries } = fieldsOf(update);
  if (object !== OBJECT || !Array.isArray(entries)) return [];
  return entries.flatMap((each: unknown) => {
    const entry = fieldsOf(each);
    const changes = Array.isArray(entry.changes) ? entry.changes.map(fieldsOf) : [];
    return changes.map((change) => ({ entry, change, value: fieldsOf(change.value) }));
  });
}

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

// Each as a post of its own; what Sluice has put into a status is taken out again.
export function partsOf(update: unknown): UpdatePart[] {
  return changesOf(update).flatMap(({ entry, change, value }) => {
    const { messages, statuses, ...rest } = value;
    const number = scalarText(fieldsOf(value.metadata).phone_number_id) || null;
    const part = (content: Fields, receipts: MessageReceipt[] = []): UpdatePart => {
      const changes = [{ ...change, value: content }];
      return { id: number, update: { object: OBJECT, entry: [{ ...entry, changes }] }, receipts };
    };
    const { contacts, ...about } = rest;
    const parts = [
      ...listOf(messages).map((each) =>
        part({ ...about, ...contactsOf(contacts, each), messages: [each] }),
      ),
      ...listOf(statuses).map((each) =>
        part({ ...about, statuses: [unmarkedStatus(each)] }, receiptsOf(each)),
      ),
    ];
    return parts.length === 0 ? [part(value)] : parts;
  });
}

// By phone number, or by the user's id where none is shown.
function contactsOf(contacts: unknown, message: Fields): { contacts?: Fields[] } {
  const { from, from_user_id: user } = message;
  const isOwn = (id: unknown, own: unknown) => id !== undefined && id === own;
  const own = listOf(contacts).filter(
    (each) => isOwn(each.wa_id, from) || isOwn(each.user_id, user),
  );
  return own.length === 0 ? {} : { contacts: own };
}

function unmarkedStatus({ biz_opaque_callback_data: data, ...status }: Fields): Fields {
  const { own } = unmarked(data);
  return own === null ? status : { ...status, biz_opaque_callback_data: own };
}

// null: not an update. Of one that holds several things the first counts.
export function readUpdate(update: unknown): UpdateSummary | null {
  const [first] = changesOf(update);
  if (first === undefined) return null;
  const { value } = first;
  const [message] = listOf(value.messages);
  const [status] = listOf(value.statuses);
  const said = message ?? status;
  const at = secondsOf(said?.timestamp);
  const print = said === undefined ? first.change : printOf(said);
  const order = numberOf(JSON.stringify(print), at ?? 0, NUMBER_BITS);
  const id = String(order);
  if (message === undefined) {
    const chat = status === undefined ? null : recipientOf(status) || null;
    return { id, order, chat, messageId: null, voice: 'none', saidAt: null };
  }
  const { group_id: group, from, from_user_id: user } = message;
  const chat = scalarText(group ?? from ?? user) || null;
  const messageId = scalarText(message.id) || null;
  const saidAt = at === null ? null : at * 1000;
  const voice = chat === null ? 'none' : voiceOf(message);
  return { id, order, chat, messageId, voice, saidAt, ...nameIn(value, chat) };
}

// What the person calls themselves; a group has no name here.
function nameIn({ contacts }: Fields, chat: string | null): { chatName?: string } {
  const own = listOf(contacts).find(({ wa_id: id }) => id === chat);
  const name = scalarText(fieldsOf(own?.profile).name).trim().slice(0, CHAT_NAME_LENGTH_MAX);
  return name === '' ? {} : { chatName: name };
}

function recipientOf({ recipient_id: number, recipient_user_id: user }: Fields): string {
  return scalarText(number) || scalarText(user);
}

// What makes it the same when it is posted again.
function printOf({ id, status, from, recipient_id: to }: Fields): Fields {
  return { id, status, from, to };
}

function voiceOf({ type, context }: Fields): Voice {
  if (PRESSES.includes(scalarText(type))) return 'addressed';
  return scalarText(fieldsOf(context).id) === '' ? 'wrote' : 'addressed';
}

function secondsOf(value: unknown): number | null {
  const seconds = Number(scalarText(value) || Number.NaN);
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null;
}

const STATUSES: Readonly<Record<string, MessageReceipt['status']>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
};

// What became of a message that was taken.
function receiptsOf(each: Fields): MessageReceipt[] {
  const status = STATUSES[scalarText(each.status)];
  const messageId = messageIdIn(each.id);
  if (status === undefined || messageId === null) return [];
  const { delivery } = unmarked(each.biz_opaque_callback_data);
  const at = (secondsOf(each.timestamp) ?? 0) * 1000;
  const failure = status === 'failed' ? failureOf(each) : { reason: null, detail: null };
  const user = recipientOf(each);
  const contacts = [contactOf(user, user)];
  const result = JSON.stringify({ ...PRODUCT, contacts, messages: [{ id: messageId }] });
  return [{ delivery, messageId, status, at, ...failure, result }];
}

function failureOf({ errors }: Fields): { reason: string; detail: string } {
  const { code, detail } = readError(Array.isArray(errors) ? errors[0] : undefined);
  return { reason: reasonOf(code), detail };
}

// Too late to wait or to stop: the message was taken and will not be sent again by itself.
function reasonOf(code: number): WhatsappReason | 'limited' {
  const handling = handlingOf(code);
  if (handling === null) return 'bad_request';
  switch (handling.kind) {
    case 'dead':
      return handling.reason;
    case 'retry':
    case 'unknown':
      return 'unavailable';
    case 'wait':
    case 'stop':
      return 'limited';
    default:
      return unreachable(handling);
  }
}
