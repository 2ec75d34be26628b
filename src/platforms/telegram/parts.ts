// A message too long for Telegram, sent as several under one delivery. The body of the delivery holds the part that
// goes next and, in a reserved member, what comes after it and what was answered so far; when a part is sent, the
// body of the rest is written with its settlement. So a crash repeats at most the part that was under way.

import { messageIdIn } from '../../domain/ids.ts';
import { scalarText } from '../../domain/scalar.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import { type Entity, isBlank, type RichText } from '../../text/rich-text.ts';
import { splitText } from '../../text/split.ts';
import type { Rest } from '../platform.ts';
import { parseHtml } from './text/html.ts';
import { parseMarkdown, parseMarkdownV2 } from './text/markdown.ts';

// After the markup is taken out.
export const TEXT_UNITS_MAX = 4096;
// A text of more parts than this is refused: nobody reads on.
const PARTS_MAX = 50;
// With its markup, of which there is rarely more than text.
const MARKED_UNITS_MAX = 2 * PARTS_MAX * TEXT_UNITS_MAX;
const MEMBER = 'sluice:parts';
export const PARTS_MARK = `{"${MEMBER}":`;

type Params = Record<string, unknown>;

interface Part {
  readonly text: string;
  readonly entities?: readonly Entity[];
}

interface Progress {
  readonly rest: readonly Part[];
  // The messages that were made.
  readonly done: readonly unknown[];
  // Buttons belong under the last part.
  readonly markup: unknown;
}

// The same call as a call of parts; null: it fits as it is, or cannot be cut.
export function split(method: string, body: string): string | null {
  if (method !== 'sendMessage' || body.length <= TEXT_UNITS_MAX || body.startsWith(PARTS_MARK)) {
    return null;
  }
  const params = JSON.parse(body) as Params;
  const { text, parse_mode: _mode, entities: _entities, reply_markup: markup, ...shared } = params;
  if (typeof text !== 'string' || text.length <= TEXT_UNITS_MAX) return null;
  // Not even read: what is left of it without its markup cannot be short enough.
  if (text.length > MARKED_UNITS_MAX) return null;
  const rich = readText(params, text);
  if (rich === null || rich.text.length <= TEXT_UNITS_MAX) return null;
  if (rich.text.length > PARTS_MAX * TEXT_UNITS_MAX) return null;
  const parts = splitText(rich, TEXT_UNITS_MAX).filter((part) => !isBlank(part.text));
  if (parts.length < 2 || parts.length > PARTS_MAX) return null;
  const [first, ...rest] = parts.map(asPart);
  const progress: Progress = { rest, done: [], markup: markup ?? null };
  return JSON.stringify({ [MEMBER]: progress, ...shared, ...first });
}

// When a part is sent: the body of what is left, and the answer so far. null: not a call of parts.
export function rest(body: string, answer: string): Rest | null {
  if (!body.startsWith(PARTS_MARK)) return null;
  const { [MEMBER]: member, ...params } = JSON.parse(body) as Params;
  if (!isProgress(member)) return null;
  const { rest: waiting, done, markup } = member;
  const made = [...done, (JSON.parse(answer) as Params).result];
  // To the caller it is one message, the first; the others are told beside it.
  const result = JSON.stringify({ ok: true, result: made[0], parts: made });
  const [next, ...after] = waiting;
  const messageId = messageIdOf(made[0]);
  if (next === undefined) return { body: null, messageId, result };
  const { text: _text, entities: _entities, ...shared } = params;
  for (const name of ONCE) delete shared[name];
  const buttons = after.length === 0 && markup !== null ? { reply_markup: markup } : {};
  const progress: Progress = { rest: after, done: made, markup };
  const left = JSON.stringify({ [MEMBER]: progress, ...shared, ...next, ...buttons });
  return { body: left, messageId, result };
}

// A store may hold what an older version let in: what is not ours is a call of one message.
function isProgress(value: unknown): value is Progress {
  if (typeof value !== 'object' || value === null) return false;
  const { rest: waiting, done } = value as Partial<Progress>;
  return Array.isArray(done) && Array.isArray(waiting) && waiting.every(isPart);
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && typeof (value as Part).text === 'string';
}

function messageIdOf(message: unknown): string | null {
  return messageIdIn((message as Params | null)?.message_id);
}

// What only the first part says.
const ONCE = [
  ...['reply_parameters', 'reply_to_message_id', 'allow_sending_without_reply'],
  'message_effect_id',
];

// As Telegram gets it, of a call of parts.
export function withoutProgress(body: string): string {
  const { [MEMBER]: _progress, ...params } = JSON.parse(body) as Params;
  return JSON.stringify(params);
}

function asPart({ text, entities }: RichText): Part {
  return entities.length === 0 ? { text } : { text, entities };
}

export function readText(params: Params, text: string): RichText | null {
  // A parse mode counts before entities.
  switch (scalarText(params.parse_mode).toLowerCase()) {
    case '':
    case 'none': {
      const entities = entitiesOf(params.entities);
      return entities === null ? null : { text, entities };
    }
    case 'html':
      return parseHtml(text);
    case 'markdownv2':
      return parseMarkdownV2(text);
    case 'markdown':
      return parseMarkdown(text);
    default:
      return null;
  }
}

// null: not what Telegram takes for entities.
function entitiesOf(value: unknown): Entity[] | null {
  if (value === undefined || value === null || value === '') return [];
  const list: unknown = typeof value === 'string' ? parseOrNull(value) : value;
  if (!Array.isArray(list)) return null;
  return list.every(isEntity) ? list : null;
}

function isEntity(value: unknown): value is Entity {
  if (typeof value !== 'object' || value === null) return false;
  const { type, offset, length } = value as Params;
  return typeof type === 'string' && typeof offset === 'number' && typeof length === 'number';
}

function parseOrNull(text: string): unknown {
  return jsonOrUndefined(text) ?? null;
}
