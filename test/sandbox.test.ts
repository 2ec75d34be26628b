// The built-in simulator beside a real platform, with real processes: whoever calls with a token of the one never
// reaches the other, neither by a call, nor by what lies in the store, nor when the sandbox is switched off.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createSealer } from '../src/accounts/seal.ts';
import { type JudgedCall, serveSim } from '../src/sim/sim.ts';
import { openSqliteJournal } from '../src/store/sqlite/sqlite.ts';
import { GatewayProcess } from './process/gateway.ts';

const REAL = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const EVIL = '4242:sandboxEVIL';
const ACCOUNT = 'telegram:4242';
const SANDBOXED = 'telegram:sandbox-4242';
const MINUTES = { timeout: 240_000 };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp(flags: readonly string[] = []) {
  const calls: JudgedCall[] = [];
  const onCall = (call: JudgedCall) => void calls.push(call);
  const sim = await serveSim({ host: '127.0.0.1', port: 0, onCall });
  closers.push(() => sim.close());
  const gateway = new GatewayProcess(sim.url);
  await gateway.start(flags);
  closers.push(async () => {
    await gateway.end('SIGKILL').catch(() => {});
    gateway.remove();
  });
  const send = (account: string, text: string, extra: object = {}) => {
    const to = { platform: 'telegram', account, chat: 7 };
    return gateway.ask('POST', '/v1/messages', { to, body: { text }, ...extra });
  };
  // What the platform was sent, and what the simulator in the gateway was.
  const outside = () => calls.filter(({ method }) => method === 'sendMessage').map((c) => c.text);
  const inside = async (account: string) => {
    const path = `/v1/sandbox/messages?account=${account}&chat=7`;
    const { messages } = (await gateway.ask('GET', path)).body as { messages: { text: string }[] };
    return messages.map(({ text }) => text);
  };
  return { calls, gateway, send, outside, inside };
}

test(
  'no token of the sandbox takes a real bot over, not even across a kill -9',
  MINUTES,
  async () => {
    const { calls, gateway, send, outside, inside } = await setUp();
    expect((await send(REAL, 'one', { wait: 20 })).body.state).toBe('sent');
    for (const path of ['getMe', 'getUpdates', 'logOut']) {
      await gateway.ask('GET', `/bot${EVIL}/${path}`, undefined, { authorization: '' });
    }
    expect((await send(ACCOUNT, 'two', { wait: 20 })).body.state).toBe('sent');
    await gateway.end('SIGKILL');
    await gateway.start();
    expect((await send(ACCOUNT, 'three', { wait: 20 })).body.state).toBe('sent');
    expect((await send(EVIL, 'mine', { wait: 20 })).body.state).toBe('sent');
    // Another secret of the same number is a stranger to it.
    const other = await gateway.ask('GET', '/bot4242:sandboxOTHER/getMe');
    expect([other.status, other.body]).toEqual([
      401,
      { ok: false, error_code: 401, description: 'Unauthorized' },
    ]);
    expect(outside()).toEqual(['one', 'two', 'three']);
    expect(await inside(SANDBOXED)).toEqual(['mine']);
    expect(new Set(calls.map(({ token }) => token))).toEqual(new Set([REAL]));
  },
);

test(
  'off loopback it is off unless wanted: its tokens are unknown, and what waits goes on waiting',
  MINUTES,
  async () => {
    const { calls, gateway, send, inside } = await setUp();
    await send(EVIL, 'known', { wait: 20 });
    const made = { name: 'worker', virtual: true, account: SANDBOXED };
    const virtual = String((await gateway.ask('POST', '/v1/keys', made)).body.secret);
    expect((await gateway.ask('GET', `/bot${virtual}/getMe`)).status).toBe(200);
    await gateway.ask('POST', `/v1/accounts/${SANDBOXED}/pause`);
    const { id } = (await send(SANDBOXED, 'waits')).body;
    await gateway.end('SIGTERM');

    await startAt(gateway, ['--host', '0.0.0.0']);
    for (const secret of [EVIL, '99:sandbox', virtual]) {
      const { status, body } = await gateway.ask('GET', `/bot${secret}/getMe`);
      expect([status, body]).toEqual([
        401,
        { ok: false, error_code: 401, description: 'Unauthorized' },
      ]);
    }
    for (const account of [EVIL, '99:sandbox', SANDBOXED, 'sandbox-4242']) {
      expect((await send(account, 'no')).body.code, account).toBe('sandbox_off');
    }
    expect((await gateway.ask('GET', '/v1/sandbox')).body.code).toBe('sandbox_off');
    // Not even an operator sends it where it does not belong.
    await gateway.ask('POST', `/v1/accounts/${SANDBOXED}/resume`);
    expect((await send(REAL, 'real', { wait: 20 })).body.state).toBe('sent');
    expect((await gateway.ask('GET', `/v1/messages/${id}`)).body.state).toBe('queued');
    await gateway.end('SIGTERM');

    await gateway.start();
    await expect.poll(() => inside(SANDBOXED)).toEqual(['waits']);
    expect(new Set(calls.map((call) => call.token))).toEqual(new Set([REAL]));
  },
);

async function startAt(gateway: GatewayProcess, flags: readonly string[]): Promise<void> {
  await gateway.start(flags);
  gateway.url = gateway.url.replace('0.0.0.0', '127.0.0.1');
}

// The account under the id it had before, with everything that names it, sealed for that id.
async function makeOlder(data: string): Promise<void> {
  const journal = await openSqliteJournal({ dir: data });
  const sealer = createSealer(readFileSync(join(data, 'secret'), 'utf8').trim());
  const stored = (await journal.accounts()).find(({ id }) => id === SANDBOXED)!;
  const sealed = sealer.seal(ACCOUNT, EVIL);
  await journal.renameAccounts([{ from: SANDBOXED, account: { ...stored, id: ACCOUNT, sealed } }]);
  await journal.close();
}

test('a store of before keeps all that was the sandbox’s, under its new id', MINUTES, async () => {
  const { gateway, send, inside, calls } = await setUp();
  await send(EVIL, 'sent before', { wait: 20 });
  const where = { account: SANDBOXED, chat: '8' };
  await gateway.ask('POST', '/v1/sandbox/chats', { ...where, state: 'blocked' });
  const dead = (
    await gateway.ask('POST', '/v1/messages', { to: where, body: { text: 'dead' }, wait: 20 })
  ).body;
  expect(dead.state).toBe('dead');
  const made = { name: 'worker', virtual: true, account: SANDBOXED };
  const virtual = String((await gateway.ask('POST', '/v1/keys', made)).body.secret);
  await gateway.ask('POST', `/v1/accounts/${SANDBOXED}/pause`);
  const queued = (await send(SANDBOXED, 'queued')).body;
  const stream = (
    await gateway.ask('POST', '/v1/streams', { to: { account: SANDBOXED, chat: 9 }, text: 'grows' })
  ).body;
  const to = { platform: 'telegram', account: SANDBOXED };
  const order = { to, chats: [7], body: { text: 'to all' } };
  const broadcast = (await gateway.ask('POST', '/v1/broadcasts', order)).body;
  await gateway.end('SIGTERM');
  await makeOlder(gateway.data);

  await gateway.start();
  const { accounts } = (await gateway.ask('GET', '/v1/accounts')).body;
  expect(accounts).toMatchObject([{ id: SANDBOXED, paused: true }]);
  for (const { id } of [dead, queued]) {
    expect((await gateway.ask('GET', `/v1/messages/${id}`)).body.account).toBe(SANDBOXED);
  }
  const letters = (await gateway.ask('GET', `/v1/dead?account=${SANDBOXED}`)).body;
  expect(JSON.stringify(letters)).toContain(String(dead.id));
  const ofStream = (await gateway.ask('GET', `/v1/streams/${stream.id}`)).body;
  expect(ofStream).toMatchObject({ account: SANDBOXED });
  expect((await gateway.ask('GET', `/v1/broadcasts/${broadcast.id}`)).body).toMatchObject({
    account: SANDBOXED,
  });
  expect((await gateway.ask('GET', `/bot${virtual}/getMe`)).status).toBe(200);
  await gateway.ask('POST', `/v1/accounts/${SANDBOXED}/resume`);
  const isThere = async () => (await inside(SANDBOXED)).sort();
  await expect.poll(isThere).toEqual(['queued', 'to all']);
  expect(calls).toEqual([]);
});
