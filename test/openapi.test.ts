// The description against a running gateway: each example is sent to the simulator's bots and must be answered as it
// says, with nothing in the answer that it does not describe.

import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SAMPLE } from '../src/http/openapi/common.ts';
import { DROP_IN } from '../src/http/openapi/drop-in.ts';
import type { Example, RouteFacts } from '../src/http/route.ts';
import { ROUTES } from '../src/http/route-list.ts';
import {
  API,
  CODE,
  PHONE,
  type Simulated,
  simulated,
} from '../src/platforms/telegram/history/simulated.fixture.ts';
import { GatewayProcess } from './process/gateway.ts';
import { aMoment } from './process/look.ts';

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const NOWHERE = 'http://127.0.0.1:9';
const FROZEN_CHAT = '880001';
const BLOCKED_CHAT = '880002';

let gateway: GatewayProcess;
// Where accounts to read with log in.
let readers: Simulated;

beforeAll(async () => {
  readers = await simulated();
  gateway = new GatewayProcess(NOWHERE, [], {
    SLUICE_MTPROTO_API_ID: String(API.id),
    SLUICE_MTPROTO_API_HASH: API.hash,
    SLUICE_MTPROTO_DC: `${readers.sim.host}:${readers.sim.port}`,
    SLUICE_MTPROTO_KEY: readers.access.keyFile!,
  });
  await gateway.start();
  const where = { account: SAMPLE.token };
  await made('/v1/sandbox/chats', { ...where, chat: FROZEN_CHAT, freezeSeconds: 3600 });
  await made('/v1/sandbox/chats', { ...where, chat: BLOCKED_CHAT, state: 'blocked' });
  // Now its account is known.
  await send('42', {});
});
// An example may have paused it.
beforeEach(() => made(`/v1/accounts/${SAMPLE.account}/resume`, {}));
afterAll(async () => {
  await gateway.end('SIGKILL');
  gateway.remove();
  await readers.close();
});

async function made(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await gateway.ask('POST', path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

const to = (chat: string) => ({ platform: 'telegram', account: SAMPLE.token, chat });
const send = (chat: string, more: object) =>
  made('/v1/messages', { to: to(chat), body: { text: 'hello' }, ...more });

// A thing of its own for each example that names one.
const MAKERS: Record<string, () => Promise<unknown>> = {
  [SAMPLE.waiting]: async () => {
    // The first is refused and freezes its chat; the one after it waits.
    await send(FROZEN_CHAT, {});
    return (await send(FROZEN_CHAT, { notBefore: TOMORROW })).id;
  },
  [SAMPLE.dead]: async () => (await send(BLOCKED_CHAT, { wait: 30 })).id,
  [SAMPLE.stream]: async () => (await made('/v1/streams', { to: to('42'), text: 'One' })).id,
  [SAMPLE.broadcast]: async () => {
    const order = { to: { account: SAMPLE.token, platform: 'telegram' }, chats: [5001, 5002] };
    return (await made('/v1/broadcasts', { ...order, body: { text: 'news' }, notBefore: TOMORROW }))
      .id;
  },
  [SAMPLE.audience]: async () => {
    const path = `${gateway.url}/v1/audiences/${SAMPLE.audience}`;
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'text/csv' };
    const answer = await fetch(path, { method: 'PUT', headers, body: 'chat,name\n5001,Ada\n' });
    expect(answer.status).toBe(201);
    return SAMPLE.audience;
  },
  [SAMPLE.source]: async () => {
    const order = { source: SAMPLE.channel, kind: 'sandbox' };
    const { id } = await made('/v1/ingest/sources', order);
    await postOf(String(id));
    return id;
  },
  [SAMPLE.post]: async () => {
    const { id } = await made('/v1/ingest/sources', { source: SAMPLE.channel, kind: 'sandbox' });
    return postOf(String(id));
  },
  [SAMPLE.reader]: async () => {
    const account = { kind: 'mtproto', id: SAMPLE.reader, session: 'x' };
    return (await made('/v1/ingest/accounts', account)).id;
  },
  [SAMPLE.phone]: async () => `+${PHONE}`,
  [SAMPLE.code]: async () => CODE,
  [SAMPLE.login]: async () =>
    (await made('/v1/ingest/logins', { kind: 'mtproto', phone: PHONE })).id,
  [SAMPLE.key]: async () => (await made('/v1/keys', { name: 'tried', role: 'viewer' })).id,
  [SAMPLE.secret]: async () => {
    return (await gateway.ask('GET', `/v1/accounts/${SAMPLE.account}/webhook`)).body.secret;
  },
  [SAMPLE.idleAccount]: async () => {
    const to = { platform: 'terminal', account: SAMPLE.idleAccount, chat: 'screen' };
    await made('/v1/messages', { to, body: { text: 'hello' } });
    return SAMPLE.idleAccount;
  },
  [SAMPLE.adminKey]: async () => gateway.key,
};

// Its lowest, when it has any.
async function postOf(source: string): Promise<string> {
  for (;;) {
    const { body } = await gateway.ask('GET', `/v1/ingest/posts?source=${source}&after=0&limit=1`);
    const [post] = body.posts as { messageId: string }[];
    if (post !== undefined) return post.messageId;
    await aMoment();
  }
}

// The same example, with real ids.
async function real(example: Example): Promise<Example> {
  let text = JSON.stringify(example);
  for (const [sample, make] of Object.entries(MAKERS)) {
    if (text.includes(`"${sample}"`)) text = text.replaceAll(sample, String(await make()));
  }
  return JSON.parse(text) as Example;
}

async function ask({ method, url }: RouteFacts, example: Example) {
  const { params = {}, query = {}, headers = {}, body, text } = await real(example);
  const path = url.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name]!));
  const search = new URLSearchParams(query).toString();
  const type = text?.type ?? (body === undefined ? undefined : 'application/json');
  const content = text?.content ?? (body === undefined ? null : JSON.stringify(body));
  return fetch(`${gateway.url}${path}${search === '' ? '' : `?${search}`}`, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${gateway.key}`,
      ...(type === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    body: content,
  });
}

// Every object is closed: a field that is answered and not described does not fit.
function closed(schema: object): TSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    const isOpenObject = value?.type === 'object' && 'properties' in value;
    return isOpenObject && !('additionalProperties' in value)
      ? { ...value, additionalProperties: false }
      : value;
  }) as TSchema;
}

const EXAMPLES = [...ROUTES, DROP_IN].flatMap((route) =>
  Object.entries(route.examples).map(([name, example]) => ({ route, name, example })),
);

describe('examples', () => {
  test.each(EXAMPLES)('$route.method $route.url: $name', async ({ route, example }) => {
    const { answers, answerType = 'application/json' } = route;
    const answer = await ask(route, example);
    const said = answerType === 'text/event-stream' ? '' : await answer.text();
    expect(answer.status, said).toBe(example.status);
    expect(Object.keys(answers)).toContain(String(answer.status));
    const schema = answers[answer.status];
    if (schema === null || schema === undefined) return expect(said).toBe('');
    // Every refusal is a problem.
    const type = answer.status < 400 ? answerType : 'application/problem+json';
    expect(answer.headers.get('content-type')).toContain(type);
    if (answerType === 'text/event-stream') return answer.body?.cancel();
    if (answerType !== 'application/json') return expect(said).not.toBe('');
    const check = Compile(closed(schema));
    const value = JSON.parse(said) as unknown;
    expect(check.Check(value) ? [] : [...check.Errors(value)], said).toEqual([]);
  });

  test('every route has one', () => {
    const without = ROUTES.filter(({ examples }) => Object.keys(examples).length === 0);
    expect(without).toEqual([]);
  });

  test('an answer with a field that is not described would be found', () => {
    const check = Compile(closed(Type.Object({ id: Type.String() })));
    expect(check.Check({ id: 'x' })).toBe(true);
    expect(check.Check({ id: 'x', more: 1 })).toBe(false);
  });
});
