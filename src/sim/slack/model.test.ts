import { expect, test } from 'vitest';
import type { SimParams } from '../params.ts';
import { createSlackModel, type SlackModel } from './model.ts';

const TOKEN = 'xoxb-1-2-sandbox';
const clock = { now: () => 0, schedule: () => ({ cancel() {} }) };

function caller(model: SlackModel, token = TOKEN) {
  const serving = model.serve(clock);
  return (method: string, params: SimParams, now = 0) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = serving.receive({ verb: 'POST', url: `/api/${method}`, headers, params });
    if (asked.kind !== 'call') throw new Error('it is a call');
    const { answer } = asked.judge(now);
    const body = JSON.parse(answer.body) as { ok: boolean; error?: string; ts?: string };
    return { ...body, status: answer.status, wait: answer.headers['retry-after'] };
  };
}

test('a channel takes a short burst, then a message a second', () => {
  const call = caller(createSlackModel({}));
  const post = (now: number) => call('chat.postMessage', { channel: 'C1', text: 'x' }, now);
  expect([0, 0, 0].map((now) => post(now).ok)).toEqual([true, true, true]);
  expect(post(0)).toMatchObject({ ok: false, error: 'ratelimited', status: 429, wait: '1' });
  expect(post(999).status).toBe(429);
  expect([1000, 2000, 3000].map((now) => post(now).ok)).toEqual([true, true, true]);
  expect(call('chat.postMessage', { channel: 'C2', text: 'x' }, 3000).ok).toBe(true);
});

test('a method has its tier in the workspace, whatever the channel', () => {
  const call = caller(createSlackModel({}));
  const { ts = '' } = call('chat.postMessage', { channel: 'C1', text: 'x' });
  const update = (now: number) => call('chat.update', { channel: 'C1', ts, text: 'y' }, now);
  for (let n = 0; n < 50; n++) expect(update(n).ok).toBe(true);
  expect(update(100)).toMatchObject({ error: 'ratelimited', wait: '60' });
  expect(update(60_000).ok).toBe(true);
});

test('a no has status 200 and a word', () => {
  const model = createSlackModel({});
  const call = caller(model);
  expect(call('chat.postMessage', { text: 'x' })).toMatchObject({ error: 'channel_not_found' });
  expect(call('chat.postMessage', { channel: 'C1' })).toMatchObject({
    error: 'no_text',
    status: 200,
  });
  expect(call('no.such', {})).toMatchObject({ error: 'unknown_method' });
  expect(caller(model, 'nobody')('auth.test', {})).toMatchObject({ error: 'invalid_auth' });
  model.revoke(TOKEN);
  expect(call('auth.test', {})).toMatchObject({ error: 'token_revoked', status: 200 });
});

test('a stream is appended to until it is stopped', () => {
  const model = createSlackModel({});
  const call = caller(model);
  expect(call('chat.startStream', { channel: 'C1' })).toMatchObject({ error: 'invalid_thread_ts' });
  const { ts = '' } = call('chat.startStream', { channel: 'C1', thread_ts: '1.0' });
  const about = { channel: 'C1', ts };
  call('chat.appendStream', { ...about, markdown_text: 'a' });
  expect(call('chat.update', { ...about, text: 'x' })).toMatchObject({ ok: false });
  call('chat.stopStream', { ...about, markdown_text: 'b' });
  const late = call('chat.appendStream', { ...about, markdown_text: 'c' });
  expect(late).toMatchObject({ error: 'message_not_in_streaming_state' });
  expect(model.messagesOf('C1')).toMatchObject([{ text: 'ab', thread: '1.0' }]);
});
