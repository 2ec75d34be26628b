// The past of a channel as the simulated Discord shows it, against what its documents say.

import { describe, expect, test } from 'vitest';
import { createDiscordModel } from './model.ts';
import type { SimDiscordOptions } from './options.ts';

const TOKEN = '1.token';
const START = 1_800_000_000_000;
const WIDE = { count: 10_000, perMs: 1000 };

interface Shown {
  readonly id: string;
  readonly content: string;
}

function discord(options: Partial<SimDiscordOptions> = {}) {
  const model = createDiscordModel({ options: { global: WIDE, ...options } });
  let now = START;
  const ask = (verb: string, path: string, params: object = {}, token = TOKEN) => {
    const headers = { authorization: `Bot ${token}` };
    now += 1000;
    const url = `/api/v10${path}`;
    const { answer } = model.request({ verb, url, headers, params: { ...params } }, now);
    return { ...answer, body: answer.body === '' ? null : JSON.parse(answer.body) };
  };
  const send = (content: string) => ask('POST', '/channels/5/messages', { content }).body.id;
  const page = (query: string, token = TOKEN) =>
    ask('GET', `/channels/5/messages${query}`, {}, token);
  const texts = (query: string) => (page(query).body as Shown[]).map(({ content }) => content);
  return { model, ask, send, page, texts };
}

describe('a page', () => {
  test('has the newest first, and is bounded by ids', () => {
    const { send, texts } = discord();
    const ids = ['a', 'b', 'c', 'd', 'e'].map(send);
    expect(texts('')).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(texts('?limit=2')).toEqual(['e', 'd']);
    expect(texts(`?before=${ids[2]}`)).toEqual(['b', 'a']);
    // Those that come next, not the newest there are.
    expect(texts(`?after=${ids[0]}&limit=2`)).toEqual(['c', 'b']);
    expect(texts('?after=0&limit=2')).toEqual(['b', 'a']);
    expect(texts(`?around=${ids[2]}&limit=3`)).toEqual(['d', 'c', 'b']);
    expect(texts(`?after=${ids[4]}`)).toEqual([]);
  });

  test('has no message that was deleted, and edits as they are', () => {
    const { send, ask, page } = discord();
    const [one, two] = [send('one'), send('two')];
    ask('DELETE', `/channels/5/messages/${one}`);
    ask('PATCH', `/channels/5/messages/${two}`, { content: 'changed' });
    const [only] = page('').body;
    expect(only).toMatchObject({ id: two, content: 'changed', type: 0 });
    expect(Date.parse(only.edited_timestamp)).toBeGreaterThan(Date.parse(only.timestamp));
    expect(ask('GET', `/channels/5/messages/${one}`)).toMatchObject({
      status: 404,
      body: { code: 10008 },
    });
  });

  test('of what is no number of messages there is none', () => {
    const { page } = discord();
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?after=x']) {
      expect(page(query), query).toMatchObject({ status: 400, body: { code: 50035 } });
    }
  });

  test('has notes of the platform among the messages', () => {
    const { model, send, page } = discord();
    send('one');
    model.note('5', START + 60_000);
    expect(page('').body).toMatchObject([{ type: 7, content: '' }, { type: 0 }]);
  });

  test('comes out of a bucket of its own', () => {
    const { send, model } = discord({ readCount: 2 });
    const headers = { authorization: `Bot ${TOKEN}` };
    const url = '/api/v10/channels/5/messages';
    const ask = () => model.request({ verb: 'GET', url, headers, params: {} }, START).answer;
    expect([ask().headers['x-ratelimit-remaining'], ask().status]).toEqual(['1', 200]);
    expect(ask()).toMatchObject({ status: 429 });
    expect(send('another kind')).toEqual(expect.any(String));
  });
});

describe('who may read', () => {
  test('of a channel that is gone or hidden nothing is shown', () => {
    const { model, page, ask } = discord();
    model.setAccess('5', 'hidden');
    expect(page('')).toMatchObject({ status: 403, body: { code: 50001 } });
    expect(ask('GET', '/channels/5')).toMatchObject({ status: 403 });
    model.setAccess('5', 'gone');
    expect(ask('GET', '/channels/5')).toMatchObject({ status: 404, body: { code: 10003 } });
    model.setAccess('5', null);
    expect(page('').status).toBe(200);
  });

  test('without the permission for the past pages are empty and messages refused', () => {
    const { model, page, ask, send } = discord();
    const id = send('one');
    model.setAccess('5', 'past_hidden');
    expect(page('')).toMatchObject({ status: 200, body: [] });
    expect(ask('GET', `/channels/5/messages/${id}`)).toMatchObject({ status: 403 });
  });

  test('without the intent bots are told their own words alone', () => {
    const { send, page, ask } = discord({ messageContent: false });
    send('own');
    expect(page('').body).toMatchObject([{ content: 'own' }]);
    expect(page('', '2.token').body).toMatchObject([{ content: '' }]);
    expect(ask('GET', '/applications/@me').body.flags).toBe(0);
    expect(discord().ask('GET', '/applications/@me').body.flags).not.toBe(0);
  });
});
