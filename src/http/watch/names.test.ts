// What chats are called, from the answers in the ledger.

import { afterEach, expect, test, vi } from 'vitest';
import type { Inbound } from '../../updates/updates.ts';
import { ACCOUNT, AUTH, type Bench, bench } from '../context.fixture.ts';
import { KnownNames } from './names.ts';

let at: Bench;

afterEach(() => at.app.close());

const from = { id: 42, is_bot: true, username: 'helper_bot' };

// A ledger whose newest answer in each chat names it.
async function named(
  titles: Readonly<Record<string, string>>,
  namesMax?: number,
  nameOf: (chat: string) => string | null = () => null,
) {
  at = await bench();
  const search = vi.fn(async ({ chat = '' }: { chat?: string }) => {
    const title = titles[chat];
    if (title === undefined) return [];
    const message = { message_id: 1, from, chat: { id: Number(chat), title } };
    return [{ result: JSON.stringify({ ok: true, result: message }) }];
  });
  const ledger = { ...at.options.ledger, search: search as never };
  const updates = { nameOf: (_account: string, chat: string) => nameOf(chat) } as Inbound;
  return { names: new KnownNames({ ...at.options, ledger, updates }, namesMax), search };
}

test('a chat by its newest answer, which names the account, too', async () => {
  const { names } = await named({ '-100': 'News' });
  expect(await names.of(ACCOUNT, ['-100', '-200'])).toEqual({
    name: '@helper_bot',
    chats: { '-100': 'News' },
  });
});

test('a chat without an answer by its newest update; an answer counts before it', async () => {
  const { names } = await named({ '-100': 'News' }, undefined, (chat) => `${chat} in updates`);
  const { chats } = await names.of(ACCOUNT, ['-100', '-200']);
  expect(chats).toEqual({ '-100': 'News', '-200': '-200 in updates' });
  const elsewhere = await names.of('terminal:1', ['7']);
  expect(elsewhere.chats).toEqual({ '7': '7 in updates' });
});

test('what was read is kept for a while, then read again', async () => {
  const { names, search } = await named({ '-100': 'News' });
  await names.of(ACCOUNT, ['-100']);
  await names.of(ACCOUNT, ['-100']);
  expect(search).toHaveBeenCalledTimes(1);
  await at.clock.run(at.clock.now() + 600_001);
  await names.of(ACCOUNT, ['-100']);
  expect(search).toHaveBeenCalledTimes(2);
});

test('no more names are kept than the bound, those looked up last', async () => {
  const { names, search } = await named({ '1': 'One', '2': 'Two', '3': 'Three' }, 3);
  for (const chat of ['1', '2', '3']) await names.of(ACCOUNT, [chat]);
  search.mockClear();
  await names.of(ACCOUNT, ['3']);
  expect(search).not.toHaveBeenCalled();
  await names.of(ACCOUNT, ['1']);
  expect(search).toHaveBeenCalledTimes(1);
});

test('a platform that fails at it leaves the ids, and it is logged', async () => {
  at = await bench();
  const telegram = at.options.platforms.get('telegram')!;
  const broken = {
    ...telegram,
    names: {
      read() {
        throw new TypeError('broken');
      },
    },
  };
  const ledger = { ...at.options.ledger, search: (async () => [{ result: '{}' }]) as never };
  const platforms = new Map([['telegram', broken]]);
  const names = new KnownNames({ ...at.options, platforms, ledger });
  expect(await names.of(ACCOUNT, ['-100'])).toEqual({ name: null, chats: {} });
  expect(at.logged).toHaveLength(1);
});

test('the route: bounded, and nothing for a key that only looks', async () => {
  at = await bench();
  const get = (url: string) => at.app.inject({ method: 'GET', url, headers: AUTH });
  const many = Array.from({ length: 101 }, (_, i) => i).join();
  expect((await get(`/v1/names?account=${ACCOUNT}&chats=${many}`)).statusCode).toBe(422);
  expect((await get('/v1/names?chats=1')).statusCode).toBe(422);
  const answer = await get(`/v1/names?account=${ACCOUNT}&chats=1,,1`);
  expect(answer.json()).toEqual({ account: ACCOUNT, name: null, chats: {} });
  const payload = { name: 'looks', role: 'viewer' };
  const made = await at.app.inject({ method: 'POST', url: '/v1/keys', headers: AUTH, payload });
  const headers = { authorization: `Bearer ${made.json().secret}` };
  const url = `/v1/names?account=${ACCOUNT}`;
  expect((await at.app.inject({ method: 'GET', url, headers })).statusCode).toBe(403);
});
