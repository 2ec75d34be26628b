// Messages made to break the gateway, against a real process: they are refused, or die alone; whatever is on disk, the
// next start comes up, sends nothing twice and goes on with the others.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aDelivery } from '../src/domain/delivery.fixture.ts';
import { type AccountId, formatId } from '../src/domain/ids.ts';
import { aBroadcast } from '../src/store/contract/broadcasts.contract.ts';
import { soleOwner } from '../src/store/contract/sole-owner.fixture.ts';
import type { Store } from '../src/store/ports/store.ts';
import { openSqliteJournal } from '../src/store/sqlite/sqlite.ts';
import { GatewayProcess } from './process/gateway.ts';

const TOKEN = `4242:${'A'.repeat(35)}`;
const ACCOUNT: AccountId = 'telegram:4242';
const LEVELS = 2500;
const DEEP = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`;
// Beyond what any recursion survives.
const ABYSS = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
const NESTED = ['reply_parameters', 'reply_markup', 'media', 'message_ids', 'entities'];
const WAIT_MS = 60_000;

let upstream: Server;
let gateway: GatewayProcess;
let calls: { method: string; body: string }[] = [];
let messageId = 0;

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = request.url!.split('/').at(-1)!;
    if (method !== 'getMe') calls.push({ method, body: Buffer.concat(chunks).toString() });
    messageId += 1;
    const result = { id: 4242, message_id: messageId, chat: { id: 1 }, date: 1, text: 'x' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, result }));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  gateway = new GatewayProcess(`http://127.0.0.1:${port}`, ['--log', 'silent']);
  await gateway.start();
  expect((await send(1, 'hello')).status).toBe(200);
}, 2 * WAIT_MS);

afterAll(async () => {
  await gateway.end('SIGKILL');
  gateway.remove();
  upstream.closeAllConnections();
  upstream.close();
});

const drop = (method: string) => `/bot${TOKEN}/${method}`;
const send = (chat: number, text: string) =>
  gateway.ask('POST', drop('sendMessage'), { chat_id: chat, text });

async function form(fields: Record<string, string>) {
  const body = new URLSearchParams(fields);
  const answer = await fetch(`${gateway.url}${drop('sendMessage')}`, { method: 'POST', body });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function post(path: string, text: string) {
  const headers = {
    authorization: `Bearer ${gateway.key}`,
    'content-type': 'application/json',
  };
  const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: text });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

// Looks until it holds: the record follows the call.
async function eventually<T>(look: () => Promise<T>, isRight: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look();
    if (isRight(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function restart(): Promise<void> {
  await gateway.end('SIGKILL');
  await gateway.start();
}

describe('requests', () => {
  test('nested without end are refused, in a body and in every field; nothing reaches the platform', async () => {
    calls = [];
    const deep = await post(drop('sendMessage'), `{"chat_id":1,"text":"x","reply_markup":${DEEP}}`);
    expect(deep).toMatchObject({ status: 400, body: { ok: false, error_code: 400 } });
    for (const name of NESTED) {
      const answer = await form({ chat_id: '1', text: 'x', [name]: DEEP });
      expect(answer.status, name).toBe(400);
      expect(answer.body.description, name).toBe(`Bad Request: can't parse ${name} JSON object`);
    }
    const to = `{"account":"${ACCOUNT}","chat":1}`;
    for (const [path, body] of [
      ['/v1/messages', `{"to":${to},"body":{"text":"x","reply_markup":${DEEP}}}`],
      ['/v1/streams', `{"to":${to},"body":{"reply_markup":${DEEP}}}`],
      ['/v1/broadcasts', `{"to":${to},"body":{"text":${DEEP}},"recipients":[1]}`],
    ] as const) {
      expect(await post(path, body), path).toMatchObject({
        status: 400,
        body: { code: 'json_bounds' },
      });
    }
    expect(calls).toEqual([]);
    await restart();
    expect((await send(2, 'after')).status).toBe(200);
    expect(calls.map(({ method }) => method)).toEqual(['sendMessage']);
  });

  test('a stream with a name of ours ends like any other, and is not sent again at the next start', async () => {
    calls = [];
    const request = {
      to: { account: ACCOUNT, chat: 77 },
      text: 'once',
      body: { 'sluice:parts': null, 'sluice:files': 5 },
    };
    const opened = await gateway.ask('POST', '/v1/streams', request);
    expect(opened.status).toBe(201);
    const { id } = opened.body as { id: string };
    await gateway.ask('POST', `/v1/streams/${id}/final`, { wait: 30 });
    const ended = await eventually(
      () => gateway.ask('GET', `/v1/streams/${id}`),
      ({ body }) => body.state !== 'open' && body.state !== 'finishing',
    );
    expect(ended.body.state).toBe('done');
    expect(calls.every(({ body }) => !body.includes('sluice:'))).toBe(true);
    const sent = calls.length;
    await restart();
    expect((await send(3, 'after')).status).toBe(200);
    expect(calls.length).toBe(sent + 1);
  });
});

// Each bound to a chat, as far as can be read.
const BROKEN_SCOPES = [ABYSS, '{"chats":7}', '{"chats":', '{"rooms":["5"]}'];

async function breakKeys(journal: Pick<Store, 'keys' | 'broadcasts'>): Promise<void> {
  for (const key of await journal.keys.page({ after: '', max: 100 })) {
    const scope = BROKEN_SCOPES[Number(/^broken (\d)$/.exec(key.name)?.[1] ?? Number.NaN)];
    if (scope !== undefined) await journal.keys.save({ ...key, scope });
  }
}

async function breakBroadcast(journal: Pick<Store, 'keys' | 'broadcasts'>): Promise<void> {
  const audience = (await journal.broadcasts.open({ name: null, at: 1, audiencesMax: 9 }))!;
  await journal.broadcasts.fill({ audience, members: [{ chat: '21', fields: '' }] });
  await journal.broadcasts.seal({ audience, fields: [] });
  await journal.broadcasts.create(aBroadcast(audience, { account: ACCOUNT, body: '{"text":' }));
}

// As a version without bounds would have left it, by the store's own means.
async function poisonStore(): Promise<Record<string, number>> {
  const journal = soleOwner(await openSqliteJournal({ dir: gateway.data }));
  const seqs: Record<string, number> = {};
  const add = async (name: string, chat: string, method: string, body: string, more = {}) => {
    const call = { account: ACCOUNT, platform: 'telegram', chat, method, body };
    const family = method.startsWith('edit') ? 'edit' : 'send';
    const delivery = aDelivery({
      ...call,
      family,
      budget: 'open',
      acceptedAt: Date.now(),
      ...more,
    });
    const appended = await journal.append(delivery, { queueMax: 1000 });
    if (appended.kind !== 'accepted') throw new Error(`${name}: ${appended.kind}`);
    seqs[name] = appended.queued.seq;
    return appended.queued.seq;
  };
  const edit = `{"chat_id":11,"message_id":5,"text":"x","reply_markup":${ABYSS}}`;
  await add('deep', '11', 'editMessageText', edit);
  await add('broken', '12', 'sendMessage', '{"message_id":');
  await add('parts', '13', 'sendMessage', '{"sluice:parts":null,"chat_id":13,"text":"parts"}');
  await add('files', '14', 'sendMessage', '{"sluice:files":7,"chat_id":14,"text":"files"}');
  await add('elsewhere', '15', 'sendMessage', '{}', { account: 'nowhere:1', platform: 'nowhere' });
  await journal.begin(await add('doubt', '16', 'sendMessage', '{"message_id":'), Date.now());
  await journal.begin(await add('lost', '17', 'sendMessage', '{}', { account: 'nowhere:1' }), 1);
  await add('good', '18', 'sendMessage', '{"chat_id":18,"text":"good"}');
  const updatedAt = Date.now();
  await journal.saveLimits([
    { account: ACCOUNT, key: 'alias|@x', value: ABYSS, updatedAt },
    { account: ACCOUNT, key: 'freeze|account||', value: '{"since":', updatedAt },
    { account: 'nowhere:1', key: 'freeze|account||', value: '{}', updatedAt },
  ]);
  const asked = {
    ...{ account: ACCOUNT, platform: 'telegram', chat: '19', thread: null, session: null },
    ...{ user: null, correlation: null, priority: 'normal', format: 'plain', transport: 'edit' },
    ...{ params: { 'sluice:parts': null }, idleMs: 60_000 },
  };
  const kept = {
    ...{ openedAt: updatedAt, state: 'finishing', reason: null, transport: 'edit', parts: [] },
    ...{ made: 0, cuts: [], finals: [], resent: [], changedAt: updatedAt, endedAt: null },
    ...{ shownUnits: 0, superseded: 0 },
  };
  const stream = (id: string, record: string) =>
    journal.streams.save({ id, account: ACCOUNT, endedAt: null, text: 'grown', record });
  await stream('s-unreadable', ABYSS);
  await stream('s-shapeless', '{"asked":null}');
  await stream(
    's-elsewhere',
    JSON.stringify({ asked: { ...asked, platform: 'nowhere' }, ...kept }),
  );
  await stream('s-ours', JSON.stringify({ asked, ...kept }));
  await breakKeys(journal);
  await breakBroadcast(journal);
  const place = { updateId: '7', order: 7 };
  const update = { account: ACCOUNT, at: updatedAt, chat: '20', messageId: '1', ...place };
  await journal.incoming.record([
    { ...update, voice: 'wrote', state: 'waiting', body: '{"update_id":7,' },
  ]);
  await journal.close();
  return seqs;
}

test(
  'a store poisoned by an older version starts, sets apart what is broken, and sends nothing twice',
  async () => {
    calls = [];
    const secrets: string[] = [];
    for (const i of BROKEN_SCOPES.keys()) {
      const order = { name: `broken ${i}`, role: 'viewer', chats: ['5'] };
      secrets.push(String((await gateway.ask('POST', '/v1/keys', order)).body.secret));
    }
    await gateway.end('SIGKILL');
    const seqs = await poisonStore();
    await gateway.start();
    const records = await eventually(
      () => gateway.records(),
      (all) => all.every(({ state }) => state !== 'queued' && state !== 'sending'),
    );
    const of = (name: string) =>
      records.find(({ id }) => id === formatId(String(id).split('-')[0]!, seqs[name]!)) as Record<
        string,
        unknown
      >;
    for (const name of ['deep', 'broken', 'elsewhere', 'doubt', 'lost']) {
      expect(of(name), name).toMatchObject({ state: 'dead', reason: 'internal' });
    }
    expect(of('deep').detail).toMatch(/^RangeError at \S+\/\S+\.[jt]s:\d+: Maximum call stack/);
    for (const name of ['parts', 'files', 'good']) {
      expect(of(name), name).toMatchObject({ state: 'sent' });
    }
    const toChat = (chat: number) => calls.filter(({ body }) => body.includes(`"chat_id":${chat}`));
    for (const chat of [13, 14, 18, 19]) expect(toChat(chat), String(chat)).toHaveLength(1);
    expect((await gateway.ask('GET', '/health')).status).toBe(200);
    const metrics = await (
      await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.key}` } })
    ).text();
    expect(metrics).toMatch(/sluice_internal_faults_total\{stage="attempt"\} [1-9]/);
    expect(metrics).toMatch(/sluice_internal_faults_total\{stage="recovery"\} [1-9]/);

    for (const secret of secrets) {
      const headers = { authorization: `Bearer ${secret}` };
      expect((await fetch(`${gateway.url}/v1/messages`, { headers })).status).toBe(401);
    }
    const { body: broadcasts } = await gateway.ask('GET', '/v1/broadcasts');
    expect(broadcasts.items).toEqual([expect.objectContaining({ state: 'paused' })]);
    expect(toChat(21)).toEqual([]);

    // Again, and again: nothing of it comes up a second time.
    const before = calls.length;
    await restart();
    expect((await send(4, 'after')).status).toBe(200);
    expect(calls.length).toBe(before + 1);
    // By hand it is tried once more, and dies once more.
    const { id } = of('broken');
    expect((await gateway.ask('POST', '/v1/dead/retry', { ids: [id] })).status).toBe(200);
    const again = await eventually(
      () => gateway.ask('GET', `/v1/messages/${id}`),
      ({ body }) => body.state === 'dead' && body.tries === 2,
    );
    expect(again.body).toMatchObject({ reason: 'internal' });
  },
  2 * WAIT_MS,
);
