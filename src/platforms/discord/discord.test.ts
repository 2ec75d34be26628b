import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Reply, Transport } from '../../system/http/transport.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { classify } from './classify.ts';
import { claimedId, isSandboxCredential, speakerOf } from './credentials.ts';
import { describe as describeCall, recognisedMs, targets } from './describe.ts';
import { locate, located } from './dialect/request.ts';
import { createDiscord } from './discord.ts';
import { Interactions } from './interactions.ts';
import { InvalidRequests } from './invalid-requests.ts';
import { discordPriors } from './limits.ts';
import { pathFor, routeOf } from './routes.ts';

const TOKEN = `${Buffer.from('123456789').toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
const CHANNEL = '222222222222222222';
const MESSAGE = '333333333333333333';

function answered(status: number, body: object | string, headers = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers: { via: '1.1 google', ...headers }, body: text };
}

describe('answers', () => {
  const no = (status: number, code: number, message = 'No') =>
    classify('createMessage', answered(status, { code, message }));

  test.each([
    [400, 50035, 'bad_request'],
    [400, 50006, 'message_empty'],
    [401, 0, 'unauthorized'],
    [401, 50027, 'webhook_gone'],
    [403, 50013, 'missing_permissions'],
    [403, 50001, 'missing_access'],
    [403, 50007, 'cannot_dm'],
    [403, 40333, 'forbidden'],
    [404, 10003, 'unknown_channel'],
    [404, 10062, 'interaction_expired'],
    [404, 1, 'not_found'],
    [413, 0, 'too_large'],
  ])('%i with code %i is %s', (status, code, reason) => {
    const detail = expect.stringMatching(new RegExp(`^${status} No`));
    expect(no(status, code)).toMatchObject({ kind: 'refused', reason, detail });
  });

  test.each([
    ['user', { global: false }, 'family'],
    ['shared', { global: false }, 'chat'],
    ['global', { global: true }, 'account'],
  ])('a 429 of scope %s stops what it names', (scope, more, of) => {
    const body = { message: 'wait', retry_after: 1.337, ...more };
    const reply = answered(429, body, { 'x-ratelimit-scope': scope, 'retry-after': '2' });
    expect(classify('createMessage', reply)).toMatchObject({
      ...{ kind: 'limited', retryAfterMs: 1337, scope: of },
    });
  });

  test('a ban of the front stops everything, and its page is not quoted', () => {
    const reply = answered(429, '<html>secret</html>', { 'retry-after': '60' });
    const outcome = classify('createMessage', reply);
    expect(outcome).toMatchObject({ kind: 'limited', retryAfterMs: 60_000, scope: 'account' });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });

  test('what is left of the bucket is told with every answer', () => {
    const headers = {
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '3',
      'x-ratelimit-reset-after': '1.25',
    };
    const observed = { limit: 5, remaining: 3, resetAfterMs: 1250 };
    expect(classify('createMessage', answered(200, { id: '7' }, headers))).toMatchObject({
      ...{ kind: 'sent', messageId: '7', observed },
    });
    expect(classify('createReaction', answered(204, '', headers))).toMatchObject({
      ...{ kind: 'sent', messageId: null, result: '', observed },
    });
  });

  test('after a 5xx nobody knows, except of one that was overloaded', () => {
    expect(classify('createMessage', answered(502, '<html>')).kind).toBe('uncertain');
    expect(classify('createMessage', answered(500, { message: 'x' })).kind).toBe('uncertain');
    expect(classify('createMessage', answered(503, { message: 'x' })).kind).toBe('failed');
  });

  test('what is done already is done', () => {
    const gone = answered(404, { code: 10008, message: 'Unknown Message' });
    expect(classify('deleteMessage', gone).kind).toBe('sent');
    expect(classify('editMessage', gone).kind).toBe('refused');
  });

  test('an interaction that was answered was answered by this call only if it was made before', () => {
    const answeredTwice = answered(400, { code: 40060, message: 'acknowledged' });
    const of = (isRepeat: boolean) =>
      classify('createInteractionResponse', answeredTwice, isRepeat);
    expect(of(true).kind).toBe('sent');
    expect(of(false)).toMatchObject({ kind: 'refused', reason: 'interaction_answered' });
  });
});

describe('calls', () => {
  test('edits share a slot, reactions of one emoji do, messages have none', () => {
    const about = { channel_id: CHANNEL, message_id: MESSAGE };
    expect(describeCall('editMessage', about)).toMatchObject({
      ...{ chat: CHANNEL, family: 'edit', slot: `edit:${CHANNEL}:${MESSAGE}`, about: MESSAGE },
    });
    const slotOf = (method: string, more: object) =>
      (describeCall(method, { ...about, ...more }) as { slot: string | null }).slot;
    const reacted = slotOf('createReaction', { emoji: '👍' });
    expect(slotOf('deleteReaction', { emoji: '👍', user_id: '@me' })).toBe(reacted);
    expect(slotOf('createReaction', { emoji: '👎' })).not.toBe(reacted);
    expect(slotOf('createMessage', {})).toBeNull();
  });

  test.each([
    ['createMessage', { channel_id: '../1' }],
    ['createMessage', {}],
    ['editMessage', { channel_id: '1', message_id: 'x' }],
    ['getGuild', {}],
  ])('%s of %o goes nowhere', (method, params) => {
    expect(describeCall(method, params).kind).toBe('invalid');
  });

  test('an interaction is answered within its time', () => {
    const since = 1_800_000_000_000;
    const id = String(BigInt(since - 1_420_070_400_000) << 22n);
    const token = Buffer.from(`interaction:${id}:x`).toString('base64url');
    const first = { interaction_id: id, interaction_token: token };
    expect(describeCall('createInteractionResponse', first)).toMatchObject({
      ...{ family: 'free', answers: { ms: 3000, since } },
    });
    const later = { application_id: '1', interaction_token: token };
    expect(describeCall('createFollowup', later)).toMatchObject({
      ...{ chat: `interaction:${id}`, answers: { ms: 900_000, since } },
    });
  });

  test('a nonce makes a repeat safe, unless the caller has one that is not enforced', () => {
    expect(recognisedMs('createMessage', '{"content":"x"}')).toBeGreaterThan(0);
    expect(recognisedMs('createMessage', '{"nonce":"1","enforce_nonce":true}')).toBeGreaterThan(0);
    expect(recognisedMs('createMessage', '{"nonce":"1"}')).toBe(0);
    expect(recognisedMs('executeWebhook', '{"content":"x"}')).toBe(0);
  });

  test('a key with bounds is told of channels in paths and of what is forwarded', () => {
    const path = `GET /api/v10/channels/${CHANNEL}/messages?limit=5`;
    expect(targets(path, {})).toEqual({ kind: 'chats', chats: [CHANNEL] });
    expect(targets('GET /api/v10/users/@me', {})).toEqual({ kind: 'none' });
    expect(targets('GET /api/v10/guilds/1', {})).toEqual({ kind: 'account', chats: [] });
    const message_reference = { type: 1, channel_id: '9', message_id: '8' };
    const chats = [CHANNEL, '9'];
    const params = { channel_id: CHANNEL, message_reference };
    expect(targets('createMessage', params)).toEqual({ kind: 'chats', chats });
  });

  test.each([
    ['GET', '', true],
    ['GET', '/messages/5?x=1', true],
    ['GET', '/messages/5/reactions/%F0%9F%91%8D', true],
    ['PUT', '/messages/pins/5', true],
    ['PATCH', '', true],
    ['GET', '/webhooks', false],
    ['GET', '/%77ebhooks', false],
    ['POST', '/webhooks', false],
    ['POST', '/followers', false],
    ['POST', '/invites', false],
    ['POST', '/messages/', false],
    ['POST', '/something-new', false],
  ])('%s of a channel’s %s: of the channel alone is %s', (verb, rest, isOwn) => {
    const asked = targets(`${verb} /api/v10/channels/${CHANNEL}${rest}`, {});
    expect(asked.kind).toBe(isOwn ? 'chats' : 'account');
  });

  test.each([
    ['createReaction', { emoji: '..' }],
    ['deleteReactionsOf', { emoji: '.' }],
    ['executeWebhook', { webhook_id: '1', webhook_token: '@/../../../channels/9/messages' }],
    ['executeWebhook', { webhook_id: '1', webhook_token: 'a/b' }],
  ])('%s of %o leads out of its path, and is refused', (method, more) => {
    const params = { channel_id: CHANNEL, message_id: MESSAGE, ...more };
    expect(describeCall(method, params).kind).toBe('invalid');
  });

  test.each([
    ['@\\..\\..\\..\\..\\..\\9', '%40%5C..%5C..%5C..%5C..%5C..%5C9'],
    ['@%2F..', '%40%252F..'],
    ['a?b#c', 'a%3Fb%23c'],
    ['\ud800', '%EF%BF%BD'],
  ])('an emoji %s is one segment of the path', (emoji, segment) => {
    const params = { channel_id: CHANNEL, message_id: MESSAGE, emoji };
    expect(describeCall('deleteReactionsOf', params).kind).toBe('call');
    const path = `/channels/${CHANNEL}/messages/${MESSAGE}/reactions/${segment}`;
    expect(pathFor(routeOf('deleteReactionsOf')!, params)).toBe(path);
  });

  test('interactions spend nothing of the bot, webhooks have a minute of their own', () => {
    const { planOf } = discordPriors({});
    const charge = { chat: '1', user: null, budget: 'open', live: false, cost: 1 } as const;
    const ofInteraction = { ...charge, family: 'send', method: 'createFollowup' } as const;
    expect(planOf(ofInteraction)).toMatchObject({ account: [], chat: [] });
    // Of whose method nothing is known.
    const routes = (['send', 'edit', 'delete', 'reaction', 'typing', 'free'] as const).map(
      (family) => planOf({ ...charge, family, method: 'unknown' }).route,
    );
    expect(routes).toEqual(['create', 'edit', 'delete', 'reaction', 'typing', undefined]);
    const names = planOf({ ...charge, family: 'send', method: 'executeWebhook' }).chat;
    expect(names.map(({ name }) => name)).toEqual(['webhook_2s', 'webhook_minute']);
  });
});

describe('credentials', () => {
  test.each([
    [TOKEN, '123456789', false],
    ['7.sandbox', '7', true],
    [`${Buffer.from('7').toString('base64url')}.sandbox.x`, '7', true],
    ['webhook/12/made-token', 'webhook-12', false],
    ['webhook/12/sandbox-1', 'webhook-12', true],
    ['@interactions', 'interactions', false],
    ['@interactions.sandbox', 'interactions', true],
  ])('%s is of %s', (credential, id, isSandbox) => {
    expect(claimedId(credential)).toBe(id);
    expect(isSandboxCredential(credential)).toBe(isSandbox);
  });

  test.each(['', '1:sandbox', 'nobody', 'sandbox.x', 'webhook/x/y', `${TOKEN} x`])(
    '%s is nobody',
    (credential) => {
      expect(speakerOf(credential)).toBeNull();
      expect(isSandboxCredential(credential)).toBe(false);
    },
  );
});

describe('requests', () => {
  const headers = { authorization: `Bot ${TOKEN}` };
  const interactions = new Interactions(virtualClock(0), true);
  const at = (verb: string, url: string, more: Record<string, string> = headers) =>
    locate({ verb, url, headers: more }, interactions);

  test.each([
    ['POST', '/channels/1/messages', 'createMessage', { channel_id: '1' }],
    ['PATCH', '/channels/1/messages/2', 'editMessage', { channel_id: '1', message_id: '2' }],
    ['PATCH', '/channels/1/messages/-5', 'editMessage', { channel_id: '1', message_id: '-5' }],
    ['POST', '/channels/1/messages/bulk-delete', 'bulkDeleteMessages', { channel_id: '1' }],
    [
      'PUT',
      '/channels/1/messages/2/reactions/%F0%9F%91%8D/@me',
      'createReaction',
      { channel_id: '1', message_id: '2', emoji: '👍' },
    ],
  ])('%s %s is %s', (verb, path, method, params) => {
    for (const version of ['', '/v9', '/v10']) {
      const located = at(verb, `/api${version}${path}`);
      expect(located).toEqual({ kind: 'call', credential: TOKEN, method, params });
    }
  });

  test.each([
    ['POST', '/api/v10/channels/1/messages/', 'createMessage', TOKEN],
    ['POST', '/api//v10/channels//1/messages//?wait=true', 'createMessage', TOKEN],
    ['POST', '/api/V10/Channels/1/MESSAGES', 'createMessage', TOKEN],
    ['POST', '/api/%7610/%63hannels/1/m%65ssages%2F', 'createMessage', TOKEN],
    ['POST', '/%61pi/v10/channels/1/messages', 'createMessage', TOKEN],
    ['POST', '/api/v010/channels/1/messages', 'createMessage', TOKEN],
    ['PATCH', '/api/v10/channels/1/messages/2/', 'editMessage', TOKEN],
    ['POST', '/api/v10/channels/1/messages/Bulk-Delete/', 'bulkDeleteMessages', TOKEN],
    ['POST', '/api/v10/channels/1/typing/', 'triggerTyping', TOKEN],
    ['POST', '/api/v10/channels/1/threads/', 'createThread', TOKEN],
    ['POST', '/api/v10//Webhooks/12/Made/', 'executeWebhook', 'webhook/12/Made'],
    ['PUT', '/api/v10/channels/1/messages/2/reactions/%23%E2%83%A3/@Me/', 'createReaction', TOKEN],
  ])('%s %s sends, however it is written', (verb, url, method, credential) => {
    expect(at(verb, url)).toMatchObject({ kind: 'call', method, credential });
  });

  test('a call from inside the process that sends goes by its name', () => {
    const asked = (path: string) => located(TOKEN, path);
    expect(asked('GET /api/v10/channels/1/messages')).toMatchObject({ kind: 'call' });
    expect(asked('POST /api/v10/channels/1/messages')).toBeNull();
    expect(asked('POST /api/v10/channels/1/messages/?wait=true')).toBeNull();
  });

  test('paths with a token of their own speak for it', () => {
    expect(at('POST', '/api/v10/webhooks/12/made')).toEqual({
      ...{ kind: 'call', credential: 'webhook/12/made', method: 'executeWebhook' },
      params: { webhook_id: '12' },
    });
    const token = Buffer.from('interaction:1:x').toString('base64url');
    const callback = `/api/v10/interactions/1/${token}/callback`;
    expect(at('POST', callback, {})).toMatchObject({ credential: '@interactions' });
    expect(at('POST', callback)).toMatchObject({ credential: TOKEN });
    const followUp = at('PATCH', `/api/v10/webhooks/9/${token}/messages/@original`, {});
    expect(followUp).toMatchObject({ credential: '@interactions', method: 'editFollowup' });
  });

  test('what speaks by a path speaks by no header', () => {
    for (const name of ['@interactions', '@interactions.sandbox', '@interactions.unknown']) {
      const asked = at('POST', '/api/v10/channels/1/messages', { authorization: `Bot ${name}` });
      expect(asked).toMatchObject({ credential: '' });
    }
  });

  test.each([
    '/api/v10/../x',
    '/api/v10/a/%5c..%5cb',
    '/api/v10/a/%2e%2e/b',
    '/api/v10/a%0a',
    '/apix',
    '/api/v10/a#b',
  ])('%s is nothing', (url) => expect(at('GET', url)).toBeNull());

  test('what sends nothing is passed on as it is', () => {
    const url = '/api/v10/channels/1/messages?limit=5&before=7';
    expect(at('GET', url)).toMatchObject({ kind: 'call', method: `GET ${url}` });
    expect(at('HEAD', url)).toMatchObject({ kind: 'refused', answer: { status: 405 } });
  });
});

describe('refusals that lead to a ban', () => {
  const forbidden = answered(403, { code: 50013, message: 'Missing Permissions' });

  test('a channel that refuses is asked rarely, and others go on', () => {
    const clock = virtualClock(1e12);
    const invalid = new InvalidRequests(clock, 5000, () => {});
    let asked = 0;
    for (let i = 0; i < 1000; i++) {
      const known = invalid.instead('a 1');
      if (known !== null) {
        expect(classify('createMessage', known)).toMatchObject({ reason: 'channel_refused' });
        continue;
      }
      asked += 1;
      invalid.answered('a 1', forbidden);
    }
    expect(asked).toBe(10);
    expect(invalid.instead('a 2')).toBeNull();
  });

  test('when there are too many nothing is asked until they are old', async () => {
    const clock = virtualClock(1e12);
    const invalid = new InvalidRequests(clock, 100, () => {});
    for (let i = 0; i < 100; i++) invalid.answered(`a ${i}`, forbidden);
    const known = invalid.instead('a another');
    expect(classify('createMessage', known!)).toMatchObject({
      ...{ kind: 'limited', scope: 'account', retryAfterMs: 600_000 },
    });
    await clock.run(clock.now() + 600_000);
    expect(invalid.instead('a another')).toBeNull();
  });

  test('a read counts like any other call, and is stopped like it', async () => {
    const clock = virtualClock(1e12);
    let asked = 0;
    const refused = { kind: 'answered' as const, status: 403, headers: {}, body: '{}' };
    const transport: Transport = {
      request: async () => refused,
      async stream() {
        asked += 1;
        return { ...refused, body: Readable.from([]) };
      },
      close: async () => {},
    };
    const { passage } = createDiscord({ transport, clock, invalidMax: 100 });
    const method = 'GET /api/v10/guilds/1';
    const call = { credential: TOKEN, method, body: '{}', deadlineMs: 1000 };
    const { signal } = new AbortController();
    for (let i = 0; i < 150; i++) await passage!.pass(call, signal);
    expect(asked).toBe(100);
    expect(await passage!.pass(call, signal)).toMatchObject({ kind: 'answered', status: 429 });
  });

  test('a channel that takes one again is asked as before; what is shared does not count', async () => {
    const clock = virtualClock(1e12);
    const invalid = new InvalidRequests(clock, 100, () => {});
    for (let i = 0; i < 10; i++) invalid.answered('a 1', forbidden);
    expect(invalid.instead('a 1')).not.toBeNull();
    await clock.run(clock.now() + 60_000);
    expect(invalid.instead('a 1')).toBeNull();
    invalid.answered('a 1', answered(200, { id: '1' }));
    expect([invalid.instead('a 1'), invalid.instead('a 1')]).toEqual([null, null]);
    const shared = answered(429, { message: 'x' }, { 'x-ratelimit-scope': 'shared' });
    for (let i = 0; i < 500; i++) invalid.answered('a 1', shared);
    expect(invalid.instead('a 1')).toBeNull();
  });
});
