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
    expect(why.summary).toContain(`${says}; 2 were sent (limit fair share)`);
    const metrics = await fetch(`${at.url}/metrics`);
    expect(await metrics.text()).toContain(
      'sluice_limit_filled_total{platform="telegram",rule="fair share"}',
    );
    await at.end('SIGKILL');
    await at.start();
    expect((await explained(at, third.body.id)).causes).toEqual([expect.objectContaining(cause)]);
  });
});

test('a rule that cannot be read stops the start, and says what would be right', async () => {
  const rules = JSON.stringify([{ ...RULES[0], limit: 'rarely' }]);
  const { code, err } = await runSluice(['config', '--limit-rules', rules]);
  expect(code).not.toBe(0);
  expect(err).toContain('--limit-rules[0].limit = "rarely": expected such as "20 per 60 s"');
});
