// Idempotency keys are a namespace per holder, whichever way a message comes.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepare, submit } from '../../accept/submit.ts';
import { HOLDERS } from '../../domain/idempotency.ts';
import { NO_SCOPE } from '../../keys/keys.ts';
import { makeBroadcast } from '../broadcasts/calls.ts';
import { ACCOUNT, AUTH, type Bench, bench, message, TOKEN } from '../context.fixture.ts';
import { boundKey, virtualToken } from './bounds.fixture.ts';

let at: Bench;
beforeEach(async () => {
  at = await bench({ wait: { kind: 'async' } });
});
afterEach(() => at.app.close());

const KEYED = { 'idempotency-key': 'order-7' };

// The id of what came of it, or the code of the refusal.
async function rest(headers: Record<string, string>, text: string, url = '/v1/messages') {
  const answer = await at.app.inject({
    ...{ method: 'POST', url, headers: { ...headers, ...KEYED } },
    payload:
      url === '/v1/messages'
        ? message({ body: { text } })
        : { to: { account: ACCOUNT, chat: '-100' } },
  });
  return String(answer.json().code ?? answer.json().id);
}

async function dialect(token: string, text: string) {
  const answer = await at.app.inject({
    ...{ method: 'POST', url: `/bot${token}/sendMessage`, payload: { chat_id: -100, text } },
    headers: { ...KEYED, prefer: 'respond-async' },
  });
  return String(answer.headers['x-sluice-delivery']);
}

async function library(text: string) {
  const headers = { correlation: null, idempotencyKey: null, holder: HOLDERS.library };
  const asked = message({ body: { text }, idempotencyKey: 'order-7' });
  const submitted = await submit(at.options, await prepare(at.options, asked, headers));
  return submitted.kind === 'accepted' ? submitted.receipt.id : submitted.problem.code;
}

test('no two holders meet: keys, tokens, the bot itself, the library', async () => {
  const keys = [
    await boundKey(at, 'sender', {}),
    await boundKey(at, 'sender', { chats: ['-100'] }),
  ];
  const tokens = [await virtualToken(at, {}), await virtualToken(at, { chats: ['-100'] })];
  const ways: ((text: string) => Promise<string>)[] = [
    (text) => rest(AUTH, text),
    ...keys.map((headers) => (text: string) => rest(headers, text)),
    ...tokens.map((token) => (text: string) => dialect(token, text)),
    (text) => dialect(TOKEN, text),
    library,
  ];
  const first = [];
  for (const [i, way] of ways.entries()) first.push(await way(`of ${i}`));
  expect(new Set(first).size).toBe(ways.length);
  expect(first).not.toContain('idempotency_conflict');
  const again = [];
  for (const [i, way] of ways.entries()) again.push(await way(`of ${i}`));
  expect(again).toEqual(first);
  // Other words under the key of its own are a conflict still, and tell of its own message alone.
  expect(await rest(AUTH, 'other words')).toBe('idempotency_conflict');
});

test('a key that is rotated keeps its namespace', async () => {
  const request = { kind: 'key', name: 'x', role: 'sender', expiresAt: null } as const;
  const made = await at.guards.keyring.create({ ...request, scope: NO_SCOPE });
  if (made.kind !== 'created') throw new Error(made.kind);
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const first = await rest(bearer(made.secret), 'x');
  let { id } = made.key;
  for (let i = 0; i < 2; i++) {
    const rotated = await at.guards.keyring.rotate(id, 0);
    if (rotated?.kind !== 'created') throw new Error('not rotated');
    expect(await rest(bearer(rotated.secret), 'x')).toBe(first);
    id = rotated.key.id;
  }
});

test('streams', async () => {
  const other = await boundKey(at, 'sender', {});
  const [first, second] = [
    await rest(AUTH, '', '/v1/streams'),
    await rest(other, '', '/v1/streams'),
  ];
  expect(first).not.toBe(second);
  expect(await rest(other, '', '/v1/streams')).toBe(second);
});

test('broadcasts', async () => {
  const order = (text: string) => ({ to: { account: ACCOUNT }, chats: ['5'], body: { text } });
  const make = async (holder: string, text: string) => {
    const headers = { correlation: null, idempotencyKey: 'order-7', holder };
    const made = await makeBroadcast(
      { ...at.options, broadcasts: at.broadcasts },
      order(text),
      headers,
    );
    return 'code' in made ? made.code : made.id;
  };
  const [first, second] = [await make('one', 'a'), await make('two', 'b')];
  expect(first).not.toBe(second);
  expect([await make('one', 'a'), await make('two', 'b')]).toEqual([first, second]);
  expect(await make('two', 'a')).toBe('idempotency_conflict');
});
