import { describe, expect, test } from 'vitest';
import type { AccountView } from '../../road/road.ts';
import { AUTH, bench } from '../context.fixture.ts';
import { resumedInWords } from './resumed.ts';

const CLOSED = { state: 'closed', until: 0, cause: '', detail: '' } as const;
const OPEN = { state: 'open', until: 9, cause: 'unsent', detail: 'ECONNREFUSED' } as const;

describe('adding an account', () => {
  async function add(platform: string, token: string) {
    const { app, accounts, guards } = await bench();
    const payload = { platform, token };
    const url = '/v1/accounts';
    const answer = await app.inject({ method: 'POST', url, headers: AUTH, payload });
    const [noted] = await guards.audit.page({ before: null, max: 1 });
    await app.close();
    return { status: answer.statusCode, body: answer.json(), accounts, noted };
  }

  test('by its token: the platform says whose it is, and it is listed; the token is in no answer', async () => {
    const { status, body, accounts, noted } = await add('telegram', ' 77:good-one ');
    expect({ status, body }).toEqual({
      status: 200,
      body: { id: 'telegram:77', platform: 'telegram', isNew: true },
    });
    expect(accounts.credentialOf('telegram:77')).toBe('77:good-one');
    expect(noted).toMatchObject({ action: 'POST /v1/accounts', target: 'telegram:77' });
  });

  test('one that is known is said to be known', async () => {
    const { body } = await add('telegram', '42:good-token');
    expect(body).toMatchObject({ id: 'telegram:42', isNew: false });
  });

  test('what the platform refuses, or is no platform, is not added, and is noted without the token', async () => {
    const { status, body, noted } = await add('telegram', '77:stolen');
    expect([status, body.code]).toEqual([422, 'account_refused']);
    expect(noted).toMatchObject({ result: '422 account_refused', target: '' });
    expect(JSON.stringify(body)).not.toContain('stolen');
    expect((await add('pigeon', 'x')).body.code).toBe('unknown_platform');
    expect((await add('telegram', '')).body.code).toBe('invalid_message');
  });
});

test.each<[Partial<AccountView>, string]>([
  [{ paused: true, waiting: 2 }, 'a:1 is no longer paused: 2 messages go out as its limits allow.'],
  [{ paused: true }, 'a:1 is no longer paused; nothing waits.'],
  [{ waiting: 1 }, 'a:1 was not paused: 1 message goes out as its limits allow.'],
  [
    { paused: true, refused: 'unauthorized', waiting: 1 },
    'a:1 is no longer paused, but the platform refuses its token: 1 message waits.',
  ],
  [
    { paused: true, breaker: OPEN, waiting: 3 },
    'a:1 is no longer paused, but the platform does not answer (ECONNREFUSED): 3 messages wait.',
  ],
])('a resume of %j says what it did', (more, said) => {
  const calm = { id: 'a:1' as const, platform: 'a', paused: false, refused: null };
  expect(
    resumedInWords({
      ...calm,
      breaker: CLOSED,
      silentSince: null,
      waiting: 0,
      inFlight: 0,
      ...more,
    }),
  ).toBe(said);
});
