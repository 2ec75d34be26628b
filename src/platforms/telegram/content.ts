// What a call leaves in a message, as text that is equal when the content is: an edit that would leave a message as
// it is needs no call. Only what is certain counts: media behind a URL may change under the same name, so a call
// that changes media leaves something we cannot compare.

import { scalarText } from '../../domain/scalar.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { Touch } from '../platform.ts';
import type { BotApiParams } from './describe.ts';

type Kind = 'text' | 'caption' | 'markup';

// The parameters that make the content; the rest says where it goes and how.
const PARAMS: Readonly<Record<Kind, readonly string[]>> = {
  text: ['text', 'rich_message', 'parse_mode', 'entities', 'link_preview_options'],
  caption: ['caption', 'parse_mode', 'caption_entities', 'show_caption_above_media'],
  markup: [],
};
const ALWAYS = ['reply_markup', 'disable_web_page_preview', 'business_connection_id'];
// JSON text in anything but a JSON body.
const NESTED = ['entities', 'caption_entities', 'link_preview_options', 'reply_markup'];

const EDITS: Readonly<Record<string, Kind>> = {
  editMessageText: 'text',
  editMessageCaption: 'caption',
  editMessageReplyMarkup: 'markup',
};
const SENDS: Readonly<Record<string, Kind>> = {
  sendMessage: 'text',
  sendPhoto: 'caption',
  sendVideo: 'caption',
  sendAnimation: 'caption',
  sendDocument: 'caption',
  sendAudio: 'caption',
  sendVoice: 'caption',
};
const CHANGING = /^(edit|stop|delete|setGame)/;

export function touch(method: string, body: string): Touch | null {
  const sent = SENDS[method];
  const isChange = CHANGING.test(method);
  if (sent === undefined && !isChange) return null;
  const params = JSON.parse(body) as BotApiParams;
  if (!isChange) return { messages: [], content: contentOf(sent!, params) };
  const edited = EDITS[method];
  const content = edited === undefined ? null : contentOf(edited, params);
  return { messages: messagesOf(params), content };
}

function messagesOf(params: BotApiParams): string[] {
  // An inline message is a chat of its own, with one message.
  if (isGiven(params.inline_message_id)) return [''];
  const many = nested('message_ids', params.message_ids);
  const ids: unknown[] = Array.isArray(many) ? many : [params.message_id];
  return ids.map(scalarText).filter(isGiven);
}

function contentOf(kind: Kind, params: BotApiParams): string {
  const parts: [string, unknown][] = [];
  for (const name of [...PARAMS[kind], ...ALWAYS]) {
    if (isGiven(params[name])) parts.push([name, sorted(nested(name, params[name]))]);
  }
  return JSON.stringify([kind, parts]);
}

function nested(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (!NESTED.includes(name) && name !== 'message_ids') return value;
  return jsonOrUndefined(value) ?? value;
}

// Two objects with the same fields are the same, in whichever order they came.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sorted(field)]);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
