// Calls of the dialect from inside the process: the same answers as over HTTP, without a server.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Bench, bench, TOKEN } from './context.fixture.ts';
import { callInProcess, type InProcessCall } from './in-process.ts';

let at: Bench;
beforeEach(async () => {
  at = await bench();
});
afterEach(() => at.app.close());

const SENT = { ok: true, result: { message_id: 5 } };
const text = { chat_id: -100, text: 'hi' };
const call = (made: Partial<InProcessCall> = {}) =>
  callInProcess(at.dialects, {
    ...{ platform: 'telegram', token: TOKEN, method: 'sendMessage', params: text },
    ...made,
  });
const endAsSent = () => {
  at.road.onWait = (seq) => at.road.end(seq, 'sent', { result: JSON.stringify(SENT) });
};

test('is answered as it is over HTTP, before any server is ready', async () => {
  endAsSent();
  expect(await call()).toEqual(SENT);
  const over = await at.app.inject({ method: 'POST', url: `/bot${TOKEN}/sendMessage`, body: text });
  expect(over.json()).toEqual(SENT);
  const [own, other] = at.road.submitted;
  expect(own).toMatchObject({ account: 'telegram:42', chat: '-100', body: other!.body });
});

test('parameters are what their JSON says', async () => {
  endAsSent();
  const at0 = new Date(0);
  await call({ params: { ...text, left_out: undefined, at: at0 } });
  expect(JSON.parse(at.road.submitted[0]!.body)).toEqual({ ...text, at: at0.toISOString() });
});

test('files of a form lie in the spool until the call is answered', async () => {
  endAsSent();
  const params = new FormData();
  params.set('chat_id', '-100');
  params.set('photo', new Blob(['picture']), 'a.png');
  expect(await call({ method: 'sendPhoto', params })).toEqual(SENT);
  expect(at.road.submitted[0]!.files).toHaveLength(1);
  expect([...at.spooled.values()]).toEqual([0]);
});

describe('refusals are values, in the words of the platform', () => {
  test.each<[string, Partial<InProcessCall>, number]>([
    ['a token that is none', { token: 'x/../y' }, 404],
    ['a token that the platform refuses', { token: '42:bad-token' }, 401],
    ['a method that is none', { method: 'send message' }, 404],
    ['a call without a chat', { params: { text: 'hi' } }, 400],
    ['more than is read', { params: { ...text, text: 'x'.repeat(70_000) } }, 413],
    ['a value that is no JSON', { params: { ...text, n: 5n } }, 400],
  ])('%s', async (_name, made, status) => {
    expect(await call(made)).toMatchObject({ ok: false, error_code: status });
    expect(at.road.submitted).toEqual([]);
  });

  test('a platform without a dialect is a mistake of the caller', async () => {
    await expect(call({ platform: 'terminal' })).rejects.toThrow('terminal has no dialect');
  });

  test('a gateway that stops', async () => {
    await at.app.close();
    expect(await call()).toMatchObject({ ok: false, error_code: 503 });
    expect(at.road.submitted).toEqual([]);
  });
});

describe('its signal', () => {
  test('ends the waiting, and not the delivery', async () => {
    const leaving = new AbortController();
    at.road.onWait = () => leaving.abort(new Error('enough'));
    await expect(call({ signal: leaving.signal })).rejects.toThrow('enough');
    expect(at.road.submitted).toHaveLength(1);
  });

  test('that came before it lets nothing begin', async () => {
    await expect(call({ signal: AbortSignal.abort() })).rejects.toThrow();
    expect(at.road.submitted).toEqual([]);
  });
});
