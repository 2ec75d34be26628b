// Holders of bounded keys and virtual tokens who reach for what is not theirs: decoys, spellings, duplicate keys,
// other people's messages, streams and letters.

import { pick, type Random } from '../../src/system/random.ts';
import {
  type Arms,
  ASYNC,
  type Attack,
  FORM_TYPE,
  form,
  harmless,
  head,
  JSON_TYPE,
  type KeyName,
  type Maker,
  PARTS_TYPE,
  parts,
  refused,
  request,
} from './attack.ts';

// Calls that name no chat: a chat_id beside them is a decoy.
const ACCOUNT_CALLS = [
  'getUpdates',
  'setWebhook',
  'deleteWebhook',
  'getWebhookInfo',
  'logOut',
  'close',
  'getFile',
  'setMyCommands',
  'setMyName',
  'setMyDescription',
  'answerCallbackQuery',
  'answerInlineQuery',
  'getStarTransactions',
  'refundStarPayment',
  'setMyDefaultAdministratorRights',
  'someFutureMethod',
] as const;

function spelled(random: Random, method: string): string {
  return pick(random, [method, method.toLowerCase(), method.toUpperCase()]);
}

function sent(random: Random, path: string, fields: Readonly<Record<string, string>>): Buffer {
  return pick(random, [
    () => request('POST', path, [FORM_TYPE, ASYNC], form(fields)),
    () => request('POST', path, [PARTS_TYPE, ASYNC], parts(fields)),
    () => request('POST', path, [JSON_TYPE, ASYNC], JSON.stringify(fields)),
    () => Buffer.from(head('GET', `${path}?${form(fields)}`, [ASYNC])),
  ])();
}

const decoy: Maker = (random, { chatToken, ownChats }) => {
  const method = spelled(random, pick(random, ACCOUNT_CALLS));
  const own = String(pick(random, ownChats));
  const name = pick(random, ['chat_id', 'CHAT_ID', 'from_chat_id', 'user_id']);
  const path = pick(random, [`/bot${chatToken}/${method}`, `/bot${chatToken}/?method=${method}`]);
  if (path.includes('?')) {
    return refused('platform', 'a decoy', head('GET', `${path}&${name}=${own}`), 403);
  }
  return refused('platform', 'a decoy', sent(random, path, { [name]: own }), 403);
};

const otherChat: Maker = (random, arms) => {
  const { chatToken, ownChats } = arms;
  const [own, other] = [String(pick(random, ownChats)), String(arms.otherChat)];
  const fields = pick<Record<string, string>>(random, [
    { chat_id: other, text: 'x' },
    { chat_id: own, from_chat_id: other, message_id: '1' },
    { chat_id: own, text: 'x', reply_parameters: `{"message_id":1,"chat_id":${other}}` },
  ]);
  const method = 'from_chat_id' in fields ? 'forwardMessage' : 'sendMessage';
  const path = `/bot${chatToken}/${spelled(random, method)}`;
  return refused('platform', 'another chat', sent(random, path, fields), 403);
};

// What the platform reads otherwise than a strict reader does. Taken or refused, but the other chat is never named.
const lenient: Maker = (random, arms) => {
  const [own, other] = [pick(random, arms.ownChats), arms.otherChat];
  const value = pick(random, [
    ` \n{"message_id":1,"chat_id":${other}}`,
    `{"message_id":1,"chat_id":${other},"chat_id":${own}}`,
    `{"message_id":1,"chat_id":${own},"chat_id":${other}}`,
    `{"message_id":1,"quote":"a\u0001\nb","chat_id":${other}}`,
    `{"message_id":1,"chat_id":+${other}}`,
    `{"message_id":1,"chat_id":0${other}}`,
    `{"message_id":1,"chat_id":"${other}"}`,
    `{"message_id":1,"chat_id":" ${other}"}`,
    `{"message_id":1,"chat\\u005fid":${other}}`,
    `{"message_id":1,"chat_id":${other}} trailing`,
    `"{\\"message_id\\":1,\\"chat_id\\":${other}}"`,
  ]);
  const fields = { chat_id: String(own), text: 'lenient', reply_parameters: value };
  const path = `/bot${arms.chatToken}/sendMessage`;
  return harmless('platform', 'JSON that is read in two ways', sent(random, path, fields));
};

const chatSpellings: Maker = (random, arms) => {
  const [own, other] = [pick(random, arms.ownChats), arms.otherChat];
  const path = `/bot${arms.chatToken}/sendMessage`;
  const asJson = (body: string) => request('POST', path, [JSON_TYPE, ASYNC], body);
  const bytes = pick(random, [
    asJson(`{"chat_id":${other},"chat_id":${own},"text":"twice"}`),
    asJson(`{"chat_id":${own},"chat_id":${other},"text":"twice"}`),
    Buffer.from(head('GET', `${path}?chat_id=${own}&chat_id=${other}&text=twice`, [ASYNC])),
    Buffer.from(head('GET', `${path}?chat_id=${other}&chat_id=${own}&text=twice`, [ASYNC])),
    request('POST', `${path}?chat_id=${own}`, [FORM_TYPE, ASYNC], `chat_id=${other}&text=twice`),
    request('POST', `${path}?chat_id=${other}`, [FORM_TYPE, ASYNC], `chat_id=${own}&text=twice`),
    asJson(`{"chat_id":"0${other}","text":"x"}`),
    asJson(`{"chat_id":"+${other}","text":"x"}`),
    asJson(`{"chat_id":" ${other}","text":"x"}`),
    asJson(`{"chat_id":"${other}.0","text":"x"}`),
    asJson(`{"CHAT_ID":${other},"chat_id":${own},"text":"x"}`),
  ]);
  return harmless('platform', 'chats spelled in two ways', bytes);
};

const otherMethod: Maker = (random, { methodToken, otherChat: other }) => {
  const method = spelled(random, pick(random, ['sendPhoto', 'deleteMessage', 'banChatMember']));
  const fields = { chat_id: String(other), message_id: '1', photo: 'x', user_id: '7' };
  return refused(
    'platform',
    'another method',
    sent(random, `/bot${methodToken}/${method}`, fields),
    403,
  );
};

interface Reach {
  readonly key: KeyName;
  readonly route: string;
  readonly body?: object;
}

// Routes that would reach what belongs to others, with a key whose role would do.
function reaches(arms: Arms): readonly Reach[] {
  const { account, otherChat: chat, others } = arms;
  const to = { platform: 'telegram', account, chat };
  const content = { text: 'not mine' };
  const elsewhere = { platform: 'telegram', account: 'telegram:777', chat: arms.ownChats[0] };
  const own = { platform: 'telegram', account, chat: arms.ownChats[0] };
  return [
    { key: 'chatSender', route: 'POST /v1/messages', body: { to, body: content } },
    { key: 'chatSender', route: 'POST /v1/messages', body: { to: elsewhere, body: content } },
    {
      key: 'chatSender',
      route: 'POST /v1/messages',
      body: { to: own, method: 'getUpdates', body: { chat_id: arms.ownChats[0] } },
    },
    {
      key: 'chatSender',
      route: 'POST /v1/messages',
      body: { to: own, method: 'forwardMessage', body: { from_chat_id: chat, message_id: 1 } },
    },
    { key: 'chatSender', route: 'POST /v1/streams', body: { to, text: 'x' } },
    { key: 'chatSender', route: `PATCH /v1/streams/${others.stream}`, body: { replace: 'x' } },
    { key: 'chatSender', route: `POST /v1/streams/${others.stream}/final`, body: { replace: 'x' } },
    { key: 'chatSender', route: `DELETE /v1/streams/${others.stream}` },
    { key: 'chatSender', route: `GET /v1/streams/${others.stream}` },
    {
      key: 'chatSender',
      route: 'POST /v1/broadcasts',
      body: { to: { platform: 'telegram', account }, chats: [chat], body: content },
    },
    { key: 'chatSender', route: `GET /v1/messages/${others.queued}` },
    { key: 'chatSender', route: `GET /v1/messages/${others.queued}/explain` },
    { key: 'chatSender', route: `GET /v1/messages?account=${account}&chat=${chat}` },
    { key: 'chatSender', route: `GET /v1/messages?account=${account}` },
    { key: 'chatSender', route: 'GET /v1/messages' },
    { key: 'chatSender', route: `GET /v1/events?account=${account}` },
    { key: 'chatSender', route: 'GET /v1/overview' },
    { key: 'chatOperator', route: `DELETE /v1/messages/${others.queued}` },
    { key: 'chatOperator', route: `PATCH /v1/dead/${others.dead}`, body: { body: content } },
    { key: 'chatOperator', route: 'POST /v1/dead/retry', body: { ids: [others.dead] } },
    { key: 'chatOperator', route: 'POST /v1/dead/discard', body: { ids: [others.dead] } },
    { key: 'chatOperator', route: `POST /v1/accounts/${account}/pause`, body: {} },
    { key: 'methodOperator', route: `POST /v1/accounts/${account}/pause`, body: {} },
    { key: 'accountOperator', route: 'POST /v1/accounts/telegram:777/pause', body: {} },
    { key: 'chatOperator', route: `POST /v1/broadcasts/${others.broadcast}/cancel`, body: {} },
    { key: 'chatOperator', route: `DELETE /v1/audiences/${others.audience}` },
    {
      key: 'methodSender',
      route: 'POST /v1/messages',
      body: { to, method: 'deleteMessage', body: { message_id: 1 } },
    },
    { key: 'methodSender', route: `PATCH /v1/streams/${others.stream}`, body: { replace: 'x' } },
    { key: 'methodSender', route: `POST /v1/streams/${others.stream}/final`, body: {} },
    { key: 'methodSender', route: `DELETE /v1/streams/${others.stream}` },
    { key: 'methodOperator', route: `PATCH /v1/dead/${others.dead}`, body: { body: content } },
    { key: 'methodOperator', route: `DELETE /v1/messages/${others.queued}` },
  ];
}

const reachOut: Maker = (random, arms): Attack => {
  const { key, route, body } = pick(random, reaches(arms));
  const [verb, path] = route.split(' ') as [string, string];
  const headers = [`Authorization: Bearer ${arms.keys[key]}`];
  const bytes =
    body === undefined
      ? Buffer.from(head(verb, path, headers))
      : request(verb, path, [...headers, JSON_TYPE], JSON.stringify(body));
  return refused('problem', `beyond the bounds (${key}, ${route})`, bytes, 403, 404, 422);
};

export const BOUNDED: readonly Maker[] = [decoy, otherChat, otherMethod, reachOut, reachOut];
export const HARMLESS_BOUNDED: readonly Maker[] = [lenient, chatSpellings];
