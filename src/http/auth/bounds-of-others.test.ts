// What a key with bounds may do to what others have handed over: dead letters, streams, accounts, waiting messages.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compose, NO_SEND_OPTIONS, type SendOptions } from '../../accept/draft.ts';
import type { Role } from '../../domain/role.ts';
import { NO_SCOPE, type Scope } from '../../keys/keys.ts';
import { ACCOUNT, AUTH, type Bench, bench, message, START } from '../context.fixture.ts';
import { boundKey, OTHER, OWN } from './bounds.fixture.ts';

let at: Bench;
beforeEach(async () => {
  at = await bench({ wait: { kind: 'async' } });
});
afterEach(() => at.app.close());

const key = (role: Role, scope: Partial<Scope>) => boundKey(at, role, scope);

describe('a dead letter', () => {
  async function dead(): Promise<string> {
    const answer = await at.app.inject({
      ...{ method: 'POST', url: '/v1/messages', headers: AUTH, payload: message() },
    });
    await at.road.die(1, 'chat_not_found');
    return `/v1/dead/${answer.json().id}`;
  }
  const edit = (url: string, headers: object, body: object) =>
    at.app.inject({ method: 'PATCH', url, headers: headers as never, payload: { body } });

  test('edited by a bound key is judged as a new message', async () => {
    const url = await dead();
    const own = await key('operator', { chats: [OWN] });
    const reply = { text: 'x', reply_parameters: { chat_id: 7, message_id: 1 } };
    expect((await edit(url, own, reply)).json().code).toBe('forbidden_scope');
    const odd = { text: 'x', reply_parameters: ' {"chat_id":+7}' };
    expect((await edit(url, own, odd)).json().code).toBe('forbidden_scope');
    const other = await key('operator', { methods: ['sendPhoto'] });
    expect((await edit(url, other, { text: 'x' })).json().code).toBe('forbidden_scope');
    expect((await at.options.ledger.get(1))!.state).toBe('dead');
    expect((await edit(url, own, { text: 'x' })).statusCode).toBe(200);
  });
});

describe('streams of others', () => {
  const open = async (headers: object, more: object = {}) => {
    const answer = await at.app.inject({
      ...{ method: 'POST', url: '/v1/streams', headers: headers as never },
      payload: { to: { account: ACCOUNT, chat: OWN }, text: 'begun', ...more },
    });
    return `/v1/streams/${answer.json().id}`;
  };
  const deeds = async (url: string, headers: object) => {
    const ask = async (method: 'PATCH' | 'POST' | 'DELETE', path: string, payload?: object) =>
      (
        await at.app.inject({
          method,
          url: path,
          headers: headers as never,
          payload: payload as never,
        })
      ).statusCode;
    return [
      await ask('PATCH', url, { replace: 'mine now' }),
      await ask('POST', `${url}/final`, {}),
      await ask('DELETE', url),
    ];
  };

  test.each<[string, Partial<Scope>]>([
    ['a method that shows no text', { methods: ['sendPhoto'] }],
    ['the method of streams', { methods: ['sendMessage'] }],
    ['another chat', { chats: [OTHER] }],
    ['another account', { accounts: ['telegram:7'] }],
  ])('are not changed, finished or cancelled by a key bound to %s', async (_name, scope) => {
    const url = await open(AUTH);
    expect(await deeds(url, await key('sender', scope))).toEqual([403, 403, 403]);
    expect(at.live.streams.get('stream1')).toMatchObject({ state: 'open', text: 'begun' });
  });

  test('not by one who could edit them, where others in other chats see them as well', async () => {
    const observers = [{ account: ACCOUNT, chat: OTHER }];
    const to = { origin: { account: ACCOUNT, chat: OWN }, observers };
    const url = await open(AUTH, { to });
    expect(await deeds(url, await key('sender', { chats: [OWN] }))).toEqual([403, 403, 403]);
  });

  test('but its own are, and those whose messages it could edit', async () => {
    const own = await key('sender', { methods: ['sendMessage'] });
    expect(await deeds(await open(own), own)).toEqual([200, 200, 409]);
    const editor = await key('sender', { methods: ['sendMessage', 'editMessageText'] });
    expect(await deeds(await open(AUTH), editor)).toEqual([200, 200, 409]);
    expect(await deeds(await open(AUTH), await key('sender', { chats: [OWN] }))).toEqual([
      200, 200, 409,
    ]);
  });

  test('its own stay its own when its key is rotated', async () => {
    const request = { kind: 'key', name: 'x', role: 'sender', expiresAt: null } as const;
    const scope = { ...NO_SCOPE, methods: ['sendMessage'] };
    const made = await at.guards.keyring.create({ ...request, scope });
    if (made.kind !== 'created') throw new Error(made.kind);
    const url = await open({ authorization: `Bearer ${made.secret}` });
    const rotated = await at.guards.keyring.rotate(made.key.id, 0);
    if (rotated?.kind !== 'created') throw new Error('not rotated');
    expect(rotated.key.scope).toEqual(scope);
    expect((await deeds(url, { authorization: `Bearer ${rotated.secret}` }))[0]).toBe(200);
  });

  test('what a bound key shows is what was judged', async () => {
    const own = await key('sender', { chats: [OWN] });
    await open(own, {
      body: { reply_parameters: ` {"message_id":1,"chat_id":${OWN}}`, chat_id: OTHER },
    });
    expect(at.live.opened).toMatchObject([
      { chat: OWN, params: { reply_parameters: { message_id: 1, chat_id: -100 } } },
    ]);
    const odd = await open(own, { body: { reply_parameters: '{"message_id":1,"chat_id":+7}' } });
    expect(odd).toBe('/v1/streams/undefined');
  });
});

test('an account is paused by whoever is bound to it, and by nobody who is bound to less', async () => {
  const pause = async (scope: Partial<Scope>) =>
    (
      await at.app.inject({
        ...{ method: 'POST', url: `/v1/accounts/${ACCOUNT}/pause` },
        headers: await key('operator', scope),
      })
    ).statusCode;
  expect(await pause({ chats: [OWN] })).toBe(403);
  expect(await pause({ methods: ['sendMessage'] })).toBe(403);
  expect(await pause({ accounts: [ACCOUNT], methods: ['sendMessage'] })).toBe(403);
  expect(await pause({ accounts: ['telegram:7'] })).toBe(403);
  expect(at.road.paused.size).toBe(0);
  expect(await pause({ accounts: [ACCOUNT] })).toBe(200);
});

test('a message is cancelled by whoever may make its call', async () => {
  const { id } = (
    await at.app.inject({ method: 'POST', url: '/v1/messages', headers: AUTH, payload: message() })
  ).json();
  const cancel = async (scope: Partial<Scope>) =>
    (
      await at.app.inject({
        ...{ method: 'DELETE', url: `/v1/messages/${id}` },
        headers: await key('operator', scope),
      })
    ).statusCode;
  expect(await cancel({ methods: ['sendPhoto'] })).toBe(403);
  expect(await cancel({ chats: [OTHER] })).toBe(403);
  expect(await cancel({ methods: ['sendMessage'] })).toBe(200);
});

describe('coalescing', () => {
  const wait = { notBefore: START + 60_000 };
  const post = async (headers: object, more: object) =>
    (
      await at.app.inject({
        ...{ method: 'POST', url: '/v1/messages', headers: headers as never },
        payload: message({ ...wait, ...more }),
      })
    ).json();
  const stateOf = async (seq: number) => (await at.options.ledger.get(seq))!.state;

  test('a bound key replaces what itself waits to send, not what others do', async () => {
    const own = await key('sender', { chats: [OWN] });
    for (const more of [{ coalesce: 'status' }, { coalesce: true, session: 's' }]) {
      const first = at.road.submitted.length + 1;
      await post(AUTH, more);
      await post(own, more);
      await post(own, more);
      expect([await stateOf(first), await stateOf(first + 1)]).toEqual(['queued', 'superseded']);
    }
  });

  test('no session reads as the rest of another chat’s name', () => {
    const call = { kind: 'call', method: 'sendMessage', thread: null, family: 'send' } as const;
    const slotOf = (chat: string, sendOptions: Partial<SendOptions>) => {
      const from = { account: 'terminal:a' as const, platform: 'terminal', body: '{}' };
      const described = { ...call, chat, budget: 'open', cost: 1, slot: null } as const;
      const made = compose(
        START,
        { ...from, call: described },
        { ...NO_SEND_OPTIONS, ...sendOptions },
      );
      return 'slot' in made ? made.slot : null;
    };
    const forged = slotOf('a', { session: 'x:', coalesce: 'k' });
    expect(forged).not.toBe(slotOf('a:s:x', { coalesce: 'k' }));
    expect(slotOf('a%3As:x', { coalesce: 'k' })).not.toBe(slotOf('a:s:x', { coalesce: 'k' }));
  });
});
