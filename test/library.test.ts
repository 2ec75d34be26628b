// The library, as its users have it: asking after a message, taking it back, dead letters, and where it listens.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway, type Problem } from '../src/index.ts';

const ADMIN_KEY = 'of-this-test-and-of-nothing-else';
const folder = mkdtempSync(join(tmpdir(), 'sluice-library-'));
const to = { platform: 'telegram', account: '7:sandbox', chat: 42 } as const;
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await createGateway({ data: join(folder, 'data'), log: 'silent' });
});

afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

function fine<T extends object>(answer: T | Problem): T {
  if ('code' in answer) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

const dead = async () => {
  const empty = { to, method: 'sendMessage', body: { text: '' }, wait: 30 } as const;
  return fine(await gateway.send(empty));
};

test('a message that waits is found, explained and taken back', async () => {
  const { id } = fine(
    await gateway.send({ to, body: { text: 'later' }, notBefore: TOMORROW, correlation: 'o-9' }),
  );
  expect(await gateway.get(id)).toMatchObject({
    ...{ id, state: 'queued', correlation: 'o-9', body: { text: 'later' }, attempts: [] },
    position: 1,
  });
  const waits = fine(await gateway.explain(id));
  expect(waits).toMatchObject({ id, state: 'queued', eta: TOMORROW });
  expect(waits.causes.length).toBeGreaterThan(0);
  expect(await gateway.cancel(id)).toEqual({ id, state: 'cancelled' });
  expect(await gateway.cancel(id)).toMatchObject({ code: 'illegal_move' });
  expect(await gateway.get(id)).toMatchObject({
    history: [{ from: 'queued', to: 'cancelled', by: 'library' }],
  });
});

test('a message that was sent says what it waited for', async () => {
  const { id } = fine(await gateway.send({ to, body: { text: 'now' }, wait: 30 }));
  expect(await gateway.get(id)).toMatchObject({ state: 'sent', position: null, tries: 1 });
  expect(await gateway.explain(id)).toMatchObject({ state: 'sent', causes: [] });
});

test('an id that is none is a value, not an exception', async () => {
  for (const ask of [gateway.get, gateway.explain, gateway.cancel]) {
    expect(await ask('nonsense')).toMatchObject({ code: 'not_found', status: 404 });
  }
});

test('dead letters are listed, counted by cause, retried and given up', async () => {
  const [first, second] = [await dead(), await dead()];
  const page = fine(await gateway.dead.list({ limit: 1 }));
  expect(page.items).toMatchObject([{ id: second.id, reason: 'message_empty' }]);
  const rest = fine(await gateway.dead.list({ limit: 1, cursor: page.next! }));
  expect(rest.items).toMatchObject([{ id: first.id }]);
  expect(await gateway.dead.causes()).toMatchObject({
    groups: [{ reason: 'message_empty', count: 2 }],
  });
  expect(await gateway.dead.retry({ ids: [first.id] })).toMatchObject({ done: 1, failed: 0 });
  const given = await gateway.dead.discard({ filter: { reason: 'message_empty' } });
  expect(given).toMatchObject({ failed: 0, next: null });
  expect(await gateway.get(second.id)).toMatchObject({ state: 'cancelled' });
  expect(await gateway.dead.list({ limit: 0 })).toMatchObject({ code: 'invalid_query' });
});

test('it listens where it is told to', async () => {
  const url = await gateway.listen({ port: 0 });
  expect(gateway.url).toBe(url);
  expect(new URL(url).hostname).toBe('127.0.0.1');
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test('elsewhere than on loopback only with a key that was chosen, and then everyone needs one', async () => {
  await expect(gateway.listen({ host: '0.0.0.0', port: 0 })).rejects.toThrow('not loopback');
  const other = await createGateway({ data: join(folder, 'other'), adminKey: ADMIN_KEY });
  const url = new URL(await other.listen({ host: '0.0.0.0', port: 0 }));
  const health = `http://127.0.0.1:${url.port}/health`;
  expect((await fetch(health)).status).toBe(401);
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  expect((await fetch(health, { headers })).status).toBe(200);
  await expect(other.listen({ host: '127.0.0.1' })).rejects.toThrow('served at 0.0.0.0');
  await other.close();
});
