// Where others than this machine can call, nobody answers an interaction that the gateway does not know: not one that
// was posted to it, signed, and without the token of a bot. What is refused is not queued, and Discord is not asked.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import { UPDATES } from '../../src/platforms/discord/updates.ts';
import {
  DISCORD_SIMULATOR,
  type DiscordCall,
  type DiscordModel,
  type ServedModel,
  serveModel,
} from '../../src/sim/sim.ts';

const KEY = 'the-admin-key-of-this-test';
const SECRET = 'the-secret-of-its-webhook';
const BOT = '123456789012345678';
const TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
const CHANNEL = '222222222222222222';
const BY_BOT = { authorization: `Bot ${TOKEN}` };

let folder: string;
let calls: DiscordCall[];
let sim: ServedModel<DiscordModel>;
let gateway: Gateway;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-discord-'));
  calls = [];
  const onCall = (call: DiscordCall) => calls.push(call);
  sim = await serveModel(DISCORD_SIMULATOR, { host: '127.0.0.1', port: 0, onCall });
});

afterEach(async () => {
  await gateway.close();
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(host: string, discordInteractions: boolean | null): Promise<void> {
  const config = configOf({
    ...{ data: folder, log: 'silent', host, port: 0, adminKey: KEY, webhookSecret: SECRET },
    ...{ discordApi: sim.url, discordInteractions, sandbox: false },
  });
  gateway = await createGateway(config);
  const { port } = new URL(await gateway.listen());
  url = `http://127.0.0.1:${port}`;
}

interface Interaction {
  readonly id: string;
  readonly token: string;
}

// Somebody uses a command of the bot.
function used(): Interaction {
  return sim.model.inject(TOKEN, CHANNEL, 'hi', Date.now()).posted as Interaction;
}

function post(path: string, body: object, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) };
  return fetch(`${url}${path}`, sent);
}

const answer = ({ id, token }: Interaction, headers = {}) =>
  post(`/api/v10/interactions/${id}/${token}/callback`, ANSWER, headers);
const ANSWER = { type: 4, data: { content: 'the answer' } };
const followUp = ({ token }: Interaction, headers = {}) =>
  post(`/api/v10/webhooks/${BOT}/${token}`, { content: 'and more' }, headers);
const texts = () => sim.model.messagesOf(CHANNEL).map(({ text }) => text);

async function accounts(): Promise<string[]> {
  const headers = { authorization: `Bearer ${KEY}` };
  const listed = await fetch(`${url}/v1/accounts`, { headers });
  const { accounts: all } = (await listed.json()) as { accounts: { id: string }[] };
  return all.map(({ id }) => id);
}

async function posted(interaction: object, secret: string): Promise<number> {
  const proof = UPDATES.proofOf(JSON.stringify(interaction), secret);
  return (await post(`/webhook/discord/${BOT}`, interaction, proof)).status;
}

test('off loopback a stranger’s is refused, and told why', async () => {
  await open('0.0.0.0', null);
  const interaction = used();
  for (const refused of [await answer(interaction), await followUp(interaction)]) {
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain('SLUICE_DISCORD_INTERACTIONS=on');
  }
  const read = `${url}/api/v10/webhooks/${BOT}/${interaction.token}/messages/@original`;
  expect((await fetch(read)).status).toBe(401);
  expect(calls).toEqual([]);
  expect(await accounts()).toEqual([]);
});

test('one that was posted to the webhook of an account is answered', async () => {
  await open('0.0.0.0', null);
  await fetch(`${url}/api/v10/users/@me`, { headers: BY_BOT });
  const interaction = used();
  expect(await posted({ ...interaction, type: 2 }, 'another secret')).toBe(401);
  expect((await answer(interaction)).status).toBe(401);
  expect(await posted({ ...interaction, type: 2 }, SECRET)).toBe(202);
  expect((await answer(interaction)).status).toBe(204);
  expect((await followUp(interaction)).status).toBe(200);
  expect(texts()).toEqual(['hi', 'the answer', 'and more']);
  expect((await answer(used())).status).toBe(401);
});

test('with the token of a bot any is answered, for the account of that bot', async () => {
  await open('0.0.0.0', null);
  const interaction = used();
  expect((await answer(interaction, BY_BOT)).status).toBe(204);
  expect((await followUp(interaction, BY_BOT)).status).toBe(200);
  expect(texts()).toEqual(['hi', 'the answer', 'and more']);
  expect(await accounts()).toEqual([`discord:${BOT}`]);
});

test.each([
  ['0.0.0.0', true],
  ['127.0.0.1', null],
])('listening on %s, set to %s: all are taken', async (host, setting) => {
  await open(host, setting);
  expect((await answer(used())).status).toBe(204);
  expect(texts()).toEqual(['hi', 'the answer']);
});

test('on loopback it can be switched off', async () => {
  await open('127.0.0.1', false);
  expect((await answer(used())).status).toBe(401);
});
