// An agent with the official client of the Model Context Protocol, over HTTP with a key of its own and over standard
// input and output: it sends, streams, asks what became of it, and can do no more than its key.

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { BIN } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const ACCOUNT = 'telegram:4242';
const OWN = expect.objectContaining({ id: ACCOUNT });
// Of the built-in simulators, by what makes them known.
const ELSEWHERE = [
  ['discord', '7.sandbox', 'discord:sandbox-7'],
  ['whatsapp', '1555:sandbox', 'whatsapp:sandbox-1555'],
  ['slack', 'xoxb-7-8-sandbox', 'slack:sandbox-7-8'],
] as const;
const TEST_MS_MAX = 240_000;

let sim: ServedSim;
let gateway: GatewayProcess;
const open: Client[] = [];

beforeAll(async () => {
  sim = await serveSim({ host: '127.0.0.1', port: 0 });
  gateway = new GatewayProcess(sim.url);
  await gateway.start();
  expect((await fetch(`${gateway.url}/bot${TOKEN}/getMe`)).status).toBe(200);
  for (const [platform, account] of ELSEWHERE) {
    const to = { platform, account, chat: '777' };
    const made = await gateway.ask('POST', '/v1/messages', { to, text: 'first', wait: 20 });
    expect(made, platform).toMatchObject({ status: 200, body: { state: 'sent' } });
  }
}, TEST_MS_MAX);

afterAll(async () => {
  for (const client of open) await client.close();
  await gateway.end('SIGKILL');
  gateway.remove();
  await sim.close();
});

async function overHttp(key: string): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  return connected(transport as Parameters<Client['connect']>[0]);
}

async function overStdio(key: string): Promise<Client> {
  const env = { SLUICE_KEY: key, PATH: process.env.PATH ?? '' };
  const args = [BIN, 'mcp', '--url', gateway.url];
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return connected(new StdioClientTransport({ command: process.execPath, args, env, cwd }));
}

async function connected(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  open.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [first] = content as { text: string }[];
  return { isError, value: JSON.parse(first!.text) as Record<string, unknown> };
}

const keyOf = async (more: object) => {
  const { status, body } = await gateway.ask('POST', '/v1/keys', { name: 'agent', ...more });
  expect(status).toBe(201);
  return body.secret as string;
};

describe.each([
  ['HTTP', overHttp],
  ['stdio', overStdio],
])('over %s', (_, connect) => {
  test(
    'an agent sends, streams, and asks what became of it',
    async () => {
      const client = await connect(gateway.key);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        ...['send', 'stream', 'status', 'explain', 'dead_letters'],
      ]);
      const to = { account: ACCOUNT, chat: '77' };
      const sent = await call(client, 'send', { ...to, text: 'hello', wait: 20 });
      expect(sent).toMatchObject({ isError: false, value: { state: 'sent' } });
      const { id } = sent.value;
      for (const [, , account] of ELSEWHERE) {
        const there = await call(client, 'send', { account, chat: '777', text: 'hello', wait: 20 });
        expect(there, account).toMatchObject({ isError: false, value: { state: 'sent' } });
      }
      expect(await call(client, 'status', { id })).toMatchObject({ value: { id, state: 'sent' } });
      expect((await call(client, 'explain', { id })).isError).toBe(false);
      const opened = await call(client, 'stream', { ...to, append: 'one' });
      expect(opened.isError).toBe(false);
      const final = await call(client, 'stream', {
        id: opened.value.id,
        append: ' two',
        final: true,
      });
      expect(final.isError).toBe(false);
      const written = { ...to, chat: '78', append: '**bold**', format: 'markdown', final: true };
      expect((await call(client, 'stream', written)).isError).toBe(false);
      const shown = () => sim.model.messagesOf('78').map(({ text }) => text);
      await expect.poll(() => new Set(shown()), { timeout: 20_000 }).toEqual(new Set(['bold']));
      expect(await call(client, 'dead_letters', {})).toMatchObject({ value: { items: [] } });
      expect(await call(client, 'status', {})).toMatchObject({
        value: { incidents: [], accounts: expect.arrayContaining([OWN]) },
      });
    },
    TEST_MS_MAX,
  );

  test(
    'wrong arguments and unknown tools are told, and nothing is sent',
    async () => {
      const client = await connect(gateway.key);
      const refused = await call(client, 'send', { account: ACCOUNT, chat: 5, text: 'x' });
      expect(refused).toMatchObject({ isError: true, value: { code: 'invalid_arguments' } });
      const unknown = await call(client, 'send', { account: ACCOUNT, chat: '5', platform: 'x' });
      expect(unknown.value.detail).toContain('/platform: no such argument; there are account');
      expect(await client.callTool({ name: 'nothing' })).toMatchObject({ isError: true });
    },
    TEST_MS_MAX,
  );
});

describe('a key', () => {
  test('that may not send cannot by a tool either', async () => {
    const client = await overHttp(await keyOf({ role: 'viewer' }));
    const refused = await call(client, 'send', { account: ACCOUNT, chat: '1', text: 'x' });
    expect(refused).toMatchObject({ isError: true, value: { code: 'forbidden_role' } });
  });

  test('that is bound to a chat reaches no other', async () => {
    const client = await overHttp(
      await keyOf({ role: 'sender', accounts: [ACCOUNT], chats: ['1'] }),
    );
    const [near, far] = await Promise.all(
      ['1', '2'].map((chat) => call(client, 'send', { account: ACCOUNT, chat, text: 'x' })),
    );
    expect(near).toMatchObject({ isError: false });
    expect(far).toMatchObject({ isError: true, value: { code: 'forbidden_scope' } });
  });

  test('that is not known, or none, is refused', async () => {
    await expect(overHttp('nobody')).rejects.toThrow();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(401);
  });

  test('that says too much at once is refused', async () => {
    const call = {
      jsonrpc: '2.0',
      method: 'tools/call',
      params: { name: 'status', arguments: {} },
    };
    const body = JSON.stringify(Array.from({ length: 21 }, (_, id) => ({ ...call, id })));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` };
    const answer = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ code: 'invalid_message' });
  });
});
