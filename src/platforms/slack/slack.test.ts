import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NO_FILES } from '../../domain/body.ts';
import type { Reply } from '../../system/http/transport.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { CALLS, slackPriors } from './calls.ts';
import { CREDENTIALS, isSandbox } from './credentials.ts';
import { DIALECT } from './dialect.ts';
import { LIVE_OUTPUT, MESSAGES, SIZE } from './text.ts';
import { updatesAt } from './updates.ts';
import { classify, requestOf } from './wire.ts';

const { describe: describeCall, targets } = CALLS;
const { changes: CHANGES, content: CONTENT, references: REFERENCES } = MESSAGES;

const TOKEN = 'xoxb-12345-67890-abcdefghijkl';
const NOW = 1_900_000_000_000;

function answered(body: object | string, status = 200, headers = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers, body: text };
}

describe('answers', () => {
  const no = (error: string, method = 'chat.postMessage') =>
    classify(method, answered({ ok: false, error }));

  test.each([
    ['channel_not_found', 'channel_not_found'],
    ['not_in_channel', 'not_in_channel'],
    ['msg_too_long', 'msg_too_long'],
    ['invalid_auth', 'unauthorized'],
    ['token_revoked', 'unauthorized'],
    ['account_inactive', 'unauthorized'],
    ['some_new_error', 'some_new_error'],
  ])('%s is refused as %s', (error, reason) => {
    expect(no(error)).toMatchObject({ kind: 'refused', reason, detail: error, cure: null });
  });

  test.each([
    ['fatal_error', 'uncertain'],
    ['internal_error', 'uncertain'],
    ['service_unavailable', 'failed'],
    ['ratelimited', 'limited'],
  ])('%s is %s', (error, kind) => {
    expect(no(error).kind).toBe(kind);
  });

  test('a wait of messages is the channel’s, of other methods the workspace’s', () => {
    const reply = answered({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': '17' });
    const waits = { kind: 'limited', retryAfterMs: 17_000 };
    expect(classify('chat.postMessage', reply)).toMatchObject({ ...waits, scope: 'chat' });
    expect(classify('chat.update', reply)).toMatchObject({ ...waits, scope: 'account' });
    const odd = answered('<html>', 429, { 'retry-after': 'soon' });
    expect(classify('chat.update', odd)).toMatchObject({ retryAfterMs: 30_000 });
  });

  test('what is done already is done, and only by its own method', () => {
    expect(no('message_not_found', 'chat.delete').kind).toBe('sent');
    expect(no('message_not_found', 'chat.update').kind).toBe('refused');
    expect(no('already_reacted', 'reactions.add').kind).toBe('sent');
    expect(no('no_reaction', 'reactions.remove').kind).toBe('sent');
  });

  test('what is not from Slack is not quoted, and uncertain where it may have been done', () => {
    const of = (status: number) => classify('chat.postMessage', answered('<p>secret', status));
    expect([200, 502, 500].map((status) => of(status).kind)).toEqual(Array(3).fill('uncertain'));
    expect([404, 503].map((status) => of(status).kind)).toEqual(Array(2).fill('failed'));
    expect(JSON.stringify([200, 404, 502].map(of))).not.toContain('secret');
  });
});

describe('calls', () => {
  const about = { channel: 'C1', ts: '1.2' };

  test('texts of a message share a slot, what is appended has none', () => {
    expect(describeCall('chat.update', about)).toMatchObject({ slot: 'edit:C1:1.2', about: '1.2' });
    expect(describeCall('chat.appendStream', about)).toMatchObject({ family: 'edit', slot: null });
    const reaction = { channel: 'C1', timestamp: '1.2', name: 'x' };
    const [added, removed] = ['reactions.add', 'reactions.remove'].map((method) =>
      describeCall(method, reaction),
    );
    expect(added).toMatchObject({ slot: 'reaction:C1:1.2:x', about: '1.2' });
    expect(removed).toMatchObject({ slot: 'reaction:C1:1.2:x' });
  });

  test('whatever else has a name is passed on', () => {
    expect(describeCall('conversations.list', {}).kind).toBe('pass');
    expect(describeCall('admin.users.list', {}).kind).toBe('pass');
    expect(describeCall('chat', {}).kind).toBe('invalid');
    expect(describeCall('../x.y', {}).kind).toBe('invalid');
    expect(describeCall('chat.postMessage', { text: 'x' }).kind).toBe('invalid');
  });

  test('a key with bounds is told of channels', () => {
    const chats = { kind: 'chats', chats: ['C1'] };
    expect(targets('conversations.history', about)).toEqual(chats);
    expect(targets('chat.postMessage', {}).kind).toBe('unknown');
    expect(targets('auth.test', {}).kind).toBe('none');
    expect(targets('users.list', {})).toEqual({ kind: 'account', chats: [] });
  });

  test('a thread that has no id yet is named when it has one', () => {
    const body = JSON.stringify({ channel: 'C1', thread_ts: '-7', text: '-8' });
    expect(REFERENCES.mentions(body)).toEqual([7]);
    expect(JSON.parse(REFERENCES.named(body, new Map([[7, '1.2']])))).toMatchObject({
      ...{ thread_ts: '1.2', text: '-8' },
    });
  });

  test('changes follow in words, reactions under their own name of the id', () => {
    const edit = { ...about, text: 'a &lt; b &amp;amp; c' };
    expect(CHANGES.read('chat.update', edit)).toMatchObject({ text: 'a < b &amp; c' });
    expect(CHANGES.read('chat.appendStream', about)).toBeNull();
    expect(CHANGES.about({ timestamp: '1', name: 'x' }, '2')).toEqual({
      timestamp: '2',
      name: 'x',
    });
    expect(CONTENT.touch('chat.appendStream', JSON.stringify(about))).toEqual({
      ...{ messages: ['1.2'], content: null },
    });
  });

  test('a call is a form with the token in a header, and the thread of a change is not told', () => {
    const params = { ...about, thread_ts: '1.0', blocks: [{ type: 'divider' }], none: null };
    const call = { credential: TOKEN, method: 'chat.update', deadlineMs: 1 };
    const { path, headers, body } = requestOf({ ...call, body: JSON.stringify(params) });
    expect([path, headers.authorization]).toEqual(['/api/chat.update', `Bearer ${TOKEN}`]);
    expect(Object.fromEntries(new URLSearchParams(String(body)))).toEqual({
      ...{ channel: 'C1', ts: '1.2', blocks: '[{"type":"divider"}]' },
    });
  });
});

test('each method has its tier, and messages the spacing of their channel', () => {
  const { planOf } = slackPriors({ slackChannelBurst: 2 });
  const charge = { chat: 'C1', user: null, budget: 'open', live: false, cost: 1 } as const;
  const of = (family: 'send' | 'edit' | 'typing', method: string) =>
    planOf({ ...charge, family, method });
  expect(of('send', 'chat.postMessage')).toMatchObject({
    account: [{ name: 'chat_postMessage_minute', count: 300 }],
    chat: [{ kind: 'debt', count: 2, perMs: 2000 }],
  });
  expect(of('edit', 'chat.update')).toMatchObject({ account: [{ count: 50 }], chat: [] });
  expect(of('edit', 'chat.appendStream').account).toMatchObject([{ count: 100 }]);
});

test('tokens tell their account, and others are none', () => {
  expect(CREDENTIALS.claimedId(TOKEN)).toBe('12345-67890');
  expect([isSandbox('xoxb-1-1-sandbox7'), isSandbox(TOKEN)]).toEqual([true, false]);
  for (const other of ['', 'xoxp-1-2-3-abc', 'xoxb-1-abc', `${TOKEN} x`, 'xoxe.xoxb-1-abc']) {
    expect(CREDENTIALS.isShaped(other)).toBe(false);
  }
});

test.each([
  ['/api/chat.postmessage', 'chat.postMessage'],
  ['/api/CHAT.POSTMESSAGE?channel=C1', 'chat.postMessage'],
  ['/api/chat.UPDATE', 'chat.update'],
])('%s is the delivery %s', (url, method) => {
  const headers = { authorization: 'Bearer xoxb-1-2-x' };
  expect(DIALECT.locate({ verb: 'POST', url, headers })).toMatchObject({ kind: 'call', method });
});

test.each(['/api/chat.postMessage/', '/api/chat%2EpostMessage', '/api//chat.postMessage'])(
  '%s is nothing',
  (url) => {
    expect(DIALECT.locate({ verb: 'POST', url, headers: {} })).toBeNull();
  },
);

test('a request with a token in its body keeps none of it', () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const call = DIALECT.locate({ verb: 'GET', url: '/api/chat.postMessage?token=x', headers });
  if (call?.kind !== 'call') throw new Error('it is a call');
  const given = { query: { token: TOKEN, channel: 'C1' }, body: { token: TOKEN, text: 'a' } };
  expect(DIALECT.read(call, { ...given, files: NO_FILES })).toEqual({
    ...{ kind: 'call', method: 'chat.postMessage', params: { channel: 'C1', text: 'a' } },
  });
  const file = { id: 'x', name: 'x', type: 'x', size: 1 };
  expect(DIALECT.read(call, { ...given, files: { file } }).kind).toBe('refused');
  for (const url of ['/api/v10/users/@me', '/api/gateway', '/api/chat.x/..', '/api/.']) {
    expect(DIALECT.locate({ verb: 'GET', url, headers })).toBeNull();
    expect(DIALECT.own.test(url)).toBe(false);
  }
});

describe('live output', () => {
  test('Markdown of models is written in Slack’s own', () => {
    const text =
      '**Bold** and *it* <b> & `c<d`\n\n> quote\n\n[a|b](https://x.y/?a|b)\n\n```\nx < y\n```';
    const [part] = LIVE_OUTPUT.render(text, 'markdown', true);
    expect(part!.text).toBe(
      '*Bold* and _it_ &lt;b&gt; &amp; `c&lt;d`\n\n> quote\n\n' +
        '<https://x.y/?a%7Cb|a|b>\n\n```x &lt; y```',
    );
  });

  test('what does not fit one message is several, each within the bound', () => {
    const parts = LIVE_OUTPUT.render('a<b & '.repeat(2000), 'plain', true);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.every(({ text }) => String(text).length <= SIZE.unitsMax)).toBe(true);
  });
});

describe('events', () => {
  const clock = virtualClock(NOW);
  const reading = updatesAt(clock);
  const bot = { id: '1-1', username: null };
  const posted = (event: object, id = 'Ev1') => ({
    ...{ type: 'event_callback', event, event_id: id, event_time: NOW / 1000 },
  });

  test('a signature is of the time and the body, and not of old times', () => {
    const body = '{"a":1}';
    const signed = (time: number) => {
      const mac = createHmac('sha256', 'secret').update(`v0:${time}:${body}`).digest('hex');
      const headers = {
        'x-slack-request-timestamp': String(time),
        'x-slack-signature': `v0=${mac}`,
      };
      return reading.verify(headers, body, 'secret');
    };
    const now = NOW / 1000;
    expect([now, now - 299, now + 299].map(signed)).toEqual([true, true, true]);
    expect([now - 301, now + 301].map(signed)).toEqual([false, false]);
  });

  test('the question whether an address is wanted is answered', () => {
    const asked = { type: 'url_verification', challenge: 'abc', token: 'x' };
    expect(reading.read(asked, bot)).toMatchObject({ chat: null, voice: 'none' });
    expect(reading.answerTo!(asked)).toEqual({ status: 200, body: '{"challenge":"abc"}' });
  });

  test('who wrote, and whether the app was meant', () => {
    const message = { type: 'message', channel: 'C1', user: 'U7', ts: '1.2' };
    const voiceOf = (event: object) => reading.read(posted(event), bot)?.voice;
    expect(voiceOf(message)).toBe('wrote');
    expect(voiceOf({ ...message, channel_type: 'im' })).toBe('addressed');
    expect(voiceOf({ ...message, type: 'app_mention' })).toBe('addressed');
    expect(voiceOf({ ...message, bot_id: 'B1' })).toBe('none');
    expect(voiceOf({ ...message, subtype: 'message_changed' })).toBe('none');
    expect(
      reading.read(posted({ type: 'reaction_added', item: { channel: 'C2' } }), bot),
    ).toMatchObject({ chat: 'C2', voice: 'none' });
  });

  test('a repeat has the id of the first, another event another', () => {
    const read = (id: string) => reading.read(posted({}, id), bot)!;
    expect(read('Ev1').id).toBe(read('Ev1').id);
    expect(read('Ev1').id).not.toBe(read('Ev2').id);
    expect(Number.isSafeInteger(read('Ev1').order)).toBe(true);
  });

  test('events of one second are in the order of their moments, whatever their ids', () => {
    const orderOf = (event: object) => reading.read(posted(event), bot)!.order;
    const at = (micros: string) => ({ event_ts: `${NOW / 1000}.${micros}` });
    const orders = [at('000002'), at('999999'), { ts: `${NOW / 1000 + 1}.000000` }].map(orderOf);
    expect(orders.toSorted((a, b) => a - b)).toEqual(orders);
    expect(new Set(orders).size).toBe(3);
    expect(orders.every(Number.isSafeInteger)).toBe(true);
    expect(orderOf({}), 'by its post').toBeLessThan(orders[0]!);
    expect(orderOf({ event_ts: '9999999999.000000' })).toBe(0);
  });
});
