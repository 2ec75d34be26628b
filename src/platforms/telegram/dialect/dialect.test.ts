// What is a token, a method or a file, and nothing else; and one set of parameters from wherever they come.

import { describe, expect, test } from 'vitest';
import { NO_FILES } from '../../../domain/body.ts';
import { DIALECT } from './dialect.ts';

const { heldMs, locate, located, own: OWN, read } = DIALECT;
const TOKEN = '42:AA-x_y';
const at = (url: string, verb = 'GET') => locate({ verb, url, headers: {} });
const call = (method = '') => located(TOKEN, method)!;

describe('paths', () => {
  test.each([
    [`/bot${TOKEN}/getMe`, TOKEN, 'getMe'],
    [`/bot${TOKEN}/getMe?chat_id=1/2`, TOKEN, 'getMe'],
    [`/bot${TOKEN}/test/getMe`, `${TOKEN}/test`, 'getMe'],
    [`/bot${TOKEN}/`, TOKEN, ''],
    ['/bot42%3AAA-x_y/getMe', TOKEN, 'getMe'],
  ])('%s is a call', (url, credential, method) => {
    expect(at(url)).toMatchObject({ kind: 'call', credential, method });
    expect(at(url, 'PUT')).toMatchObject({ kind: 'refused', credential, answer: { status: 405 } });
    expect(OWN.test(url)).toBe(true);
  });

  test.each([
    ['/bot42/getMe', '/botAA:x/getMe', `/bot${TOKEN}/get.Me`, `/bot${TOKEN}/a/b`],
    // A slash behind a method is a part of its name, which the Bot API does not know.
    [`/bot${TOKEN}/sendMessage/`, `/bot${TOKEN}//sendMessage`, `/bot${TOKEN}/sendMessage%2F`],
    [`/bot${TOKEN}/../getMe`, `/bot${TOKEN}%2F..%2FgetMe`, '/bot%', '/v1/messages'],
    [`/file/bot${TOKEN}/../x`, `/file/bot${TOKEN}/a//b`, `/file/bot${TOKEN}/a%0a`],
  ])('%s and the like are nothing', (...urls) => {
    for (const url of urls) expect(at(url), url).toBeNull();
  });

  test('a file’s path is encoded again', () => {
    const file = { kind: 'file', credential: TOKEN, method: 'getFile' };
    expect(at(`/file/bot${TOKEN}/a b/c%3Fd`)).toEqual({ ...file, path: 'a%20b/c%3Fd' });
  });

  test('a call from inside the process is one that a path could say', () => {
    expect(located(TOKEN, 'getMe')).toEqual(at(`/bot${TOKEN}/getMe`));
    for (const [token, method] of [
      ['42:x/../1:y', 'getMe'],
      [TOKEN, 'get/Me'],
      ['', 'getMe'],
    ]) {
      expect(located(token!, method!)).toBeNull();
    }
  });
});

describe('parameters', () => {
  test('are one set, the query first', () => {
    const query = { chat_id: ['1', '2'], text: 'query' };
    const body = { text: 'body', more: true, 'sluice:files': 'not ours' };
    expect(read(call('sendMessage'), { query, body, files: NO_FILES })).toEqual({
      ...{ kind: 'call', method: 'sendMessage' },
      params: { chat_id: '1', text: 'query', more: true },
    });
  });

  test('may name the method', () => {
    const given = { query: { method: 'getMe' }, body: undefined, files: NO_FILES };
    expect(read(call(), given)).toMatchObject({ kind: 'call', method: 'getMe' });
    const none = read(call(), { ...given, query: { method: {} } });
    expect(none).toMatchObject({ kind: 'refused', answer: { status: 404 } });
  });

  test('a file that nothing refers to is the parameter of its name', () => {
    const file = { id: 'i', name: 'n', type: 't', size: 1 };
    const body = { media: '[{"media":"attach://one"}]' };
    const params = { media: body.media, photo: 'attach://photo' };
    const given = { query: {}, body, files: { one: file, photo: file } };
    expect(read(call('x'), given)).toMatchObject({ params });
  });

  test('a body that is no object is refused', () => {
    for (const body of [[], 'text', 5]) {
      const refused = read(call('x'), { query: {}, body, files: NO_FILES });
      expect(refused).toMatchObject({ kind: 'refused', answer: { status: 400 } });
    }
  });

  test('a long poll is held as long as it may be', () => {
    const held = [{}, { timeout: 7 }, { timeout: '7' }, { timeout: 1e9 }, { timeout: -1 }];
    expect(held.map(heldMs)).toEqual([0, 7000, 7000, 50_000, 0]);
  });
});
