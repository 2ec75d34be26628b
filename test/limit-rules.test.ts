// Rules that an operator adds, in a real process: they pace, they are told by name, and a bad one stops the start.

import { afterEach, describe, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { runSluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const RULES = [{ name: 'fair share', limit: '2 per 1 h', scope: 'user' }];

let sim: ServedSim | null = null;
let gateway: GatewayProcess | null = null;
afterEach(async () => {
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await sim?.close();
});

async function setUp() {
  sim = await serveSim({ host: '127.0.0.1', port: 0 });
  gateway = new GatewayProcess(sim.url, ['--limit-rules', JSON.stringify(RULES)]);
  await gateway.start();
  return gateway;
}

async function explained(to: GatewayProcess, id: unknown) {
  const { body } = await to.ask('GET', `/v1/messages/${String(id)}/explain`);
  return body as { summary: string; causes: object[] };
}

describe('a rule per user', () => {
  const says = 'fair share: one user takes 2 messages an hour';
  const cause = {
    ...{ kind: 'window', name: 'fair share', scope: 'user' },
    detail: `${says}; 2 were sent`,
  };

  test('paces over REST and the drop-in alike, also after a crash, and is told by name', async () => {
    const at = await setUp();
    const rest = (chat: number, extra: object) => {
      const to = { platform: 'telegram', account: TOKEN, chat };
      return at.ask('POST', '/v1/messages', { to, body: { text: 'hi' }, ...extra });
    };
    const sent = await rest(1, { user: 'ann', wait: 30 });
    expect(sent.body).toMatchObject({ state: 'sent' });
    const path = `/bot${TOKEN}/sendMessage`;
    const ann = { 'x-sluice-user': 'ann' };
    const second = await at.ask('POST', path, { chat_id: 2, text: 'hi' }, ann);
    expect(second).toMatchObject({ status: 200, body: { ok: true } });
    // Another user is not in her way, nor is the person of the private chat.
    expect((await rest(3, { user: 'ben', wait: 30 })).body).toMatchObject({ state: 'sent' });
    expect((await rest(3, { wait: 30 })).body).toMatchObject({ state: 'sent' });
    const third = await rest(4, { user: 'ann' });
    expect(third).toMatchObject({ status: 202, body: { state: 'queued' } });
    const why = await explained(at, third.body.id);
    expect(why.causes).toEqual([expect.objectContaining(cause)]);
    expect(why.summary).toContain(`${says}; 2 were sent`);
    const metrics = await fetch(`${at.url}/metrics`);
    expect(await metrics.text()).toContain(
      'sluice_limit_filled_total{platform="telegram",rule="fair share"}',
    );
    await at.end('SIGKILL');
    await at.start();
    expect((await explained(at, third.body.id)).causes).toEqual([expect.objectContaining(cause)]);
  });
});

test('a limit set by hand from the command line holds at once and after a crash, and is noted', async () => {
  const at = await setUp();
  const to = { platform: 'telegram', account: TOKEN, chat: '-1005' };
  const send = async (more: object = {}) =>
    (await at.ask('POST', '/v1/messages', { to, body: { text: 'hi' }, ...more })).body;
  expect(await send({ wait: 30 })).toMatchObject({ state: 'sent' });
  const account = 'telegram:4242';
  const sluice = (...args: string[]) =>
    runSluice(['limits', ...args, '--url', at.url], { SLUICE_KEY: at.key });
  // Live output keeps four a minute free of 20; of two it must not.
  const refused = await sluice('set', account, 'group_mpm=1');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('/reserve_mpm: expected less than group_mpm (1)');
  const set = await sluice('set', account, 'group_mpm=1', 'reserve_mpm=0');
  expect(set).toMatchObject({ code: 0, err: '' });
  expect(set.out).toMatch(/1 per any minute +set by hand, else 20 +group_mpm/);
  const { id } = await send();
  const says = 'this group takes one message a minute; 1 was sent';
  expect((await explained(at, id)).summary).toContain(says);
  await at.end('SIGKILL');
  await at.start();
  expect((await explained(at, id)).summary).toContain(says);
  const { body } = await at.ask('GET', '/v1/audit?limit=2');
  expect(body.entries).toMatchObject([
    { target: `${account} group_mpm=1 reserve_mpm=0`, result: '200' },
    { target: `${account} group_mpm=1`, result: '422 invalid_message' },
  ]);
  const viewer = await at.ask('POST', '/v1/keys', { name: 'looks', role: 'viewer' });
  const authorization = `Bearer ${viewer.body.secret}`;
  const limits = `/v1/accounts/${account}/limits`;
  const change = { group_mpm: null, reserve_mpm: null };
  expect((await at.ask('PATCH', limits, change, { authorization })).status).toBe(403);
  expect((await at.ask('GET', limits, undefined, { authorization })).status).toBe(200);
  // The way back lets go what waits.
  expect((await sluice('reset', account)).code).toBe(0);
  while ((await at.ask('GET', `/v1/messages/${String(id)}`)).body.state !== 'sent') {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test('a rule that cannot be read stops the start, and says what would be right', async () => {
  const rules = JSON.stringify([{ ...RULES[0], limit: 'rarely' }]);
  const { code, err } = await runSluice(['config', '--limit-rules', rules]);
  expect(code).not.toBe(0);
  expect(err).toContain('--limit-rules[0].limit = "rarely": expected such as "20 per 60 s"');
});
