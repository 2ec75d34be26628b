// Limits from the command line, against the real routes.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, bench, KEY } from '../../http/context.fixture.ts';
import type { FakeRoad } from '../../road/road.fixture.ts';
import { runCli } from '../program.ts';

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
  const [head, freeze, budget] = out.split('\n');
  expect(head).toMatch(/^ACCOUNT +CHAT +LIMIT +USED +CODE$/);
  expect(freeze).toMatch(/^telegram:42 +-100 +frozen until .* left\): 429 +chat$/);
  expect(budget).toMatch(
    /^telegram:42 +-100 +this group takes 20 messages a minute +20 of 20 +group$/,
  );
  const none = await limits('--chat', 'nowhere');
  expect(none).toMatchObject({ code: 0, out: 'nothing is known of it' });
});

test('limits are shown, set by hand and set back; words first, the name last', async () => {
  expect((await limits('settings', ACCOUNT)).out).toMatch(
    /^LIMIT +VALUE +FROM +NAME\nMessages to one group +20 per any minute +default +group_mpm$/,
  );
  const set = await limits('set', ACCOUNT, 'group_mpm=10');
  expect(set).toMatchObject({ code: 0, err: '' });
  expect(set.out).toMatch(/10 per any minute +set by hand, else 20 +group_mpm$/);
  expect((await limits('reset', ACCOUNT)).out).toMatch(/20 per any minute +default/);
  const json = await limits('set', ACCOUNT, 'group_mpm=9', '--json');
  expect(JSON.parse(json.out)).toMatchObject({ id: ACCOUNT, settings: [{ value: 9 }] });
});

test('a limit out of its bounds says them, and a pair that is none is wrong usage', async () => {
  const wrong = await limits('set', ACCOUNT, 'group_mpm=9999');
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain('/group_mpm: expected a whole number from 1 to 6000');
  for (const pair of ['group_mpm', 'group_mpm=', '=3', 'group_mpm=many']) {
    expect((await limits('set', ACCOUNT, pair)).code).toBe(2);
  }
});

test('what one method waits for is listed like a freeze', async () => {
  const until = Date.parse('2999-01-01T00:00:00.000Z');
  const cause = 'the platform refused getchat, which is passed through, and asked to wait 3600 s';
  const wait = { scope: 'method', method: 'getchat', since: 0, until, cause };
  const road = at.road as FakeRoad;
  road.limits = () => [{ account: ACCOUNT, chat: '', rules: [], freezes: [wait] }];
  const { code, out } = await limits('list');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^telegram:42 +all +frozen until .*: the platform refused getchat,.* method$/m,
  );
});
