// Accounts from the command line, against the real routes.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, bench, KEY } from '../../http/context.fixture.ts';
import type { FakeRoad } from '../../road/road.fixture.ts';
import { runCli } from '../program.ts';

const COUNTS = { cancelled: 3, inFlight: 1, tokens: 0, streams: 2, broadcasts: 0 };
const CONFIGURED = 'telegram:7';

let at: Bench;
let url = '';

beforeEach(async () => {
  at = await bench({}, [], {
    async removeAccount(id) {
      if (id === CONFIGURED) return { kind: 'configured' };
      const isRemoved = await at.accounts.remove(id);
      return isRemoved ? { kind: 'removed', ...COUNTS } : { kind: 'unknown' };
    },
  });
  url = await at.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => at.app.close());

async function accounts(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(['accounts', ...args], {
    env: { SLUICE_URL: url, SLUICE_KEY: KEY },
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('an account is removed with what it ends; one that is gone is unknown', async () => {
  const ended = '3 deliveries cancelled, 1 calls still in flight, 2 streams cancelled';
  expect(await accounts('remove', 'telegram:42')).toEqual({
    code: 0,
    out: `telegram:42 is removed, ${ended}`,
    err: '',
  });
  expect(at.accounts.get('telegram:42')).toBeNull();
  const again = await accounts('remove', 'telegram:42');
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('unknown_account') });
});

test('--json prints the counts for programs', async () => {
  const { code, out } = await accounts('remove', 'telegram:42', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ id: 'telegram:42', removed: true, ...COUNTS });
});

test('a configured account stays, and an id with a slash names no other path', async () => {
  const configured = await accounts('remove', CONFIGURED);
  expect(configured.code).toBe(1);
  expect(configured.err).toContain('account_configured');
  const strange = await accounts('remove', 'telegram:42/pause');
  expect(strange).toMatchObject({ code: 1, err: expect.stringContaining('unknown_account') });
  expect(at.accounts.get('telegram:42')).not.toBeNull();
});

test('a probe says what it found, and asks for --force while the platform said to wait', async () => {
  expect(await accounts('probe', 'telegram:42')).toEqual({
    code: 0,
    out: 'the platform answers and takes the token of telegram:42 (the platform accepts its token)',
    err: '',
  });
  const held = await accounts('probe', 'telegram:42', '--chat=-100');
  expect(held).toMatchObject({ code: 1, err: expect.stringMatching(/wait until.*frozen/s) });
  expect((await accounts('probe', 'telegram:42', '--chat=-100', '--force')).code).toBe(0);
  expect((await accounts('probe', 'telegram:9')).err).toContain('unknown_account');
  (at.road as FakeRoad).probed = { found: 'unreachable', detail: 'connect ECONNREFUSED' };
  expect(await accounts('probe', 'telegram:42')).toMatchObject({
    code: 1,
    out: 'the platform still takes no calls of telegram:42 (connect ECONNREFUSED)',
  });
});

test('without an id it is wrong usage', async () => {
  expect((await accounts('remove')).code).toBe(2);
});
