// Keys from the command line, against the real routes.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, bench, KEY } from '../../http/context.fixture.ts';
import { runCli } from '../program.ts';

let at: Bench;
let url = '';

beforeEach(async () => {
  at = await bench();
  url = await at.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => at.app.close());

async function sluice(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(args, {
    env: { SLUICE_URL: url, SLUICE_KEY: KEY },
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('a key is made, shown once, listed, replaced and revoked', async () => {
  expect((await sluice('keys', 'list')).out).toBe('no keys but the admin key');
  const bounds = ['--chat', '-100', '@news', '--rate', '60', '--priority', 'normal'];
  const made = await sluice(...['keys', 'create', 'ci', '--role', 'sender'], ...bounds);
  expect(made.code).toBe(0);
  expect(made.out).toMatch(/bound to {2}chat -100, chat @news, 60\/min, at most normal/);
  const secret = /sluice_[\w-]{43}/.exec(made.out)![0];
  const id = /k-[0-9a-f]{12}/.exec(made.out)![0];
  const listed = await sluice('keys', 'list');
  expect(listed.out).toContain(id);
  expect(listed.out).not.toContain(secret);
  const rotated = JSON.parse((await sluice('keys', 'rotate', id, '--grace', '1h', '--json')).out);
  expect(at.guards.keyring.who(secret)).not.toBeNull();
  expect(at.guards.keyring.who(rotated.secret)).toMatchObject({ role: 'sender' });
  expect((await sluice('keys', 'revoke', id)).out).toBe(`${id} is revoked`);
  expect(at.guards.keyring.who(secret)).toBeNull();
  const again = await sluice('keys', 'revoke', id);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('unknown_key')]);
  const audit = await sluice('keys', 'audit');
  expect(audit.out).toMatch(/admin {2}DELETE \/v1\/keys\/:id +k-[0-9a-f]{12} +404 unknown_key/);
});

test('a virtual token, and a time as people write it', async () => {
  const args = ['--virtual', '--account', 'telegram:42', '--method', 'sendMessage'];
  const made = await sluice('keys', 'create', 'worker', ...args, '--expires', '30d', '--json');
  const key = JSON.parse(made.out);
  expect(key.secret).toMatch(/^42:sluice/);
  expect(Date.parse(key.expiresAt) - Date.parse(key.createdAt)).toBe(30 * 86_400_000);
});

test.each([
  [['keys', 'create', 'x']],
  [['keys', 'create', 'x', '--role', 'root']],
  [['keys', 'create', 'x', '--role', 'viewer', '--expires', 'soon']],
  [['keys', 'create', 'x', '--role', 'viewer', '--rate', 'many']],
  [['keys', 'create', 'x', '--virtual']],
  [['keys', 'create', 'x', '--virtual', '--account', 'telegram:42', '--role', 'admin']],
])('%j is wrong usage', async (args) => {
  expect((await sluice(...args)).code).toBe(2);
});
