// Requests nobody should make, drawn from a seed: as bytes on a socket, with what may be answered to them.

import { intBelow, type Random } from '../../src/system/random.ts';

export interface Hostile {
  readonly kind: string;
  readonly bytes: Buffer;
  // What the platform would say; the first one is what we say.
  readonly statuses: readonly number[];
  // Before any route: HTTP itself is broken, so there are no words of the platform.
  readonly isBare: boolean;
}

const HOST = 'Host: 127.0.0.1';
const CLOSE = 'Connection: close';
const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: multipart/form-data; boundary=bbb';
const LONG_PATH = 6000;
const HUGE_HEADER = 40_000;

export function hostileRequest(random: Random, token: string): Hostile {
  const make = MAKERS[intBelow(random, MAKERS.length)]!;
  return make(random, token);
}

type Maker = (random: Random, token: string) => Hostile;

const pick = <T>(random: Random, from: readonly T[]): T => from[intBelow(random, from.length)]!;

function head(verb: string, path: string, headers: readonly string[]): string {
  return [`${verb} ${path} HTTP/1.1`, HOST, CLOSE, ...headers, '', ''].join('\r\n');
}

function post(path: string, type: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body as string);
  return Buffer.concat([
    Buffer.from(head('POST', path, [type, `Content-Length: ${bytes.length}`])),
    bytes,
  ]);
}

const said = (kind: string, bytes: Buffer | string, ...statuses: number[]): Hostile => {
  return { kind, bytes: Buffer.from(bytes as string), statuses, isBare: false };
};
const bare = (kind: string, bytes: Buffer | string, ...statuses: number[]): Hostile => {
  return { ...said(kind, bytes, ...statuses), isBare: true };
};

function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => intBelow(random, 256)));
}

const MESSAGE = JSON.stringify({
  chat_id: 5,
  text: 'hello "you" \\ there',
  reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: 'b' }]] },
});

const brokenJson: Maker = (random, token) => {
  const cut = MESSAGE.slice(0, 1 + intBelow(random, MESSAGE.length - 2));
  const body = pick<string | Buffer>(random, [
    cut,
    `${MESSAGE}}`,
    `${'['.repeat(1000)}${cut}`,
    `{"chat_id":5,"__proto__":{"text":"x"}}`,
    Buffer.concat([Buffer.from('{"chat_id":'), noise(random, 20)]),
  ]);
  return said('broken JSON', post(`/bot${token}/sendMessage`, JSON_TYPE, body), 400);
};

const wrongTypes: Maker = (random, token) => {
  const body = pick(random, [
    '[]',
    '42',
    '"text"',
    'true',
    '{"chat_id":{},"text":"x"}',
    '{"chat_id":[1],"text":"x"}',
    '{"chat_id":true,"text":"x"}',
    '{"chat_id":1.5,"text":"x"}',
    '{"chat_id":1e400,"text":"x"}',
    '{"chat_id":null,"text":"x"}',
    '{"chat_id":"","text":"x"}',
    '{"chat_id":"@","text":"x"}',
    '{"chat_id":"1; DROP TABLE deliveries","text":"x"}',
    `{"chat_id":${'9'.repeat(400)},"text":"x"}`,
    '{"text":"x"}',
  ]);
  const method = pick(random, ['sendMessage', 'sendPhoto', 'editMessageText', 'deleteMessage']);
  return said('wrong types', post(`/bot${token}/${method}`, JSON_TYPE, body), 400);
};

const hugeHeaders: Maker = (random, token) => {
  const value = 'x'.repeat(HUGE_HEADER + intBelow(random, HUGE_HEADER));
  const many = Array.from({ length: 3000 }, (_, i) => `X-${i}: ${i}`);
  const headers = pick(random, [[`X-Large: ${value}`], many, [`Cookie: ${value}`]]);
  return bare('huge headers', head('GET', `/bot${token}/getMe`, headers), 431);
};

const truncatedForm: Maker = (random, token) => {
  const part = (name: string, value: string) =>
    `--bbb\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file =
    '--bbb\r\nContent-Disposition: form-data; name="photo"; filename="../../etc/passwd"\r\n' +
    `Content-Type: image/png\r\n\r\n${'x'.repeat(intBelow(random, 5000))}`;
  const whole = part('chat_id', '5') + file;
  const body = pick(random, [
    whole,
    whole.slice(0, 10 + intBelow(random, whole.length - 10)),
    `${part('', 'x')}--bbb--\r\n`,
    'no form at all',
    '',
  ]);
  const type = pick(random, [FORM_TYPE, FORM_TYPE, 'Content-Type: multipart/form-data']);
  return said('broken form', post(`/bot${token}/sendPhoto`, type, body), 400);
};

const pathTricks: Maker = (random, token) => {
  const path = pick(random, [
    `/bot${token}/../../etc/passwd`,
    `/bot${token}/%2e%2e/%2e%2e/v1/keys`,
    `/bot${token}//getMe`,
    `/bot${token}/getMe%00`,
    `/bot${token}/getMe%2f..%2f..`,
    `/bot${token}/%ff%fe`,
    `/bot${token}/get%zzMe`,
    `/bot${token}/${'m'.repeat(1 + intBelow(random, LONG_PATH))}!`,
    `/bot${token}\\getMe`,
    `/bot${token}`,
    `/bot//getMe`,
    `/bot/getMe`,
    `/bot${token}/getMe;x=y`,
    `/file/bot${token}/../../../etc/passwd`,
    `/file/bot${token}/%2e%2e%2f%2e%2e%2fetc%2fpasswd`,
    `/file/bot${token}/a//b`,
    `/file/bot${token}/a%00b`,
    `/file/bot${token}/${'a/'.repeat(1000)}`,
    `/file/bot${token}/`,
  ]);
  return said('path tricks', head('GET', path, []), 404);
};

const wrongTokens: Maker = (random) => {
  const number = String(1 + intBelow(random, 1e9));
  const secret = Array.from({ length: 35 }, () => pick(random, [...'ABCDEFGHabcdefgh0123_-'])).join(
    '',
  );
  const wellFormed = intBelow(random, 3) > 0;
  const token = wellFormed
    ? `${number}:${secret}`
    : pick(random, [number, `:${secret}`, `${number}:`, `${number}:${secret}:x`, `x${number}:y`]);
  const path = pick(random, [`/bot${token}/sendMessage`, `/bot${token}/getMe`]);
  const body = '{"chat_id":5,"text":"x"}';
  // One address with very many of them is told to come back later.
  const statuses = wellFormed ? [401, 429] : [404];
  return said('wrong tokens', post(path, JSON_TYPE, body), ...statuses);
};

const wrongVerbs: Maker = (random, token) => {
  const verb = pick(random, ['PUT', 'DELETE', 'PATCH', 'OPTIONS']);
  return said('wrong verbs', head(verb, `/bot${token}/sendMessage?chat_id=5&text=x`, []), 405);
};

const brokenHttp: Maker = (random, token) => {
  const path = `/bot${token}/sendMessage`;
  const bytes = pick<string | Buffer>(random, [
    `GET ${path}\0 HTTP/1.1\r\n${HOST}\r\n\r\n`,
    `FOO ${path} HTTP/1.1\r\n${HOST}\r\n\r\n`,
    `GET ${path} HTTP/9.9\r\n${HOST}\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\n${HOST}\r\nContent-Length: -1\r\n\r\n`,
    `POST ${path} HTTP/1.1\r\n${HOST}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
    `POST ${path} HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc`,
    `GET ${path} HTTP/1.1\r\nNo colon here\r\n\r\n`,
    Buffer.concat([Buffer.from('\x16\x03\x01\x02\x00'), noise(random, 60)]),
  ]);
  return bare('broken HTTP', bytes, 400);
};

const wrongHost: Maker = (random, token) => {
  const host = pick(random, ['evil.example', '169.254.169.254', 'localhost.evil.example']);
  const text = head('GET', `/bot${token}/getMe`, []).replace(HOST, `Host: ${host}`);
  return bare('wrong host', text, 403);
};

const tooLarge: Maker = (random, token) => {
  const bytes = 2_000_000 + intBelow(random, 1e12);
  const type = pick(random, [JSON_TYPE, FORM_TYPE, 'Content-Type: text/plain']);
  const length = type === FORM_TYPE ? bytes + 1e9 : bytes;
  const text = head('POST', `/bot${token}/sendMessage`, [type, `Content-Length: ${length}`]);
  return bare('too large', text, 413);
};

const MAKERS: readonly Maker[] = [
  brokenJson,
  wrongTypes,
  hugeHeaders,
  truncatedForm,
  pathTricks,
  wrongTokens,
  wrongVerbs,
  brokenHttp,
  wrongHost,
  tooLarge,
];
