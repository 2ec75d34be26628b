// What may help a refused call, once: the same call, changed as little as possible.
// A cure that changes nothing is no cure (null): repeating the same call would be refused again. Nor has a call that is
// to go out as it is a cure which leaves out what its caller said.

import { isExact } from '../../domain/body.ts';
import { seqOfProvisional } from '../../domain/ids.ts';
import type { Cure } from '../../domain/outcome.ts';
import { unreachable } from '../../system/assert.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import { chatIdOf } from './describe.ts';

type Body = Record<string, unknown>;

const REPLY_KEYS = ['reply_parameters', 'reply_to_message_id', 'allow_sending_without_reply'];
const THREAD_KEYS = ['message_thread_id', 'direct_messages_topic_id'];
// parse_mode, caption_entities, question_parse_mode, …: at any depth, as albums and polls do.
const MARKUP_KEY = /(^|_)(parse_mode|entities)$/;

export function cure(cure: Cure, body: string): { chat: string | null; body: string } | null {
  const call = JSON.parse(body) as Body;
  if (isExact(body) && leavesOut(cure, call)) return null;
  switch (cure.kind) {
    case 'move_chat':
      call.chat_id = chatIdOf(cure.chat);
      return { chat: cure.chat, body: JSON.stringify(call) };
    case 'drop_reply':
      return changed(call, drop(call, REPLY_KEYS));
    case 'drop_thread':
      return changed(call, drop(call, THREAD_KEYS));
    case 'plain_text':
      return changed(call, dropMarkup(call));
    case 'drop_sent':
      return changed(call, dropSent(call, cure.count));
    default:
      return unreachable(cure);
  }
}

function leavesOut(cure: Cure, call: Body): boolean {
  switch (cure.kind) {
    // The same message in the same chat, and what is left of an album.
    case 'move_chat':
    case 'drop_sent':
      return false;
    case 'drop_thread':
    case 'plain_text':
      return true;
    // A message that was never sent could not be replied to: only we know that, and the caller cannot.
    case 'drop_reply':
      return !repliesToProvisional(call);
    default:
      return unreachable(cure);
  }
}

function repliesToProvisional({
  reply_parameters: reply,
  reply_to_message_id: old,
}: Body): boolean {
  const fields = (typeof reply === 'string' ? parseOrNull(reply) : reply) as
    | Body
    | null
    | undefined;
  return seqOfProvisional(fields?.message_id ?? old) !== null;
}

function changed(call: Body, isChanged: boolean): { chat: null; body: string } | null {
  return isChanged ? { chat: null, body: JSON.stringify(call) } : null;
}

function drop(call: Body, keys: readonly string[]): boolean {
  const present = keys.filter((key) => key in call);
  for (const key of present) delete call[key];
  return present.length > 0;
}

// An album of which a part arrived: the rest is an album of its own.
function dropSent(call: Body, count: number): boolean {
  const { media } = call;
  const items: unknown = typeof media === 'string' ? parseOrNull(media) : media;
  if (!Array.isArray(items) || count < 1 || count >= items.length) return false;
  const rest = items.slice(count);
  call.media = typeof media === 'string' ? JSON.stringify(rest) : rest;
  return true;
}

// The source of the markup is then shown as it is: ugly, but all of it arrives.
function dropMarkup(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let isChanged = false;
  for (const [key, child] of Object.entries(value)) {
    if (MARKUP_KEY.test(key)) {
      delete (value as Body)[key];
      isChanged = true;
    } else if (key === 'media' && typeof child === 'string') {
      const inner: unknown = parseOrNull(child);
      if (dropMarkup(inner)) {
        (value as Body)[key] = JSON.stringify(inner);
        isChanged = true;
      }
    } else if (dropMarkup(child)) {
      isChanged = true;
    }
  }
  return isChanged;
}

function parseOrNull(text: string): unknown {
  return jsonOrUndefined(text) ?? null;
}
