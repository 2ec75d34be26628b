// What posts updates proves itself by the account's secret, and is asked before anything else is read of it.

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type AccountId, parseAccountId } from '../domain/ids.ts';
import { ROLES } from '../domain/role.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { Periodic } from '../system/periodic.ts';
import { seededRandom } from '../system/random.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { createInbound, type Inbound } from '../updates/updates.ts';
import { AUTH, type Bench, bench, START } from './context.fixture.ts';

const TELEGRAM = createTelegram({ transport: null as never });
const ACCOUNTS: AccountId[] = ['telegram:42', 'telegram:43', 'telegram:42:test'];
const UPDATE = '{"update_id":1,"message":{"message_id":1,"date":1,"chat":{"id":7}}}';

let at: Bench;
let updates: Inbound;

beforeEach(async () => {
  const clock = virtualClock(START);
  updates = createInbound({
    clock,
    periodic: new Periodic(clock),
    random: seededRandom(1),
    journal: createMemoryStore().journal,
    secret: 'the gateway’s',
    accounts: { list: () => ACCOUNTS, has: (id) => ACCOUNTS.includes(id) },
    platformOf: () => TELEGRAM,
    settingsOf: () => ({
      replyWindowS: 3600,
      forwardUrl: null,
      webhookSecret: null,
      signingSecret: null,
      signingSecretPrevious: null,
      updatesFromStore: true,
    }),
    post: () => Promise.reject(new Error('not asked')),
    call: () => Promise.reject(new Error('not asked')),
    receipt: async () => {},
    usernameOf: async () => null,
    count: () => {},
    log: { warn: () => {} },
  });
  await updates.start();
  at = await bench({}, [], { updates });
});

function post(account: string, secret: string | null, payload: string, platform = 'telegram') {
  const headers = {
    'content-type': 'application/json',
    ...(secret === null ? {} : { 'x-telegram-bot-api-secret-token': secret }),
  };
  return at.app.inject({
    method: 'POST',
    url: `/webhook/${platform}/${account}`,
    headers,
    payload,
  });
}

const secretOf = (account: AccountId) => updates.webhookOf(account)!.secret;

describe('a webhook call', () => {
  test('with the secret of its account is taken', async () => {
    expect((await post('42', secretOf('telegram:42'), UPDATE)).statusCode).toBe(200);
    expect(updates.webhookOf('telegram:42')).toMatchObject({ waiting: 1 });
    const broken = await post('42', secretOf('telegram:42'), 'no JSON');
    expect(broken.statusCode).toBe(400);
    const deep = `{"update_id":1,"message":${'['.repeat(2500)}${']'.repeat(2500)}}`;
    const nested = await post('42', secretOf('telegram:42'), deep);
    expect(nested.json()).toMatchObject({ status: 400, code: 'json_bounds' });
  });

  test('names its account in full or without the platform, as the path it is told does', async () => {
    for (const account of ACCOUNTS) {
      const { path } = updates.webhookOf(account)!;
      for (const named of [account, path.slice('/webhook/telegram/'.length)]) {
        expect((await post(named, secretOf(account), UPDATE)).statusCode).toBe(200);
      }
    }
  });

  test('is judged again with its body as it came, before anything of it is parsed', async () => {
    const reading = TELEGRAM.updates!;
    const asked: (string | null)[] = [];
    const signs = vi.spyOn(reading, 'verify').mockImplementation((_headers, rawBody) => {
      asked.push(rawBody);
      return rawBody === null || rawBody.startsWith(' ');
    });
    expect((await post('42', 'signed', ` ${UPDATE}`)).statusCode).toBe(200);
    expect(new Set(asked)).toEqual(new Set([null, ` ${UPDATE}`]));
    for (const body of [UPDATE, 'no JSON', '']) {
      expect((await post('42', 'signed', body)).statusCode).toBe(403);
    }
    signs.mockRestore();
    expect(updates.webhookOf('telegram:42')).toMatchObject({ waiting: 1 });
  });

  test('finds nothing at a platform that posts no updates, or at none', async () => {
    for (const platform of ['terminal', 'nowhere', 'constructor']) {
      const answer = await post('telegram:42', secretOf('telegram:42'), UPDATE, platform);
      expect(answer.statusCode).toBe(404);
    }
    expect(updates.webhookOf('telegram:42')).toMatchObject({ waiting: 0 });
  });

  test.each<[string, string, string | null]>([
    ['none', '42', null],
    ['an empty one', '42', ''],
    ['a guess', '42', 'x'.repeat(43)],
    ['a very long one', '42', 'x'.repeat(8_000)],
    ['another account’s', '42', 'telegram:43'],
    ['one, for an account that is not known', '44', 'telegram:42'],
  ])('with %s is refused, whatever it carries', async (_name, account, given) => {
    const other = parseAccountId(given ?? '');
    const secret = other === null ? given : secretOf(other);
    const bodies = [UPDATE, 'no JSON', `"${'x'.repeat(1_000_000)}"`];
    const answers = await Promise.all(bodies.map((body) => post(account, secret, body)));
    for (const answer of answers) {
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ code: 'wrong_webhook_secret' });
    }
    // The same words for all of them: nobody learns which accounts there are.
    expect(answers[0]!.body).toBe((await post('99', 'guess', UPDATE)).body);
    for (const one of ACCOUNTS) expect(updates.webhookOf(one)).toMatchObject({ waiting: 0 });
  });

  test('the secrets are told to admins alone', async () => {
    const url = '/v1/accounts/telegram:42/webhook';
    expect((await at.app.inject({ url })).statusCode).toBe(401);
    const told = await at.app.inject({ url, headers: AUTH });
    expect(told.json()).toMatchObject({ signingSecret: expect.stringMatching(/^whsec_/) });
    for (const role of ROLES.filter((each) => each !== 'admin')) {
      const made = await at.app.inject({
        ...{ method: 'POST', url: '/v1/keys', headers: AUTH },
        payload: { name: role, role },
      });
      expect(made.statusCode).toBe(201);
      const headers = { authorization: `Bearer ${made.json().secret}` };
      expect((await at.app.inject({ url, headers })).statusCode).toBe(403);
    }
  });
});
