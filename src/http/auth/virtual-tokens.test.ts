// Virtual tokens in Telegram's dialect: they reach what they are bound to and nothing else, tell nothing when they are
// not valid, and never let the bot's own token out.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NO_SCOPE, type Scope } from '../../keys/keys.ts';
import { ACCOUNT, AUTH, answered, type Bench, bench, START, TOKEN } from '../context.fixture.ts';

const SENT = '{"ok":true,"result":{"message_id":5}}';
const OUTSIDE = { ok: false, error_code: 403 };
let at: Bench;

beforeEach(async () => {
  at = await bench();
  at.road.onWait = (seq) => at.road.end(seq, 'sent', { result: SENT });
});
afterEach(() => at.app.close());

async function virtual(scope: Partial<Scope> = {}, expiresAt: number | null = null) {
  const made = await at.guards.keyring.create({
    ...{ kind: 'virtual', name: 'worker', role: 'sender', expiresAt },
    scope: { ...NO_SCOPE, accounts: [ACCOUNT], ...scope },
  });
  if (made.kind !== 'created') throw new Error(made.kind);
  return { token: made.secret, id: made.key.id };
}

function call(token: string, method: string, payload: object = { chat_id: -100, text: 'hi' }) {
  return at.app.inject({ method: 'POST', url: `/bot${token}/${method}`, payload });
}

describe('within its bounds', () => {
  test('it sends for its account, as the bot would', async () => {
    const { token } = await virtual({ chats: ['-100'], methods: ['sendMessage', 'getFile'] });
    const answer = await call(token, 'SENDMESSAGE');
    expect([answer.statusCode, answer.body]).toEqual([200, SENT]);
    expect(at.road.submitted[0]).toMatchObject({ account: ACCOUNT, chat: '-100' });
  });

  test('what is too urgent is lowered', async () => {
    const { token } = await virtual({ priority: 'low' });
    const headers = { priority: 'u=0' };
    const payload = { chat_id: -100, text: 'hi' };
    await at.app.inject({ method: 'POST', url: `/bot${token}/sendMessage`, headers, payload });
    expect(at.road.submitted[0]).toMatchObject({ priority: 'low' });
  });

  test('reads and downloads go out with the bot’s own token', async () => {
    const { token } = await virtual();
    await call(token, 'getMe');
    await at.app.inject(`/file/bot${token}/photos/a.jpg`);
    expect(at.passed).toMatchObject([{ credential: TOKEN, method: 'getMe' }]);
    expect(at.downloads).toMatchObject([{ credential: TOKEN, path: 'photos/a.jpg' }]);
  });

  test('the bot’s own token comes back as the virtual one', async () => {
    const { token } = await virtual();
    const own = TOKEN.split(':')[1]!;
    const url = `https://app.example/${TOKEN.replace(':', '%3A')}/${own}`;
    const body = JSON.stringify({ ok: true, result: { url } });
    at.answer = answered(200, body, { 'content-length': String(body.length) });
    const answer = await call(token, 'getWebhookInfo');
    expect(answer.body).not.toContain(own);
    expect(answer.json().result.url).toContain(token.split(':')[1]);
    await at.app.inject(`/file/bot${token}/var/${token}/a.jpg`);
    expect(at.downloads[0]!.path).toBe(`var/42%3A${own}/a.jpg`);
  });
});

describe('outside of them', () => {
  test.each([
    ['another chat', 'sendMessage', { chat_id: -101, text: 'x' }],
    ['a chat that is not there', 'sendMessage', { chat_id: 999_999, text: 'x' }],
    ['from another chat', 'forwardMessage', { chat_id: -100, from_chat_id: 7, message_id: 1 }],
    ['another method', 'sendPhoto', { chat_id: -100, photo: 'x' }],
    ['a typing sign elsewhere', 'sendChatAction', { chat_id: -101, action: 'typing' }],
    ['a read elsewhere', 'getChat', { chat_id: -101 }],
    ['all that people write', 'getUpdates', {}],
    ['a future method', 'giveEverything', {}],
  ])('%s', async (_name, method, params) => {
    const methods = ['sendMessage', 'forwardMessage', 'sendChatAction', 'getChat'];
    const { token } = await virtual({ chats: ['-100'], methods });
    const answer = await call(token, method, params);
    expect(answer.json()).toMatchObject(OUTSIDE);
    expect(answer.headers['x-sluice-error']).toBe('forbidden_scope');
    expect(answer.body).toBe((await call(token, 'banChatMember', { chat_id: 5 })).body);
    expect([at.road.submitted, at.road.cosmetics, at.passed]).toEqual([[], [], []]);
  });

  test('files, where they are not named', async () => {
    const { token } = await virtual({ chats: ['-100'] });
    const answer = await at.app.inject(`/file/bot${token}/photos/a.jpg`);
    expect(answer.json()).toMatchObject(OUTSIDE);
    expect(at.downloads).toEqual([]);
  });

  test('too often: Telegram’s own words, and when to come back', async () => {
    const { token } = await virtual({ perMinute: 1 });
    await call(token, 'sendMessage');
    await at.clock.run(START + 20_000);
    const answer = await call(token, 'getMe');
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '40']);
    expect(answer.json().parameters).toEqual({ retry_after: 40 });
    await at.clock.run(START + 60_000);
    expect((await call(token, 'getMe')).statusCode).toBe(200);
  });

  test('another account: its number before the secret is of no use', async () => {
    await at.accounts.identify('telegram', '43:good-other');
    const { token } = await virtual();
    const answer = await call(token.replace(/^42/, '43'), 'sendMessage');
    expect(answer.statusCode).toBe(401);
  });

  test('it is no key of the REST routes', async () => {
    const { token } = await virtual();
    const headers = { authorization: `Bearer ${token}` };
    expect((await at.app.inject({ url: '/v1/me', headers })).statusCode).toBe(401);
  });
});

describe('not valid', () => {
  async function invalidTokens() {
    const [revoked, expired] = [await virtual(), await virtual({}, START + 1000)];
    await at.guards.keyring.revoke(revoked.id);
    await at.clock.run(START + 1000);
    const unknown = `42:sluice${'x'.repeat(29)}`;
    return [unknown, expired.token, revoked.token, `${expired.token}/test`, '7:sluice'];
  }

  test('the same answer to the byte, whatever the reason, and as Telegram gives it', async () => {
    for (const path of ['sendMessage', 'getMe', 'getUpdates?timeout=5']) {
      const answers = [];
      for (const token of await invalidTokens()) {
        const { statusCode, headers, body } = await at.app.inject(
          `/bot${token}/${path}${path.includes('?') ? '&' : '?'}chat_id=-100&text=hi`,
        );
        const { date: _date, ...rest } = headers;
        answers.push({ statusCode, headers: rest, body });
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({
        statusCode: 401,
        body: '{"ok":false,"error_code":401,"description":"Unauthorized"}',
      });
    }
  });

  test('and the same work: no look at the account, nobody asked, nothing written', async () => {
    const tokens = await invalidTokens();
    const done: string[] = [];
    const watch = <T extends object>(what: T, names: (keyof T & string)[]) => {
      for (const name of names) {
        const real = (what[name] as (...given: unknown[]) => unknown).bind(what);
        Object.assign(what, {
          [name](...given: unknown[]) {
            done.push(name);
            return real(...given);
          },
        });
      }
    };
    watch(at.accounts, ['identify', 'credentialOf', 'get']);
    watch(at.guards.keyring, ['whose', 'who']);
    watch(at.journal.keys, ['save', 'used', 'page']);
    const steps: string[][] = [];
    for (const token of tokens) {
      done.length = 0;
      await call(token, 'sendMessage');
      await at.app.inject(`/file/bot${token}/a`);
      steps.push([...done]);
    }
    expect(steps).toEqual(tokens.map(() => ['whose', 'whose']));
  });

  test('revoked means now: the next call of the same line is refused', async () => {
    const { token, id } = await virtual();
    expect((await call(token, 'sendMessage')).statusCode).toBe(200);
    await at.app.inject({ method: 'DELETE', url: `/v1/keys/${id}`, headers: AUTH });
    expect((await call(token, 'sendMessage')).statusCode).toBe(401);
  });
});
