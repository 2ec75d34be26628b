// Messages that would poison what reads them: nesting, counts, reserved members, encodings, texts made to be slow.
// Whoever sends them holds the bot's own token or the admin key, so only the content can be refused.

import { intBelow, pick, type Random } from '../../src/system/random.ts';
import {
  type Arms,
  ASYNC,
  FORM_TYPE,
  form,
  harmless,
  head,
  JSON_TYPE,
  type Maker,
  nested,
  PARTS_TYPE,
  parts,
  refused,
  request,
  reserved,
} from './attack.ts';

// Parameters that the platform reads as JSON, also when they come as text.
const JSON_FIELDS = [
  'reply_parameters',
  'reply_markup',
  'media',
  'message_ids',
  'entities',
  'caption_entities',
  'link_preview_options',
] as const;
const METHODS = ['sendMessage', 'SENDMESSAGE', 'editMessageText', 'sendMediaGroup', 'sendPoll'];
const MANY = 200_000;

const bearer = (key: string) => `Authorization: Bearer ${key}`;

const deepBody: Maker = (random, { token, otherChat }) => {
  const field = pick(random, [...JSON_FIELDS, 'text', 'whatever']);
  const body = `{"chat_id":${otherChat},"text":"x","${field}":${nested(random)}}`;
  const whole = intBelow(random, 4) === 0 ? nested(random) : body;
  const path = `/bot${token}/${pick(random, METHODS)}`;
  return refused('platform', 'deep JSON', request('POST', path, [JSON_TYPE], whole), 400);
};

const deepField: Maker = (random, { token, otherChat }) => {
  const space = pick(random, ['', ' ', '\n\t ']);
  const value = space + nested(random).slice(0, 400_000);
  const fields = { chat_id: String(otherChat), text: 'x', [pick(random, JSON_FIELDS)]: value };
  const path = `/bot${token}/${pick(random, METHODS)}`;
  const bytes = pick(random, [
    request('POST', path, [FORM_TYPE], form(fields)),
    request('POST', path, [PARTS_TYPE], parts(fields)),
    request('POST', path, [JSON_TYPE], JSON.stringify(fields)),
  ]);
  return refused('platform', 'deep JSON in a field', bytes, 400, 413);
};

const deepQuery: Maker = (random, { token, otherChat }) => {
  const value = '['.repeat(100 + intBelow(random, 3000));
  const query = form({ chat_id: String(otherChat), text: 'x', [pick(random, JSON_FIELDS)]: value });
  return refused(
    'platform',
    'deep JSON in a query',
    head('GET', `/bot${token}/sendMessage?${query}`),
  );
};

const CROWDS = [
  `[${'1,'.repeat(MANY)}1]`,
  `{${Array.from({ length: MANY / 2 }, (_, i) => `"${i}":1`).join(',')}}`,
  `[${'[],'.repeat(MANY)}[]]`,
];

const manyMembers: Maker = (random, { token, otherChat }) => {
  const items = pick(random, CROWDS);
  const body = `{"chat_id":${otherChat},"text":"x","reply_markup":${items}}`;
  const bytes = request('POST', `/bot${token}/sendMessage`, [JSON_TYPE], body);
  return refused('platform', 'too many members', bytes, 400, 413);
};

// Where a message or a text is handed over with the admin key.
function deliveries(random: Random, arms: Arms, body: string): { path: string; body: string } {
  const { account, otherChat, others } = arms;
  const to = `{"platform":"telegram","account":"${account}","chat":${otherChat}}`;
  const target = `{"platform":"telegram","account":"${account}"}`;
  return pick(random, [
    { path: 'POST /v1/messages', body: `{"to":${to},"body":${body}}` },
    { path: 'POST /v1/messages', body: `[{"to":${to},"body":${body}}]` },
    { path: 'POST /v1/streams', body: `{"to":${to},"text":"x","body":${body}}` },
    {
      path: 'POST /v1/broadcasts',
      body: `{"to":${target},"chats":[${otherChat}],"body":${body}}`,
    },
    { path: `PATCH /v1/dead/${others.dead}`, body: `{"body":${body}}` },
  ]);
}

const deepRest: Maker = (random, arms) => {
  const made = deliveries(random, arms, `{"text":"x","reply_markup":${nested(random)}}`);
  const [verb, path] = made.path.split(' ') as [string, string];
  const bytes = request(verb, path, [JSON_TYPE, bearer(arms.keys.admin)], made.body);
  // A batch answers message by message, but what cannot be read is refused whole.
  return refused('problem', 'deep JSON over REST', bytes);
};

const reservedRest: Maker = (random, arms) => {
  const [chat] = [pick(random, arms.ownChats)];
  const to = { platform: 'telegram', account: arms.account, chat };
  const content = { text: 'reserved', ...reserved(random) };
  const made = pick(random, [
    { path: '/v1/messages', body: { to, body: content } },
    { path: '/v1/streams', body: { to, text: 'x', body: content } },
    {
      path: '/v1/broadcasts',
      body: { to: { platform: 'telegram', account: arms.account }, chats: [chat], body: content },
    },
  ]);
  const headers = [JSON_TYPE, bearer(arms.keys.admin)];
  const bytes = request('POST', made.path, headers, JSON.stringify(made.body));
  return harmless('problem', 'reserved members over REST', bytes);
};

const reservedCall: Maker = (random, { token, ownChats }) => {
  const fields = { chat_id: pick(random, ownChats), text: 'reserved', ...reserved(random) };
  const path = `/bot${token}/${pick(random, ['sendMessage', 'sendPhoto'])}`;
  const texts = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]),
  );
  const bytes = pick(random, [
    request('POST', path, [JSON_TYPE, ASYNC], JSON.stringify(fields)),
    request('POST', path, [FORM_TYPE, ASYNC], form(texts)),
    request('POST', path, [PARTS_TYPE, ASYNC], parts(texts)),
  ]);
  return harmless('platform', 'reserved members', bytes);
};

const PUMPS = [
  '<',
  '<a ',
  '<b><i>',
  '&',
  '&#',
  '*',
  '_',
  '**a',
  '[',
  '[](',
  '`',
  '```',
  '\\',
  '||',
  '>',
];

const slowText: Maker = (random, { token, ownChats }) => {
  const length = 1000 * (1 + intBelow(random, 200));
  const pump = pick(random, PUMPS);
  const text = (pump + 'a'.repeat(intBelow(random, 2) * 50)).repeat(length).slice(0, length);
  const call = {
    chat_id: pick(random, ownChats),
    parse_mode: pick(random, ['HTML', 'MarkdownV2', 'Markdown']),
    text: intBelow(random, 2) === 0 ? text : pump + 'a'.repeat(length),
  };
  const headers = [JSON_TYPE, ASYNC];
  const bytes = request('POST', `/bot${token}/sendMessage`, headers, JSON.stringify(call));
  return harmless('platform', 'a text made to be slow', bytes);
};

const longNames: Maker = (random, arms) => {
  const long = pick(random, ['1', 'a', '@a', '-', ' ']).repeat(300 + intBelow(random, 40_000));
  const message = { to: { platform: 'telegram', account: arms.account, chat: arms.otherChat } };
  const body = pick<object>(random, [
    { to: { ...message.to, chat: long }, body: { text: 'x' } },
    { to: { ...message.to, account: long }, body: { text: 'x' } },
    { to: { ...message.to, thread: long }, body: { text: 'x' } },
    { ...message, body: { text: 'x' }, session: long },
    { ...message, body: { text: 'x' }, correlation: long },
    { ...message, body: { text: 'x' }, coalesce: long },
    { ...message, body: { text: 'x' }, idempotencyKey: long },
    { ...message, body: { text: 'x' }, method: long },
  ]);
  const headers = [JSON_TYPE, bearer(arms.keys.admin)];
  const bytes = request('POST', '/v1/messages', headers, JSON.stringify(body));
  return refused('problem', 'names too long', bytes);
};

// A growing text whose events are poison: the stream may begin, and ends in order.
const poisonFeed: Maker = (random, { keys, account, ownChats }) => {
  const query = form({ account, platform: 'telegram', chat: String(pick(random, ownChats)) });
  const line = pick(random, [
    nested(random),
    '{"text":null}',
    '{"choices":[{"delta":{"content":{}}}]}',
    '\u0000',
    'x'.repeat(300_000),
    '{"sluice:parts":null}',
  ]);
  const type = pick(random, ['text/event-stream', 'application/x-ndjson', 'text/plain']);
  const body = type === 'text/event-stream' ? `data: ${line}\n\n` : `${line}\n`;
  const headers = [`Content-Type: ${type}`, bearer(keys.admin)];
  const verb = pick(random, ['PUT', 'POST']);
  return harmless(
    'problem',
    'poison in a feed',
    request(verb, `/v1/streams?${query}`, headers, body),
  );
};

const webhook: Maker = (random, { account, otherChat }) => {
  const path = `/webhook/telegram/${pick(random, [account, '4242', 'x'.repeat(300), '..%2f..'])}`;
  const secret = pick(random, ['', 'wrong', 'x'.repeat(5000)]);
  const update = `{"update_id":1,"message":{"chat":{"id":${otherChat}},"text":${nested(random)}}}`;
  const headers = [JSON_TYPE, `X-Telegram-Bot-Api-Secret-Token: ${secret}`];
  const body = pick(random, [update, '{}', '[]', update.slice(0, 50)]);
  return refused('problem', 'forged webhook', request('POST', path, headers, body));
};

// Objects that throw when they are asked for their text or number, wherever one of these is expected.
const WILD: readonly unknown[] = [
  { toString: 1 },
  { toString: 1, valueOf: 1 },
  { toString: null },
  [{ toString: 1 }],
];
const WILD_CALLS: Readonly<Record<string, readonly string[]>> = {
  '': ['method', 'chat_id'],
  sendMessage: ['chat_id', 'text', 'parse_mode', 'message_thread_id', 'reply_parameters'],
  editMessageText: ['chat_id', 'message_id', 'inline_message_id', 'text', 'parse_mode'],
  deleteMessages: ['chat_id', 'message_ids'],
  answerCallbackQuery: ['callback_query_id', 'text'],
  getUpdates: ['timeout', 'offset', 'allowed_updates'],
  sendMediaGroup: ['chat_id', 'media'],
};

const wildScalars: Maker = (random, { token, ownChats }) => {
  const method = pick(random, Object.keys(WILD_CALLS));
  const names = WILD_CALLS[method]!;
  const params: Record<string, unknown> = { chat_id: pick(random, ownChats), text: 'x'.repeat(10) };
  if (intBelow(random, 3) === 0) params.text = 'x'.repeat(5000);
  params[pick(random, names)] = pick(random, WILD);
  if (intBelow(random, 2) === 0) params.reply_parameters = { message_id: 1, chat_id: WILD[0] };
  const path = `/bot${token}/${method}`;
  const bytes = request('POST', path, [JSON_TYPE, 'Prefer: respond-async'], JSON.stringify(params));
  return harmless('platform', 'objects for scalars', bytes);
};

export const POISON: readonly Maker[] = [
  deepBody,
  deepField,
  deepQuery,
  manyMembers,
  deepRest,
  deepRest,
  longNames,
  webhook,
];
// They may be taken and then wait for the platform: few of them, so that the queue stays short.
export const HARMLESS_POISON: readonly Maker[] = [
  reservedRest,
  reservedCall,
  slowText,
  poisonFeed,
  wildScalars,
];
