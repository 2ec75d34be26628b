// What goes wrong with Discord, over the whole gateway: answers that are lost, a permission that is revoked.

import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import {
  DISCORD_SIMULATOR,
  type DiscordCall,
  type DiscordModel,
  type FaultScript,
  type ServedModel,
  scriptedFaults,
  serveModel,
} from '../../src/sim/sim.ts';

const BOT = '123456789012345678';
const TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
const CALL = { platform: 'discord', token: TOKEN, method: 'createMessage' };

const judged = new EventEmitter();
let folder: string;
let faults: FaultScript;
let calls: DiscordCall[];
let sim: ServedModel<DiscordModel>;
let gateway: Gateway;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-discord-'));
  faults = scriptedFaults([]);
  calls = [];
  const onCall = (call: DiscordCall) => {
    calls.push(call);
    judged.emit('call');
  };
  const options = { editCount: 2 };
  const host = '127.0.0.1';
  sim = await serveModel(DISCORD_SIMULATOR, { host, port: 0, faults, onCall, options });
  // The breaker is not what is tried here: an account whose every second answer is lost would stand still.
  const config = configOf({
    ...{ data: folder, log: 'silent', port: 0, discordApi: sim.url },
    ...{ breakerFailures: 1000, uncertainPolicy: 'hold' as const, retryBaseMs: 100 },
  });
  gateway = await createGateway(config);
  await gateway.listen();
});

afterEach(async () => {
  await gateway.close();
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (channel: string, content: string) =>
  gateway.call({ ...CALL, params: { channel_id: channel, content } });

test('200 answers are lost after delivery: no message is doubled, none is in doubt', async () => {
  const channels = Array.from({ length: 50 }, (_, i) => String(7000 + i));
  await send('1', 'known');
  faults.add({ fault: { kind: 'answer_lost' }, method: 'createMessage', times: 200 });
  const wished = channels.flatMap((channel) => ['a', 'b', 'c', 'd'].map((text) => [channel, text]));
  const answers = await Promise.all(wished.map(([channel, text]) => send(channel!, text!)));
  expect(answers.filter((answer) => typeof Object(answer).id !== 'string')).toEqual([]);
  for (const channel of channels) {
    const texts = sim.model.messagesOf(channel).map(({ text }) => text);
    expect(texts).toEqual(['a', 'b', 'c', 'd']);
  }
  expect(calls.filter(({ cause }) => cause !== null)).toEqual([]);
});

test('a revoked permission stops the calls of its channel long before a ban, and no others', async () => {
  await send('1', 'known');
  sim.model.setChat('7000', { kind: 'blocked' });
  const refused = await Promise.all(Array.from({ length: 300 }, (_, i) => send('7000', `x ${i}`)));
  expect(refused).toHaveLength(300);
  expect(new Set(refused.map((answer) => Object(answer).code))).toEqual(new Set([50013]));
  expect(calls.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(20);
  expect(await send('7001', 'goes on')).toMatchObject({ content: 'goes on' });
});

test('a bucket that is smaller than believed is known from its headers: nothing is refused', async () => {
  const { id } = Object(await send('7000', 'first')) as { id: string };
  for (let i = 0; i < 5; i++) {
    const params = { channel_id: '7000', message_id: id, content: `text ${i}` };
    await gateway.call({ ...CALL, method: 'editMessage', params });
  }
  while (!calls.some(({ text, status }) => text === 'text 4' && status === 200)) {
    await once(judged, 'call');
  }
  expect(calls.filter(({ status }) => status === 429)).toEqual([]);
  expect(calls.filter(({ method }) => method === 'editMessage').length).toBeGreaterThan(2);
});
