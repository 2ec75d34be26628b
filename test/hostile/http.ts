// What breaks HTTP, or the platform's own dialect: bytes, headers, paths, forms, tokens.

import { intBelow, pick } from '../../src/system/random.ts';
import {
  HOST,
  head,
  JSON_TYPE,
  type Maker,
  noise,
  PARTS_TYPE,
  refused,
  request,
} from './attack.ts';

const LONG_PATH = 6000;
const HUGE_HEADER = 40_000;

const MESSAGE = JSON.stringify({
  chat_id: 5,
  text: 'hello "you" \\ there',
  reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: 'b' }]] },
});

const brokenJson: Maker = (random, { token }) => {
  const cut = MESSAGE.slice(0, 1 + intBelow(random, MESSAGE.length - 2));
  const body = pick<string | Buffer>(random, [
    cut,
    `${MESSAGE}}`,
    `${'['.repeat(1000)}${cut}`,
    `{"chat_id":5,"__proto__":{"text":"x"}}`,
    `{"chat_id":5,"constructor":{"prototype":{"text":"x"}}}`,
    Buffer.concat([Buffer.from('{"chat_id":'), noise(random, 20)]),
    Buffer.from(MESSAGE, 'utf16le'),
  ]);
  const bytes = request('POST', `/bot${token}/sendMessage`, [JSON_TYPE], body);
  return refused('platform', 'broken JSON', bytes, 400);
};

const wrongTypes: Maker = (random, { token }) => {
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
    `{"chat_id":"${'9'.repeat(40_000)}","text":"x"}`,
    '{"text":"x"}',
  ]);
  const method = pick(random, ['sendMessage', 'sendPhoto', 'editMessageText', 'deleteMessage']);
  const bytes = request('POST', `/bot${token}/${method}`, [JSON_TYPE], body);
  return refused('platform', 'wrong types', bytes, 400);
};

const hugeHeaders: Maker = (random, { token }) => {
  const value = 'x'.repeat(HUGE_HEADER + intBelow(random, HUGE_HEADER));
  const many = Array.from({ length: 3000 }, (_, i) => `X-${i}: ${i}`);
  const headers = pick(random, [[`X-Large: ${value}`], many, [`Cookie: ${value}`]]);
  const path = pick(random, [`/bot${token}/getMe`, '/v1/messages', '/']);
  return refused('bare', 'huge headers', head('GET', path, headers), 431);
};

const truncatedForm: Maker = (random, { token }) => {
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
  const type = pick(random, [PARTS_TYPE, PARTS_TYPE, 'Content-Type: multipart/form-data']);
  const bytes = request('POST', `/bot${token}/sendPhoto`, [type], body);
  return refused('platform', 'broken form', bytes, 400);
};

const pathTricks: Maker = (random, { token }) => {
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
  return refused('platform', 'path tricks', head('GET', path), 404);
};

const SECRET_LETTERS = [...'ABCDEFGHabcdefgh0123_-'];

const wrongTokens: Maker = (random) => {
  const number = String(1 + intBelow(random, 1e9));
  const secret = Array.from({ length: 35 }, () => pick(random, SECRET_LETTERS)).join('');
  const wellFormed = intBelow(random, 3) > 0;
  const token = wellFormed
    ? `${number}:${secret}`
    : pick(random, [number, `:${secret}`, `${number}:`, `${number}:${secret}:x`, `x${number}:y`]);
  const path = pick(random, [`/bot${token}/sendMessage`, `/bot${token}/getMe`]);
  const bytes = request('POST', path, [JSON_TYPE], '{"chat_id":5,"text":"x"}');
  // 429: more unknown tokens than the platform is asked about.
  const statuses = wellFormed ? [401, 429] : [404];
  return refused('platform', 'wrong tokens', bytes, ...statuses);
};

const wrongVerbs: Maker = (random, { token }) => {
  const verb = pick(random, ['PUT', 'DELETE', 'PATCH', 'OPTIONS']);
  const bytes = head(verb, `/bot${token}/sendMessage?chat_id=5&text=x`);
  return refused('platform', 'wrong verbs', bytes, 405);
};

const brokenHttp: Maker = (random, { token }) => {
  const path = `/bot${token}/sendMessage`;
  const bytes = pick<string | Buffer>(random, [
    `GET ${path}\0 HTTP/1.1\r\n${HOST}\r\n\r\n`,
    `FOO ${path} HTTP/1.1\r\n${HOST}\r\n\r\n`,
    `GET ${path} HTTP/9.9\r\n${HOST}\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\n${HOST}\r\nContent-Length: -1\r\n\r\n`,
    `POST ${path} HTTP/1.1\r\n${HOST}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
    `POST ${path} HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc`,
    `POST ${path} HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nNo colon here\r\n\r\n`,
    Buffer.concat([Buffer.from('\x16\x03\x01\x02\x00'), noise(random, 60)]),
  ]);
  return refused('bare', 'broken HTTP', bytes, 400);
};

const wrongHost: Maker = (random, { token }) => {
  const host = pick(random, ['evil.example', '169.254.169.254', 'localhost.evil.example']);
  const path = pick(random, [`/bot${token}/getMe`, '/v1/me', '/', '/health', '/login?token=x']);
  const text = head('GET', path).replace(HOST, `Host: ${host}`);
  return refused('bare', 'wrong host', text, 403);
};

const tooLarge: Maker = (random, { token }) => {
  const bytes = 2_000_000 + intBelow(random, 1e12);
  const type = pick(random, [JSON_TYPE, PARTS_TYPE, 'Content-Type: text/plain']);
  const length = type === PARTS_TYPE ? bytes + 1e9 : bytes;
  const text = head('POST', `/bot${token}/sendMessage`, [type, `Content-Length: ${length}`]);
  return refused('bare', 'too large', text, 413);
};

export const HTTP_ATTACKS: readonly Maker[] = [
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
