// The simulated Discord against what its documents say.

import { describe, expect, test } from 'vitest';
import { createDiscordModel } from './model.ts';
import type { SimDiscordOptions } from './options.ts';

const TOKEN = '1.token';
const START = 1_800_000_000_000;

function discord(options: Partial<SimDiscordOptions> = {}) {
  const model = createDiscordModel({ options });
  const ask = (verb: string, path: string, params: object = {}, now = START, token = TOKEN) => {
    const headers = { authorization: `Bot ${token}` };
    const url = `/api/v10${path}`;
    const { answer, call } = model.request({ verb, url, headers, params: { ...params } }, now);
    const body = answer.body === '' ? null : JSON.parse(answer.body);
    return { ...answer, body, call };
  };
  const send = (channel: string, content: string, now = START) =>
    ask('POST', `/channels/${channel}/messages`, { content }, now);
  return { model, ask, send };
}

describe('buckets', () => {
  test('tell what is left, and give it back one by one', () => {
    const { send } = discord();
    const left = [0, 1, 2, 3, 4].map(() => send('5', 'x').headers['x-ratelimit-remaining']);
    expect(left).toEqual(['4', '3', '2', '1', '0']);
    const refused = send('5', 'x');
    expect(refused).toMatchObject({ status: 429, body: { retry_after: 1, global: false } });
    expect(refused.headers).toMatchObject({ 'x-ratelimit-scope': 'user', 'retry-after': '1' });
    expect(send('5', 'x', START + 999).status).toBe(429);
    expect(send('5', 'x', START + 1000).status).toBe(200);
    expect(send('6', 'x', START + 1000).status).toBe(200);
  });

  test('or all together, in windows', () => {
    const { send } = discord({ shape: 'fixed' });
    for (let i = 0; i < 5; i++) send('5', 'x', START + i);
    expect(send('5', 'x', START + 4999)).toMatchObject({
      status: 429,
      body: { retry_after: 0.001 },
    });
    expect(send('5', 'x', START + 5000).headers['x-ratelimit-remaining']).toBe('4');
  });

  test('creating and editing have one name and two counters', () => {
    const { send, ask } = discord();
    const first = send('5', 'x');
    for (let i = 0; i < 4; i++) send('5', 'x');
    const edited = ask('PATCH', `/channels/5/messages/${first.body.id}`, { content: 'y' });
    expect(edited.status).toBe(200);
    expect(edited.headers['x-ratelimit-bucket']).toBe(first.headers['x-ratelimit-bucket']);
  });

  test('of a bot there are fifty a second over all channels', () => {
    const { send } = discord();
    for (let i = 0; i < 50; i++) expect(send(String(100 + i), 'x').status).toBe(200);
    expect(send('999', 'x')).toMatchObject({ status: 429, body: { global: true } });
    expect(send('999', 'x', START + 1000).status).toBe(200);
  });

  test('a webhook has a limit that no header tells of', () => {
    const { ask } = discord();
    const statuses = Array.from({ length: 31 }, (_, i) => {
      const at = START + i * 500;
      return ask('POST', '/webhooks/7/sandbox-1', { content: 'x' }, at, '');
    });
    expect(statuses.filter(({ status }) => status === 204)).toHaveLength(30);
    const last = statuses.at(-1)!;
    expect(last.headers['x-ratelimit-scope']).toBe('shared');
    expect(Number(last.headers['x-ratelimit-remaining'])).toBeGreaterThan(0);
    expect(last.call.cause).toBe('hidden');
  });
});

describe('messages', () => {
  test('a nonce that is enforced makes one message, for some minutes', () => {
    const { ask, model } = discord();
    const body = { content: 'x', nonce: 'n', enforce_nonce: true };
    const post = (now: number) => ask('POST', '/channels/5/messages', body, now).body.id;
    const first = post(START);
    expect(post(START + 1000)).toBe(first);
    expect(post(START + 400_000)).not.toBe(first);
    expect(model.messagesOf('5')).toHaveLength(2);
  });

  test.each([
    [{ content: 'x'.repeat(2001) }, 50035],
    [{ content: '' }, 50006],
    [{}, 50006],
    [{ content: 'x', nonce: 'n'.repeat(26) }, 50035],
    [{ embeds: Array(11).fill({ title: 'x' }) }, 50035],
  ])('%o is refused', (params, code) => {
    const { ask } = discord();
    expect(ask('POST', '/channels/5/messages', params)).toMatchObject({
      status: 400,
      body: { code },
    });
  });

  test('are deleted one by one and together, and not found any more', () => {
    const { ask, send } = discord();
    const ids = ['a', 'b', 'c'].map((text) => send('5', text).body.id);
    expect(ask('DELETE', `/channels/5/messages/${ids[0]}`).status).toBe(204);
    expect(ask('DELETE', `/channels/5/messages/${ids[0]}`).body.code).toBe(10008);
    const messages = ids.slice(1);
    expect(ask('POST', '/channels/5/messages/bulk-delete', { messages }).status).toBe(204);
    expect(ask('GET', '/channels/5/messages').body).toEqual([]);
  });

  test('a channel without the permission says so, a wrong token and a wrong path too', () => {
    const { ask, send, model } = discord();
    model.setChat('5', { kind: 'blocked' });
    expect(send('5', 'x')).toMatchObject({ status: 403, body: { code: 50013 } });
    expect(ask('GET', '/users/@me', {}, START, 'nobody').status).toBe(401);
    expect(ask('GET', '/nowhere').status).toBe(404);
    expect(ask('PUT', '/users/@me').status).toBe(405);
  });
});

test('ten thousand refusals in ten minutes are a ban of an hour', () => {
  const { model, send } = discord({ invalid: { count: 20, perMs: 600_000 } });
  model.setChat('5', { kind: 'blocked' });
  for (let i = 0; i <= 20; i++) send('5', 'x', START + i * 1000);
  const url = '/api/v10/users/@me';
  const asked = { verb: 'GET', url, headers: { authorization: `Bot ${TOKEN}` }, params: {} };
  const { answer, call } = model.request(asked, START + 30_000);
  expect([answer.status, call.cause, answer.headers.via]).toEqual([429, 'ban', undefined]);
  expect(answer.body).toMatch(/^<html>/);
});

test('an interaction is answered once and in time, and followed up for a while', () => {
  const { model, ask } = discord();
  const { posted } = model.inject(TOKEN, '5', 'hi', START);
  const { id, token } = posted as { id: string; token: string };
  const answer = (now: number) =>
    ask('POST', `/interactions/${id}/${token}/callback`, { type: 5 }, now, '');
  expect(answer(START + 3001)).toMatchObject({ status: 404, body: { code: 10062 } });
  expect(answer(START + 3000).status).toBe(204);
  expect(answer(START + 3000)).toMatchObject({ status: 400, body: { code: 40060 } });
  const more = (now: number) =>
    ask('POST', `/webhooks/1/${token}`, { content: 'x' }, now, '').status;
  expect([more(START + 900_000), more(START + 900_001)]).toEqual([200, 401]);
});
