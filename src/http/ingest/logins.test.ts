import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PeerRequest } from '../../cluster/peers.ts';
import { FLEET_HEADERS } from '../../domain/fleet.ts';
import { LOGINS_MAX, Logins } from '../../ingest/login/logins.ts';
import type { LoginOutcome, LoginQuestions } from '../../platforms/history.ts';
import { systemClock } from '../../system/clock.ts';
import { boundKey } from '../auth/bounds.fixture.ts';
import { AUTH, type Bench, bench, ingestDesk } from '../context.fixture.ts';
import type { FleetPort } from '../fleet/port.ts';

const KIND = 'mtproto';
const CODE = '24680';
const PASSWORD = 'correct horse';
const PHONE = '+1 555 0100';
const SESSION = 'a session that is secret';

let at: Bench;
let loginDesk: ReturnType<typeof ingestDesk>;
let kept: string[];

// A platform with one account.
async function logIn(questions: LoginQuestions): Promise<LoginOutcome> {
  if ((await questions.phone()) !== PHONE) return { kind: 'wait', waitMs: 86_400_000 };
  while ((await questions.code()) !== CODE);
  if ((await questions.password('a horse')) === PASSWORD) {
    return { kind: 'logged_in', id: '7', name: 'Ada', session: SESSION };
  }
  return { kind: 'refused', reason: 'rejected', detail: 'wrong too often' };
}

beforeEach(async () => {
  kept = [];
  let last = 0;
  const logins = new Logins({
    clock: systemClock(),
    newId: () => `login-${++last}`,
    keep: async (_kind, { session }) => void kept.push(session),
  });
  const desk = {
    kinds: [KIND],
    begin: (kind: string, phone: string) => logins.begin({ kind, logIn }, phone),
    answer: logins.answer.bind(logins),
    end: logins.end.bind(logins),
  };
  loginDesk = { ...ingestDesk(), logins: desk };
  at = await bench({}, [], { ingest: loginDesk });
});
afterEach(() => at.app.close());

async function ask(path: string, payload: object, headers: Record<string, string> = AUTH) {
  const url = `/v1/ingest/logins${path}`;
  const answer = await at.app.inject({ method: 'POST', url, headers, payload });
  return { status: answer.statusCode, body: answer.json() };
}
const begin = (phone = PHONE, kind = KIND) => ask('', { kind, phone });

test('an account logs in by its answers, of which nothing is shown or noted', async () => {
  const begun = await begin();
  const answered = [begun, await ask('/login-1', { code: '0' })];
  answered.push(await ask('/login-1', { code: CODE }));
  answered.push(await ask('/login-1', { password: PASSWORD }));
  const none = { again: false, hint: null, account: null, detail: null, waitSeconds: null };
  const about = { id: 'login-1', kind: KIND, ...none };
  expect(answered).toEqual([
    { status: 201, body: { ...about, state: 'code' } },
    { status: 200, body: { ...about, state: 'code', again: true } },
    { status: 200, body: { ...about, state: 'password', hint: 'a horse' } },
    { status: 200, body: { ...about, state: 'logged_in', account: { id: '7', name: 'Ada' } } },
  ]);
  expect(kept).toEqual([SESSION]);
  expect(await ask('/login-1', { code: CODE })).toMatchObject({
    ...{ status: 404, body: { code: 'unknown_login' } },
  });
  const noted = await at.journal.audit.page({ before: null, max: 99 });
  expect(noted.length).toBeGreaterThan(3);
  const told = JSON.stringify([answered, at.logged, noted]);
  for (const secret of [PHONE, CODE, PASSWORD, SESSION]) expect(told).not.toContain(secret);
});

test('a wait and a refusal are told in words', async () => {
  expect((await begin('+1 555 0199')).body).toMatchObject({
    state: 'refused',
    detail: 'the platform asks to wait for 86400 s before the next try',
    waitSeconds: 86_400,
  });
  await begin();
  await ask('/login-2', { code: CODE });
  const refused = (await ask('/login-2', { password: 'wrong' })).body;
  expect(refused).toMatchObject({ state: 'refused', detail: 'wrong too often' });
  expect(kept).toEqual([]);
});

test.each([
  ['', {}],
  ['', { kind: KIND, phone: '' }],
  ['/login-1', {}],
  ['/login-1', { code: '1', password: '2' }],
  ['/login-1', { answer: '1' }],
])('%s %j is refused', async (path, payload) => {
  await begin();
  expect(await ask(path, payload)).toMatchObject({
    status: 422,
    body: { code: 'invalid_message' },
  });
});

test('one that nobody logs in to says what is missing', async () => {
  const { status, body } = await begin(PHONE, 'page');
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'login_unavailable' });
  expect(JSON.stringify(body)).toContain('SLUICE_MTPROTO_API_ID');
});

test('who gives up makes room; no more than some are under way', async () => {
  for (let n = 0; n < LOGINS_MAX; n++) await begin();
  expect(await begin()).toMatchObject({ status: 429, body: { code: 'logins_full' } });
  const end = () =>
    at.app.inject({ method: 'DELETE', url: '/v1/ingest/logins/login-1', headers: AUTH });
  expect((await end()).json()).toEqual({ id: 'login-1', ended: true });
  expect((await end()).json()).toMatchObject({ status: 404, code: 'unknown_login' });
  expect((await begin()).status).toBe(201);
});

test('it is an admin’s to do', async () => {
  const headers = await boundKey(at, 'operator', {});
  expect((await ask('', { kind: KIND, phone: PHONE }, headers)).status).toBe(403);
});

test('one that was begun at another node is answered and given up at any', async () => {
  await at.app.close();
  const secret = 'the-secret-of-the-fleet';
  const port = (others: Record<string, Bench>) =>
    ({
      secret,
      nodes: () => ['self', 'idle', 'begun'].map((url) => ({ url, isSelf: url === 'self' })),
      forward: async ({ url }: { url: string }, { method, path, headers, body }: PeerRequest) => {
        const proven = { ...headers, [FLEET_HEADERS.secret]: secret };
        const payload = body === null ? {} : { payload: body };
        const asked = { method: method as 'POST', url: path, headers: proven, ...payload };
        const answer = await others[url]!.app.inject(asked);
        if (answer.headers[FLEET_HEADERS.moved] !== undefined) return { kind: 'moved', to: null };
        const { statusCode: status, rawPayload } = answer;
        return {
          kind: 'answered',
          status,
          headers: answer.headers,
          body: Readable.from([rawPayload]),
        };
      },
    }) as unknown as FleetPort;
  const inner = { side: 'inner', port: port({}) } as const;
  const begun = await bench({}, [], { ingest: loginDesk, fleet: inner });
  const idle = await bench({}, [], { ingest: ingestDesk(), fleet: inner });
  const fleet = { side: 'outer', port: port({ idle, begun }) } as const;
  at = await bench({}, [], { ingest: ingestDesk(), fleet });
  await loginDesk.logins.begin(KIND, PHONE);
  expect(await ask('/login-1', { code: CODE })).toMatchObject({
    ...{ status: 200, body: { id: 'login-1', state: 'password' } },
  });
  const url = '/v1/ingest/logins/login-1';
  const end = () => at.app.inject({ method: 'DELETE', url, headers: AUTH });
  expect((await end()).json()).toEqual({ id: 'login-1', ended: true });
  expect((await end()).json()).toMatchObject({ status: 404, code: 'unknown_login' });
  for (const { app } of [begun, idle]) await app.close();
});
