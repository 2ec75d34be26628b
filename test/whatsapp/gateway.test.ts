// The plain HTTP calls of Meta's documents, through the gateway to the simulated WhatsApp: a client changes its base
// URL and nothing else.

import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import {
  type FaultScript,
  type ServedModel,
  scriptedFaults,
  serveModel,
  signatureOf,
  type WebhookPost,
  WHATSAPP_SIMULATOR,
  type WhatsappModel,
} from '../../src/sim/sim.ts';

const KEY = 'the-admin-key-of-this-test';
const NUMBER = '106540352242922';
const TOKEN = 'EAAtesttokentesttokentesttoken';
const ACCOUNT = `whatsapp:${NUMBER}`;
const APP_SECRET = 'the-secret-of-the-app-of-this-test';
const PRODUCT = { messaging_product: 'whatsapp' };

const folder = mkdtempSync(join(tmpdir(), 'sluice-whatsapp-'));
let sim: ServedModel<WhatsappModel>;
let faults: FaultScript;
let app: { server: Server; url: string; posts: { body: string; signature: string }[] };
let gateway: Gateway;
let url: string;
// What the platform wants to post; a test decides when and how.
const posts: WebhookPost[] = [];

beforeAll(async () => {
  faults = scriptedFaults([]);
  const options = { statusMs: 1 };
  sim = await serveModel(WHATSAPP_SIMULATOR, { host: '127.0.0.1', port: 0, faults, options });
  sim.model.listen((post) => posts.push(post));
  app = await startApp();
  const config = configOf({
    ...{ data: folder, log: 'silent', port: 0, adminKey: KEY, whatsappApi: sim.url },
    ...{ webhookSecret: APP_SECRET, forwardUrl: app.url },
  });
  gateway = await createGateway(config);
  url = await gateway.listen();
});

afterAll(async () => {
  await gateway.close();
  await sim.close();
  app.server.closeAllConnections();
  app.server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startApp() {
  const seen: { body: string; signature: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      seen.push({ body, signature: String(request.headers['x-hub-signature-256']) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}/`, posts: seen };
}

function graph(verb: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${url}/v21.0/${path}`, {
    method: verb,
    headers: { authorization: `Bearer ${TOKEN}`, ...type, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

const send = (body: object, headers?: Record<string, string>) =>
  graph(
    'POST',
    `${NUMBER}/messages`,
    { ...PRODUCT, recipient_type: 'individual', ...body },
    headers,
  );
const text = (to: string, body: string) => ({ to, type: 'text', text: { body } });

async function sluice(path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${KEY}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

function postSigned(body: string, signature = signatureOf(body, APP_SECRET)) {
  return fetch(`${url}/webhook/whatsapp/${NUMBER}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
    body,
  });
}

// As the platform posts them, in the order given.
async function deliver(some: readonly WebhookPost[]): Promise<void> {
  for (const { body } of some) expect((await postSigned(JSON.stringify(body))).status).toBe(200);
}

async function postsOf(id: string, count: number): Promise<WebhookPost[]> {
  const own = () => posts.filter(({ body }) => JSON.stringify(body).includes(id));
  await expect.poll(() => own().length).toBeGreaterThanOrEqual(count);
  return own();
}

test('a text, a template, a reaction, a place and a read mark are answered as Meta answers them', async () => {
  const sent = await send(text('+1 (650) 555-1234', 'hello'));
  expect(sent.status).toBe(200);
  expect(sent.headers.get('x-sluice-delivery')).toMatch(/^\w{5}-\w+$/);
  expect(await sent.json()).toEqual({
    messaging_product: 'whatsapp',
    contacts: [{ input: '+1 (650) 555-1234', wa_id: '16505551234' }],
    messages: [{ id: expect.stringMatching(/^wamid\./) }],
  });
  const template = { name: 'hello_world', language: { code: 'en_US' } };
  const [{ id } = { id: '' }] = sim.model.messagesOf('16505551234');
  const others = [
    { to: '16505551234', type: 'template', template },
    { to: '16505551234', type: 'reaction', reaction: { message_id: id, emoji: '👍' } },
    { to: '16505551234', type: 'location', location: { latitude: 1, longitude: 2 } },
    { to: '16505551234', type: 'image', image: { link: 'https://example.org/a.png' } },
  ];
  for (const each of others) expect((await send(each)).status).toBe(200);
  const read = await graph('POST', `${NUMBER}/messages`, {
    ...{ ...PRODUCT, status: 'read', message_id: 'wamid.IN', typing_indicator: { type: 'text' } },
  });
  expect(await read.json()).toEqual({ success: true });
  const texts = sim.model.messagesOf('16505551234').map((each) => each.text);
  expect(texts).toEqual(['hello', '[template hello_world]', '👍', '[location]', '[image]']);
});

test('an error keeps its code, its trace and its shape', async () => {
  sim.model.setChat('16505550000', { kind: 'unlisted' });
  const refused = await send(text('16505550000', 'x'));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    error: { type: 'OAuthException', code: 131030, fbtrace_id: expect.any(String) },
  });
  const nobody = await send({ type: 'text', text: { body: 'x' } });
  expect(nobody.status).toBe(400);
  expect(await nobody.json()).toMatchObject({ error: { code: 100 } });
  const stranger = await graph('POST', `${NUMBER}/messages`, text('1650', 'x'), {
    authorization: 'Bearer sluice-wrong',
  });
  expect(stranger.status).toBe(401);
  expect(await stranger.json()).toMatchObject({ error: { code: 190 } });
});

test('media is uploaded, sent, looked up and deleted', async () => {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', 'image/png');
  form.set('file', new Blob([Buffer.from('a picture')], { type: 'image/png' }), 'a.png');
  const authorization = `Bearer ${TOKEN}`;
  const uploaded = await fetch(`${url}/v21.0/${NUMBER}/media`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  expect(uploaded.status).toBe(200);
  const { id } = (await uploaded.json()) as { id: string };
  expect((await send({ to: '16505551299', type: 'image', image: { id } })).status).toBe(200);
  const found = await graph('GET', id);
  expect(await found.json()).toMatchObject({ id, mime_type: 'image/png', file_size: 9 });
  const gone = await graph('DELETE', `${id}?phone_number_id=${NUMBER}`);
  expect(await gone.json()).toEqual({ success: true });
});

test('the platform is told that the webhook is wanted, and strangers are not', async () => {
  const { verifyToken } = await sluice(`/v1/accounts/${encodeURIComponent(ACCOUNT)}/webhook`);
  expect(verifyToken).toMatch(/^[\w-]{32}$/);
  expect(verifyToken).not.toContain(APP_SECRET);
  const ask = (token: string) =>
    fetch(
      `${url}/webhook/whatsapp/${NUMBER}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`,
    );
  const right = await ask(String(verifyToken));
  expect([right.status, await right.text()]).toEqual([200, '1158201444']);
  expect((await ask('wrong')).status).toBe(403);
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });
  expect((await postSigned(body, signatureOf(body, 'another secret'))).status).toBe(403);
});

test('what a person writes goes on to the app once, and signed as the platform signs', async () => {
  const { posted } = sim.model.inject(`${NUMBER}:${TOKEN}`, '16505557777', 'hi there', Date.now());
  const body = JSON.stringify(posted);
  expect((await postSigned(body)).status).toBe(200);
  expect((await postSigned(body)).status).toBe(200);
  const own = () => app.posts.filter((each) => each.body.includes('hi there'));
  await expect.poll(() => own().length).toBe(1);
  const [{ body: forwarded, signature } = { body: '', signature: '' }] = own();
  const expected = createHmac('sha256', APP_SECRET).update(forwarded).digest('hex');
  expect(signature).toBe(`sha256=${expected}`);
});

async function storyOf(answer: Response): Promise<{ state: unknown; told: string[] }> {
  const id = answer.headers.get('x-sluice-delivery');
  const { state, history } = (await sluice(`/v1/messages/${id}`)) as {
    state: unknown;
    history: { reason: string; by: string }[];
  };
  const told = history.filter(({ by }) => by === 'platform').map(({ reason }) => reason);
  return { state, told };
}

test('statuses in any order and repeated end in the same story', async () => {
  const orders = [
    ['sent', 'delivered', 'read'],
    ['read', 'delivered', 'sent'],
    ['delivered', 'read', 'read', 'delivered', 'sent', 'sent'],
  ];
  for (const [i, order] of orders.entries()) {
    const answer = await send({
      ...text(`1650555200${i}`, `story ${i}`),
      biz_opaque_callback_data: 'mine',
    });
    const { messages } = (await answer.json()) as { messages: { id: string }[] };
    const told = await postsOf(messages[0]!.id, 3);
    const named = (name: string) =>
      told.find(({ body }) => JSON.stringify(body).includes(`"status":"${name}"`))!;
    await deliver(order.map(named));
    const story = await storyOf(answer);
    expect(story.state).toBe('sent');
    expect(story.told.at(-1)).toBe('read');
    expect(new Set(story.told).size).toBe(story.told.length);
    // The app hears its own words again, and nothing of ours.
    const statuses = app.posts.filter(({ body }) => body.includes(messages[0]!.id));
    for (const { body } of statuses) expect(body).toContain('"biz_opaque_callback_data":"mine"');
  }
});

test('who shows no phone number is written to by the id that the platform told', async () => {
  const user = 'US.13491208655302741918';
  const { posted } = sim.model.inject(`${NUMBER}:${TOKEN}`, user, 'no number here', Date.now());
  expect((await postSigned(JSON.stringify(posted))).status).toBe(200);
  const answer = await send({ recipient: user, type: 'text', text: { body: 'hello, whoever' } });
  expect(answer.status).toBe(200);
  const { contacts, messages } = (await answer.json()) as {
    contacts: unknown;
    messages: { id: string }[];
  };
  expect(contacts).toEqual([{ input: user, user_id: user }]);
  await deliver(await postsOf(messages[0]!.id, 3));
  expect((await storyOf(answer)).told.at(-1)).toBe('read');
  const rest = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: { account: ACCOUNT, chat: user }, text: 'by REST', wait: true }),
  });
  expect(await rest.json()).toMatchObject({ state: 'sent' });
  const said = sim.model.messagesOf(user).map((each) => each.text);
  expect(said).toEqual(['no number here', 'hello, whoever', 'by REST']);
});

test('a message that fails after it was taken is dead with its reason, until a device has it', async () => {
  sim.model.setChat('16505553000', { kind: 'blocked' });
  const answer = await send(text('16505553000', 'never arrives'));
  expect(answer.status).toBe(200);
  const { messages } = (await answer.json()) as { messages: { id: string }[] };
  const failed = await postsOf(messages[0]!.id, 1);
  await deliver([...failed, ...failed]);
  const id = answer.headers.get('x-sluice-delivery');
  const dead = await sluice(`/v1/messages/${id}`);
  expect(dead).toMatchObject({ state: 'dead', reason: 'undeliverable' });
  const late = JSON.stringify(failed[0]!.body).replace('"failed"', '"delivered"');
  expect((await postSigned(late)).status).toBe(200);
  expect((await storyOf(answer)).state).toBe('sent');
  await deliver(failed);
  expect((await storyOf(answer)).state).toBe('sent');
});

test('a message whose answer was lost is known by its status, and not sent again', async () => {
  faults.add({ fault: { kind: 'answer_lost' }, chat: '16505554000' });
  const waiting = send(text('16505554000', 'lost and found'));
  const told = await postsOf('16505554000', 3);
  await deliver(told.slice(0, 1));
  const answer = await waiting;
  expect(answer.status).toBe(200);
  const { messages } = (await answer.json()) as { messages: { id: string }[] };
  expect(messages[0]!.id).toMatch(/^wamid\./);
  expect(sim.model.messagesOf('16505554000')).toHaveLength(1);
  expect((await storyOf(answer)).state).toBe('sent');
});

test('a status that names a delivery of another account changes neither, and the number goes on', async () => {
  const to = { platform: 'telegram', account: '1:sandbox', chat: '42' };
  const { id } = await ask('POST', '/v1/messages', { to, text: 'of another account', wait: 9 });
  const named = { biz_opaque_callback_data: `sluice:${id}`, recipient_id: '16505554100' };
  const status = { id: 'wamid.X', status: 'failed', timestamp: '1800000000', ...named };
  const value = { ...PRODUCT, metadata: { phone_number_id: NUMBER }, statuses: [status] };
  const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
  const post = JSON.stringify({ object: 'whatsapp_business_account', entry });
  expect((await postSigned(post)).status).toBe(200);
  expect(await sluice(`/v1/messages/${id}`)).toMatchObject({ state: 'sent' });
  const next = await send(text('16505554100', 'still goes'));
  expect(next.status).toBe(200);
  expect(sim.model.messagesOf('16505554100').map((each) => each.text)).toEqual(['still goes']);
});

test('the same goes by REST', async () => {
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      to: { platform: 'whatsapp', account: ACCOUNT, chat: '+16505556000' },
      body: { type: 'text', text: { body: 'by REST' } },
    }),
  });
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  await expect
    .poll(() => sim.model.messagesOf('16505556000').map((each) => each.text))
    .toEqual(['by REST']);
  const to = { platform: 'whatsapp', account: ACCOUNT, chat: '+16505556001' };
  await ask('POST', '/v1/messages', { to, text: 'in words', wait: 9 });
  expect(sim.model.messagesOf('16505556001').map((each) => each.text)).toEqual(['in words']);
});

async function ask(verb: string, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, {
    method: verb,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  return (await answer.json()) as Record<string, unknown>;
}

test('a growing text is a typing sign and messages of whole paragraphs, whatever transport is asked for', async () => {
  const chat = '16505557000';
  const to = { platform: 'whatsapp', account: ACCOUNT, chat };
  const body = { context: { message_id: 'wamid.IN' } };
  const opened = await ask('POST', '/v1/streams', {
    ...{ to, body, transport: 'edit', format: 'markdown', text: 'One **para' },
  });
  const path = `/v1/streams/${opened.id}`;
  await ask('PATCH', path, { append: 'graph**.\n\nAnd ano' });
  const texts = () => sim.model.messagesOf(chat).map((each) => each.text);
  await expect.poll(texts).toEqual(['One *paragraph*.']);
  const ended = await ask('POST', `${path}/final`, { append: 'ther.', wait: 30 });
  expect(ended).toMatchObject({ state: 'done', transport: 'chunks' });
  expect(texts()).toEqual(['One *paragraph*.', 'And another.']);
});

test('a broadcast fills the parameters of a template', async () => {
  const template = { name: 'hello', language: { code: 'en' } };
  const parameters = [{ type: 'text', text: '{{name}}' }];
  const components = [{ type: 'body', parameters }];
  const made = await ask('POST', '/v1/broadcasts', {
    to: { platform: 'whatsapp', account: ACCOUNT },
    recipients: [
      { chat: '16505558001', fields: { name: 'Ada *' } },
      { chat: '16505558002', fields: { name: 'Grace' } },
    ],
    body: { type: 'template', template: { ...template, components } },
  });
  expect(made).toMatchObject({ id: expect.anything() });
  await expect.poll(() => sim.model.messagesOf('16505558002')).toHaveLength(1);
  await expect.poll(() => sim.model.messagesOf('16505558001')).toHaveLength(1);
});
