// What a key with bounds reaches on platforms that are not Telegram, whose methods and places have shapes of their own:
// over REST and over their own paths it is the same.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import { NO_SCOPE, type Scope } from '../../keys/keys.ts';
import { createDiscord } from '../../platforms/discord/discord.ts';
import type { Platform } from '../../platforms/platform.ts';
import { createWhatsapp } from '../../platforms/whatsapp/whatsapp.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { AUTH, type Bench, bench, START } from '../context.fixture.ts';
import { boundKey } from './bounds.fixture.ts';

const transport = {
  request: () => Promise.reject(new Error('no wire in this test')),
  stream: () => Promise.reject(new Error('no wire in this test')),
  close: async () => {},
};

// Every credential is that of the account it claims.
function vouched(platform: Platform): Platform {
  const { credentials, wire } = platform;
  const identify: Platform['wire']['identify'] = async (credential) => ({
    kind: 'known',
    id: credentials.claimedId(credential),
  });
  return { ...platform, wire: { ...wire, identify } };
}

let at: Bench;
afterEach(() => at.app.close());

async function tokenOf(account: AccountId, scope: Partial<Scope>): Promise<string> {
  const made = await at.guards.keyring.create({
    ...{ kind: 'virtual', name: 'guest', role: 'sender', expiresAt: null },
    scope: { ...NO_SCOPE, accounts: [account], ...scope },
  });
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.secret;
}

const rest = (headers: object, payload: object) =>
  at.app.inject({ method: 'POST', url: '/v1/messages', headers: headers as never, payload });
const submitted = () => at.road.submitted.map(({ method, chat }) => `${method} ${chat}`);

describe('WhatsApp: a key bound to methods is judged by what the body makes of them', () => {
  const ACCOUNT = 'whatsapp:15';
  const USER = '15551234567';
  const READ = { status: 'read', message_id: 'wamid.1' };
  const TYPING = { ...READ, typing_indicator: { type: 'text' } };
  const REACTION = { type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '👍' } };
  const TEXT = { type: 'text', text: { body: 'hello' } };

  beforeEach(async () => {
    const whatsapp = vouched(createWhatsapp({ transport }));
    at = await bench({ wait: { kind: 'async' } }, [whatsapp]);
    await at.accounts.identify('whatsapp', '15:EAAtoken');
  });

  const ask = (headers: object, method: string, body: object) =>
    rest(headers, { to: { account: ACCOUNT, chat: USER }, method, body });

  test.each([
    ['a reaction', REACTION],
    ['a read mark', READ],
    ['a typing sign', TYPING],
  ])('%s is none of the messages it may send, by whatever name', async (_name, body) => {
    const key = await boundKey(at, 'sender', { methods: ['messages'] });
    const token = await tokenOf(ACCOUNT, { methods: ['messages'] });
    for (const method of ['messages', 'reaction', 'read', 'typing']) {
      expect((await ask(key, method, body)).json().code, method).toBe('forbidden_scope');
    }
    const dropIn = async (sent: object) => {
      const payload = { to: USER, messaging_product: 'whatsapp', ...sent };
      const headers = { authorization: `Bearer ${token}` };
      const url = '/v23.0/15/messages';
      return (await at.app.inject({ method: 'POST', url, payload, headers })).statusCode;
    };
    expect(await dropIn(body)).toBe(403);
    expect(sentAll()).toEqual([]);
    expect(await dropIn(TEXT)).toBe(202);
    expect(sentAll()).toEqual([`messages ${USER}`]);
  });

  const sentAll = () => [...submitted(), ...at.road.cosmetics.map(({ method }) => method)];

  test('and a text is none of the reactions', async () => {
    const headers = await boundKey(at, 'sender', { methods: ['reaction'] });
    expect((await ask(headers, 'reaction', TEXT)).json().code).toBe('forbidden_scope');
    expect((await ask(headers, 'messages', REACTION)).statusCode).toBe(202);
    expect((await ask(headers, 'reaction', REACTION)).statusCode).toBe(202);
    expect(new Set(submitted())).toEqual(new Set([`reaction ${USER}`]));
  });

  test('a dead letter stays what it was', async () => {
    const { id } = (await ask(AUTH, 'messages', REACTION)).json();
    await at.road.die(1, 'bad_request');
    const edit = (headers: object, body: object) =>
      at.app.inject({
        ...{ method: 'PATCH', url: `/v1/dead/${id}`, headers: headers as never },
        payload: { body },
      });
    const reacts = await boundKey(at, 'operator', { methods: ['reaction'] });
    expect((await edit(reacts, TEXT)).json().code).toBe('forbidden_scope');
    expect((await edit(AUTH, TEXT)).json()).toMatchObject({ code: 'invalid_message' });
    expect((await edit(reacts, REACTION)).statusCode).toBe(200);
  });
});

describe('Discord: a key bound to a channel', () => {
  const BOT = '123456789';
  const ACCOUNT = `discord:${BOT}`;
  const REAL = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
  const OWN = '42';

  beforeEach(async () => {
    const clock = virtualClock(START);
    const discord = vouched(createDiscord({ transport, clock }));
    at = await bench({ wait: { kind: 'async' } }, [discord]);
    await at.accounts.identify('discord', REAL);
  });

  test.each([
    ['POST', '/channels/42/webhooks', { name: 'x' }],
    ['GET', '/channels/42/webhooks', undefined],
    ['POST', '/channels/42/followers', { webhook_channel_id: '43' }],
    ['POST', '/channels/42/invites', {}],
    ['POST', '/channels/43/messages', { content: 'x' }],
    ['POST', '/channels/42/messages/', { message_reference: { type: 1, channel_id: '43' } }],
  ] as const)('gets nothing that lasts longer or reaches further: %s %s', async (...asked) => {
    const [method, path, payload] = asked;
    const headers = { authorization: `Bot ${await tokenOf(ACCOUNT, { chats: [OWN] })}` };
    const answer = await at.app.inject({
      ...{ method, url: `/api/v10${path}`, headers },
      ...(payload === undefined ? null : { payload }),
    });
    expect([answer.statusCode, submitted()]).toEqual([403, []]);
  });

  test('names no path but its channel’s, whatever stands in an id', async () => {
    const headers = await boundKey(at, 'sender', { chats: [OWN] });
    const ask = (method: string, body: object) =>
      rest(headers, { to: { account: ACCOUNT, chat: OWN }, method, body });
    const away = '@/../../../channels/43/messages';
    const hook = { webhook_id: OWN, webhook_token: away, content: 'x' };
    expect((await ask('executeWebhook', hook)).statusCode).toBe(403);
    const dots = { message_id: '1', emoji: '..' };
    expect((await ask('deleteReactionsOf', dots)).statusCode).toBe(403);
    expect((await ask('createMessage', { content: 'x' })).statusCode).toBe(202);
    expect(submitted()).toEqual([`createMessage ${OWN}`]);
  });
});
