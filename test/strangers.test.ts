// While strangers use up every bound they have, a configured bot is served as if they were not there, and what they
// can make the gateway hold stays within named bounds. How fast it is then is a benchmark: npm run bench -- strangers.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayProcess } from './process/gateway.ts';
import {
  BOT,
  heldCalls,
  NEWCOMER,
  sandboxAccounts,
  Upstream,
  unknownTokens,
  uploads,
} from './strangers/loads.ts';

const ACCOUNTS_MAX = 100;
const MESSAGES = 40;
const RSS_BYTES_MAX = 700 * 1024 * 1024;
// One address may have 60 wrong ones at once, and one more in each second.
const WRONG_MAX = 150;

const upstream = new Upstream();
let gateway: GatewayProcess;

async function call(token: string, method: string, params: object) {
  const answer = await fetch(`${gateway.url}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return { status: answer.status, body: (await answer.json()) as { ok: boolean } };
}

beforeAll(async () => {
  const api = await upstream.start();
  gateway = new GatewayProcess(api, ['--accounts-max', String(ACCOUNTS_MAX)]);
  const config = join(gateway.folder, 'sluice.yaml');
  writeFileSync(config, `accounts:\n  - platform: telegram\n    token: ${BOT}\n`);
  await gateway.start(['--config', config]);
  expect((await call(BOT, 'getMe', {})).status).toBe(200);
});

afterAll(async () => {
  await gateway.end('SIGTERM');
  await upstream.stop();
  gateway.remove();
});

describe('under the load of strangers', () => {
  const statuses = { tokens: [] as number[], uploads: [] as number[], sandbox: [] as number[] };

  test('every call of a configured bot is answered, and a new bot is let in', async () => {
    const loads = [
      heldCalls(4000, 200),
      unknownTokens(1100, (status) => statuses.tokens.push(status)),
      uploads(100, 1_000_000, (status) => statuses.uploads.push(status)),
      sandboxAccounts(3 * ACCOUNTS_MAX, (status) => statuses.sandbox.push(status)),
    ].map((load) => load(gateway.url));
    try {
      const before = upstream.asked;
      for (let n = 0; n < MESSAGES; n++) {
        const sent = await call(BOT, 'sendMessage', { chat_id: 1000 + n, text: 'hello' });
        expect([n, sent.status, sent.body.ok]).toEqual([n, 200, true]);
      }
      expect((await call(NEWCOMER, 'getMe', {})).status).toBe(200);
      await Promise.all(loads.map(({ done }) => done));
      expect(upstream.asked - before).toBeLessThan(WRONG_MAX);
    } finally {
      for (const { stop } of loads) stop();
    }
  });

  test('who has too many wrong tokens is told to come back, in the words of the platform', () => {
    expect(statuses.tokens.filter((status) => status === 401).length).toBeGreaterThan(50);
    expect(statuses.tokens.filter((status) => status === 429).length).toBeGreaterThan(500);
    expect(new Set(statuses.tokens)).toEqual(new Set([401, 429]));
    expect(new Set(statuses.uploads)).toEqual(new Set([401]));
  });

  test('no upload of theirs was spooled, and the table of accounts healed by itself', async () => {
    expect(readdirSync(join(gateway.data, 'spool'))).toEqual([]);
    expect(new Set(statuses.sandbox)).toEqual(new Set([200]));
    const { body } = await gateway.ask('GET', '/v1/accounts');
    const ids = (body.accounts as { id: string }[]).map(({ id }) => id);
    expect(ids.length).toBeLessThanOrEqual(ACCOUNTS_MAX);
    expect(ids).toContain('telegram:4242');
  });

  test('the memory stays within its bound', async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const rss = Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]);
    expect(rss).toBeLessThan(RSS_BYTES_MAX);
  });

  test('an account is removed for good, one of the configuration is not', async () => {
    const removed = await gateway.ask('DELETE', '/v1/accounts/telegram:5555');
    expect(removed).toMatchObject({ status: 200, body: { removed: true } });
    expect(Number(removed.body.cancelled)).toBeGreaterThan(100);
    const records = await gateway.records('&account=telegram:5555&state=cancelled');
    expect(records.length).toBe(removed.body.cancelled);
    expect(records[0]).toMatchObject({ reason: 'account_removed' });
    expect((await gateway.ask('DELETE', '/v1/accounts/telegram:5555')).status).toBe(404);
    expect((await gateway.ask('DELETE', '/v1/accounts/telegram:4242')).status).toBe(409);
  });
});
