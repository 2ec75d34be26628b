// What passes by is overheard: getUpdates answers, and only whole ones that say yes.

import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import type { Caller } from '../../accept/callers.ts';
import type { Passage } from '../../platforms/platform.ts';
import { createTelegram } from '../../platforms/telegram/telegram.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import type { Inbound } from '../../updates/updates.ts';
import { bench, TOKEN } from '../context.fixture.ts';
import { PASSING_MAX } from '../context.ts';
import { sendAnswer } from '../edge.ts';
import { Passing } from './pass.ts';

const { calls, dialect, polling } = createTelegram({ transport: null as never });
const TELEGRAM = { calls, dialect: dialect!, polling: polling! };
const UPDATES = '{"ok":true,"result":[{"update_id":1},{"update_id":2}]}';

async function passed(method: string, status: number, pieces: (string | Error)[]) {
  const saw: unknown[] = [];
  const inbound: Pick<Inbound, 'saw' | 'servesUpdates'> = {
    saw: (account, updates) => void saw.push(account, ...updates),
    servesUpdates: () => false,
  };
  const flow = async function* () {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      yield Buffer.from(piece);
    }
  };
  const passage: Passage = {
    pass: async () => ({
      kind: 'answered',
      status,
      headers: { 'content-type': 'application/json' },
      body: Readable.from(flow(), { objectMode: false }),
    }),
    download: () => Promise.reject(new Error('not asked')),
  };
  const at = await bench();
  const options = { ...at.options, clock: virtualClock(0), updates: inbound as unknown as Inbound };
  const passing = new Passing(options, { ...TELEGRAM, passage });
  const app = fastify();
  const call = { method, body: '{}', heldMs: 0 };
  const who = { account: 'telegram:1' as const, address: '', isStranger: true };
  const own = { kind: 'speaker', ...who, credential: '1:x', virtual: null } as const;
  app.get('/', async (_request, reply) =>
    sendAnswer(reply, await passing.call(own, call, reply.raw)),
  );
  const answer = await app.inject('/').catch(() => null);
  return { saw, answer };
}

test('updates are told when all of them have gone on', async () => {
  const { saw, answer } = await passed('GETUPDATES', 200, [UPDATES.slice(0, 9), UPDATES.slice(9)]);
  expect(answer!.body).toBe(UPDATES);
  expect(saw).toEqual(['telegram:1', { update_id: 1 }, { update_id: 2 }]);
});

test.each([
  ['another method', 'getChat', 200, [UPDATES]],
  ['a refusal', 'getUpdates', 409, [UPDATES]],
  ['no JSON', 'getUpdates', 200, ['<html>']],
  ['nothing new', 'getUpdates', 200, ['{"ok":true,"result":[]}']],
  ['cut off', 'getUpdates', 200, [UPDATES.slice(0, 20), new Error('reset')]],
] as const)('%s tells nothing', async (_name, method, status, pieces) => {
  const { saw } = await passed(method, status, [...pieces]);
  expect(saw).toEqual([]);
});

test('a platform that throws takes no place for ever', async () => {
  let isBroken = true;
  const passage: Passage = {
    pass: () =>
      isBroken
        ? Promise.reject(new Error('broken'))
        : Promise.resolve({
            kind: 'answered',
            status: 200,
            headers: {},
            body: Readable.from(['{}'], { objectMode: false }),
          }),
    download: () => Promise.reject(new Error('not asked')),
  };
  const { options } = await bench();
  const passing = new Passing({ ...options, clock: virtualClock(0) }, { ...TELEGRAM, passage });
  const app = fastify();
  const call = { method: 'getMe', body: '{}', heldMs: 0 };
  const who = { account: 'telegram:1' as const, address: '', isStranger: false };
  const own = { kind: 'speaker', ...who, credential: '1:x', virtual: null } as const;
  app.get('/', async (_request, reply) =>
    sendAnswer(reply, await passing.call(own, call, reply.raw)),
  );
  for (let i = 0; i <= PASSING_MAX; i++) expect((await app.inject('/')).statusCode).toBe(500);
  isBroken = false;
  expect((await app.inject('/')).statusCode).toBe(200);
});

test.each([
  ['transferGift', 'lost', 409],
  ['TRANSFERGIFT', 'unsent', 502],
  ['getChat', 'lost', 502],
] as const)('%s whose answer is %s gets %i', async (method, kind, status) => {
  const at = await bench();
  at.answer = { kind, reason: 'reset', detail: '' };
  const answer = await at.app.inject({ method: 'POST', url: `/bot${TOKEN}/${method}` });
  expect(answer.json()).toMatchObject({ ok: false, error_code: status });
  const counted = 'sluice_passed_total{platform="telegram",status="none"} 1';
  expect(await at.options.metrics.text()).toContain(counted);
  await at.app.close();
});

test('a crowd that gets 401 has a few questions at a time, and leaves some for configured accounts', async () => {
  const passage: Passage = {
    pass: async () => ({ kind: 'answered', status: 401, headers: {}, body: Readable.from([]) }),
    download: () => Promise.reject(new Error('not asked')),
  };
  const at = await bench();
  const asked: string[] = [];
  // The platform hangs.
  at.road.isTokenRefused = (account) => {
    asked.push(account);
    return new Promise(() => {});
  };
  const passing = new Passing(at.options, { ...TELEGRAM, passage });
  const call = { method: 'getMe', body: '{}', heldMs: 0 };
  const from = async (id: number, isStranger: boolean) => {
    const account = `telegram:${id}` as const;
    const who = { account, credential: `${id}:x`, address: `10.0.0.${id}`, isStranger };
    const caller = new EventEmitter() as unknown as Caller;
    const { body } = await passing.call({ kind: 'speaker', virtual: null, ...who }, call, caller);
    (body as Readable).destroy();
  };
  for (let id = 1; id <= 100; id++) await from(id, true);
  expect(asked).toHaveLength(12);
  await from(200, false);
  expect(asked.at(-1)).toBe('telegram:200');
  await at.app.close();
});
