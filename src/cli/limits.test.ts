// Limits from the command line, against the real routes.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, bench, KEY } from '../http/context.fixture.ts';
import type { FakeRoad } from '../road/road.fixture.ts';
import { runCli } from './program.ts';

const ACCOUNT = 'telegram:42';

let at: Bench;
let url = '';

beforeEach(async () => {
  at = await bench();
  url = await at.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => at.app.close());

async function limits(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(['limits', ...args], {
    env: { SLUICE_URL: url, SLUICE_KEY: KEY },
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('a chat is frozen for a time with its reason, and thawed', async () => {
  const frozen = await limits('freeze', ACCOUNT, '7', '--for', '10m', '--reason', 'maintenance');
  expect(frozen).toMatchObject({ code: 0, err: '' });
  expect(frozen.out).toMatch(/^chat 7 of telegram:42 is frozen until \d{4}-/);
  const { frozen: kept } = at.road as FakeRoad;
  expect(kept).toEqual([
    { chat: '7', until: at.clock.now() + 600_000, cause: 'by hand: maintenance' },
  ]);
  expect((await limits('thaw', ACCOUNT, '7')).out).toContain('goes on');
  expect((await limits('thaw', ACCOUNT, '7')).out).toBe('chat 7 of telegram:42 was not frozen');
});

test('an account as a whole, for programs', async () => {
  const { code, out } = await limits('freeze', ACCOUNT, '--for', '1h', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ account: ACCOUNT, chat: null });
});

test('what is not known, or makes no sense, is said', async () => {
  const unknown = await limits('freeze', 'telegram:404', '--for', '1m');
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('unknown_account') });
  expect((await limits('freeze', ACCOUNT)).code).toBe(2);
  expect((await limits('freeze', ACCOUNT, '--for', 'long')).code).toBe(2);
});

test('the list is the default', async () => {
  const { code, out } = await limits('--account', ACCOUNT);
  expect(code).toBe(0);
  expect(out).toMatch(/^ACCOUNT +CHAT +BUDGET +FROZEN UNTIL +CAUSE/);
  const none = await limits('--chat', 'nowhere');
  expect(none).toMatchObject({ code: 0, out: 'nothing is known of it' });
});
