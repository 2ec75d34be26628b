// Calls with files: what goes onto the wire, and what Telegram need not be sent again.

import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { bodyOf, type SpooledFile } from '../../domain/body.ts';
import type { HttpRequest, Reply } from '../../system/http/transport.ts';
import { createTelegram } from './telegram.ts';

const CONTENTS = new Map([
  ['a'.repeat(43), 'AAAA'],
  ['b'.repeat(43), 'BB'],
]);
const file = (letter: string, name: string, type = 'image/png'): SpooledFile => ({
  id: letter.repeat(43),
  name,
  type,
  size: CONTENTS.get(letter.repeat(43))?.length ?? 1,
});
const source = {
  has: (id: string) => CONTENTS.has(id),
  read: (id: string) => Readable.from([Buffer.from(CONTENTS.get(id)!)]),
};

const ok = (result: unknown): Reply => answer(200, { ok: true, result });
const no = (description: string): Reply => answer(400, { ok: false, error_code: 400, description });
function answer(status: number, body: object): Reply {
  return { kind: 'answered', status, headers: {}, body: JSON.stringify(body) };
}

function bench(replies: Reply[], reuse = true) {
  const seen: { request: HttpRequest; body: string }[] = [];
  const transport = {
    async request(request: HttpRequest) {
      const { body } = request;
      seen.push({ request, body: body instanceof Readable ? await text(body) : (body ?? '') });
      return replies.shift() ?? ok(true);
    },
    stream: () => Promise.reject(new Error('not asked')),
    close: async () => {},
  };
  const telegram = createTelegram({ transport, sandbox: transport, files: source, reuse });
  const send = (
    method: string,
    params: object,
    files: Record<string, SpooledFile>,
    bot: number | string = 1,
  ) =>
    telegram.wire.send({
      credential: typeof bot === 'string' ? bot : `${bot}:secret`,
      method,
      body: bodyOf({ ...params }, files),
      deadlineMs: 1000,
    });
  return { seen, send, telegram };
}

const PHOTO = { photo: [{ file_id: 'small' }, { file_id: 'P1' }] };
const ALBUM = {
  media: JSON.stringify([
    { type: 'photo', media: 'attach://x', caption: 'one' },
    { type: 'document', media: 'attach://y', thumbnail: 'attach://t' },
  ]),
};
const ALBUM_FILES = { x: file('a', 'x.png'), y: file('b', 'y.pdf'), t: file('a', 't.png') };

describe('a call with files', () => {
  test('is a form of known length; only parts that are referred to go', async () => {
    const { seen, send } = bench([]);
    const params = { chat_id: 5, photo: 'attach://photo', caption: 'é', reply_markup: { a: [1] } };
    await send('sendPhoto', params, {
      photo: file('a', 'we"ird\r\n.png', 'image/png; x=y'),
      unused: file('b', 'b'),
    });
    const { request, body } = seen[0]!;
    expect(request.headers['content-length']).toBe(String(Buffer.byteLength(body)));
    const boundary = /boundary=(.+)/.exec(request.headers['content-type']!)![1]!;
    const parts = body.split(`--${boundary}`).slice(1, -1);
    expect(parts.map((part) => part.trim().replaceAll('\r\n', '|'))).toEqual([
      'Content-Disposition: form-data; name="chat_id"||5',
      'Content-Disposition: form-data; name="caption"||é',
      'Content-Disposition: form-data; name="reply_markup"||{"a":[1]}',
      'Content-Disposition: form-data; name="photo"; filename="we%22ird%0D%0A.png"' +
        '|Content-Type: application/octet-stream||AAAA',
    ]);
    expect(body.endsWith(`--${boundary}--\r\n`)).toBe(true);
    expect(request.deadlineMs).toBeGreaterThan(1000);
  });

  test('is refused for good when a file is gone', async () => {
    const { seen, send, telegram } = bench([]);
    const reply = await send('sendPhoto', { photo: 'attach://photo' }, { photo: file('c', 'c') });
    expect(telegram.wire.classify('sendPhoto', reply)).toMatchObject({
      kind: 'refused',
      cure: null,
    });
    expect(seen).toEqual([]);
  });

  test('keeps its files through a cure', async () => {
    const { seen, send, telegram } = bench([]);
    const cured = telegram.repairs!.cure(
      { kind: 'drop_sent', count: 1 },
      'sendMediaGroup',
      bodyOf({ chat_id: 1, ...ALBUM }, ALBUM_FILES),
    )!;
    await telegram.wire.send({ credential: '1:s', method: 'x', body: cured.body, deadlineMs: 1 });
    await send('sendMediaGroup', { chat_id: 1, ...ALBUM }, ALBUM_FILES);
    const names = ({ body }: { body: string }) => body.match(/filename="[^"]+"/g);
    expect(names(seen[0]!)).toEqual(['filename="y.pdf"', 'filename="t.png"']);
    expect(names(seen[1]!)).toHaveLength(3);
  });
});

describe('what Telegram has', () => {
  const photo = { chat_id: 5, photo: 'attach://photo' };
  const files = { photo: file('a', 'a.png') };

  test('is named by its id: same bot, same kind, same content', async () => {
    const { seen, send } = bench([ok(PHOTO), ok(PHOTO)]);
    await send('sendPhoto', photo, files);
    await send('sendPhoto', { ...photo, chat_id: 6 }, { photo: file('a', 'other-name.png') });
    expect(seen[1]!.request.headers['content-type']).toBe('application/json');
    expect(JSON.parse(seen[1]!.body)).toEqual({ chat_id: 6, photo: 'P1' });
    await send('sendPhoto', photo, files, 2);
    await send('sendPhoto', photo, files, '1:sandbox');
    await send('sendDocument', { document: 'attach://f' }, { f: file('a', 'a.png') });
    await send('sendPhoto', photo, { photo: file('b', 'b.png') });
    for (const { body } of seen.slice(2)) expect(body).toContain('filename=');
  });

  const SENT: Readonly<Record<string, object>> = {
    document: { document: { file_id: 'D1' } },
    audio: { audio: { file_id: 'A1' } },
    video: { video: { file_id: 'V1' } },
  };

  test.each<[string, string, object, Record<string, SpooledFile>]>([
    ['another name', 'document', {}, { f: file('a', 'tuesday.txt') }],
    ['another type', 'document', {}, { f: file('a', 'monday.txt', 'text/plain') }],
    ['another title', 'audio', { title: 'Two' }, {}],
    ['another performer', 'audio', { performer: 'They' }, {}],
    ['another length', 'audio', { duration: 9 }, {}],
    ['another thumbnail', 'document', { thumbnail: 'attach://t' }, { t: file('b', 't.png') }],
    ['another size', 'video', { width: 3 }, {}],
    ['another start', 'video', { start_timestamp: 3 }, {}],
    ['what is not known yet', 'video', { some_new_thing: 1 }, {}],
  ])('is sent again with %s', async (_name, kind, more, others) => {
    const { seen, send } = bench([ok(SENT[kind]), ok(SENT[kind]), ok(SENT[kind])]);
    const method = `send${kind[0]!.toUpperCase()}${kind.slice(1)}`;
    const given = { chat_id: 5, [kind]: 'attach://f', title: 'One' };
    const known = { f: file('a', 'monday.txt') };
    await send(method, given, known);
    await send(method, { ...given, ...more }, { ...known, ...others });
    await send(method, { ...given, chat_id: 6, caption: 'x', reply_markup: {} }, known);
    expect(seen.map(({ body }) => body.includes('filename='))).toEqual([true, true, false]);
  });

  test('is sent again where only a new file will do', async () => {
    const { seen, send } = bench([ok(PHOTO), ok(true)]);
    await send('sendPhoto', photo, files);
    await send('setChatPhoto', photo, files);
    expect(seen[1]!.body).toContain('filename=');
  });

  test('also in an album, except for what has no id', async () => {
    const messages = [PHOTO, { document: { file_id: 'D1' } }];
    const { seen, send } = bench([ok(messages), ok(messages)]);
    const album = { media: JSON.parse(ALBUM.media) as object[] };
    await send('sendMediaGroup', ALBUM, ALBUM_FILES);
    await send('sendMediaGroup', album, ALBUM_FILES);
    const { body } = seen[1]!;
    expect(body).toContain('"media":"P1"');
    expect(body).toContain('"media":"D1"');
    expect(body.match(/filename="[^"]+"/g)).toEqual(['filename="t.png"']);
  });

  test('an id it no longer knows costs one more call, with the bytes', async () => {
    const wrong = no('Bad Request: wrong file identifier/HTTP URL specified');
    const { seen, send } = bench([ok(PHOTO), wrong, ok(PHOTO)]);
    await send('sendPhoto', photo, files);
    const reply = await send('sendPhoto', photo, files);
    expect(reply).toMatchObject({ status: 200 });
    expect(seen.map(({ body }) => body.includes('filename='))).toEqual([true, false, true]);
    const other = no('Bad Request: chat not found');
    const again = bench([ok(PHOTO), other]);
    await again.send('sendPhoto', photo, files);
    expect(await again.send('sendPhoto', photo, files)).toEqual(other);
    expect(again.seen).toHaveLength(2);
  });

  test('is sent again where that is asked for', async () => {
    const { seen, send } = bench([ok(PHOTO)], false);
    await send('sendPhoto', photo, files);
    await send('sendPhoto', photo, files);
    expect(seen[1]!.body).toContain('filename=');
  });
});
