// A permission is revoked under a real process, and whoever sends goes on: Discord, which bans an address for its
// refusals, hears of few of them, other channels go on, and the operator is told in the log and among the incidents.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  DISCORD_SIMULATOR,
  type DiscordCall,
  type DiscordModel,
  type ServedModel,
  serveModel,
} from '../../src/sim/sim.ts';
import { until } from '../process/look.ts';
import { Sluice } from '../process/sluice.ts';

const KEY = 'the-admin-key-of-this-test';
const BOT = '123456789012345678';
const TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
const MINUTES = { timeout: 180_000 };
const BATCH = 100;

let folder: string;
let calls: DiscordCall[];
let sim: ServedModel<DiscordModel>;
let sluice: Sluice;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-refusals-'));
  calls = [];
  const onCall = (call: DiscordCall) => calls.push(call);
  sim = await serveModel(DISCORD_SIMULATOR, { host: '127.0.0.1', port: 0, onCall });
});

afterEach(async () => {
  sluice.kill('SIGKILL');
  await sluice.ended;
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(flags: readonly string[] = []): Promise<void> {
  const args = ['serve', '--port', '0', '--data', folder, '--log', 'warn'];
  sluice = new Sluice([...args, '--discord-api', sim.url, ...flags], { SLUICE_ADMIN_KEY: KEY });
  url = /http:[^\s;]+/.exec(await sluice.said('listens on'))![0];
}

async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const sent = body === undefined ? null : JSON.stringify(body);
  return (await fetch(`${url}${path}`, { method, headers, body: sent })).json();
}

async function send(channel: string, content: string): Promise<{ status: number }> {
  return fetch(`${url}/api/v10/channels/${channel}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  });
}

// In bursts, so that the process is not measured by how many sockets it has.
async function sendAll(channels: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < channels.length; i += BATCH) {
    const burst = channels.slice(i, i + BATCH).map((channel, j) => send(channel, `${i + j}`));
    statuses.push(...(await Promise.all(burst)).map(({ status }) => status));
  }
  return statuses;
}

async function incidents(): Promise<Record<string, unknown>[]> {
  const overview = (await ask('GET', '/v1/overview')) as { incidents: Record<string, unknown>[] };
  return overview.incidents;
}

const refusals = () => calls.filter(({ status }) => status === 403).length;

async function logged(code: string): Promise<Record<string, unknown>[]> {
  sluice.kill('SIGTERM');
  const { err } = await sluice.ended;
  const lines = err.split('\n').filter((line) => line !== '');
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return all.filter((line) => line.code === code);
}

test('a thousand refusals of one channel: few are asked for, others go on', MINUTES, async () => {
  await start();
  expect((await send('1', 'known')).status).toBe(200);
  sim.model.setChat('7000', { kind: 'blocked' });
  const statuses = await sendAll(Array.from({ length: 1000 }, () => '7000'));
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(refusals()).toBeLessThanOrEqual(20);
  expect((await send('7001', 'goes on')).status).toBe(200);
  const summary = expect.stringContaining(`7000 to discord:${BOT}`);
  const remedy = expect.stringContaining('permission');
  expect(await incidents()).toMatchObject([
    { code: 'channel_refused', severity: 'warning', account: null, summary, remedy },
  ]);
  const line = { level: 'warn', platform: 'discord', msg: summary };
  expect(await logged('channel_refused')).toMatchObject([line]);
});

test(
  'refusals of many channels stop all calls at the bound, and that is told',
  MINUTES,
  async () => {
    await start(['--discord-invalid-max', '100']);
    expect((await send('1', 'known')).status).toBe(200);
    const channels = Array.from({ length: 400 }, (_, i) => String(7000 + i));
    for (const channel of channels) sim.model.setChat(channel, { kind: 'blocked' });
    const items = channels.map((chat) => ({
      to: { platform: 'discord', account: `discord:${BOT}`, chat },
      body: { content: 'x' },
    }));
    await ask('POST', '/v1/messages', items);
    const spent = async () => (await incidents()).some(({ code }) => code === 'invalid_requests');
    await until(spent, Boolean);
    const asked = refusals();
    expect(asked).toBeGreaterThanOrEqual(100);
    // Those that were in flight when the bound was met.
    expect(asked).toBeLessThan(400);
    const [first] = await incidents();
    expect(first).toMatchObject({ code: 'invalid_requests', severity: 'critical', account: null });
    expect(Date.parse(String(first!.until))).toBeGreaterThan(Date.now());
    expect(refusals()).toBe(asked);
    expect(await logged('invalid_requests')).toMatchObject([{ level: 'warn' }]);
  },
);
