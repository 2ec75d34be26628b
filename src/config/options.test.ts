import { expect, test } from 'vitest';
import { configOf } from './config.ts';

const TOKEN = '7:AAAAAAAAAAAAAAAAAAAAAAAA';

test('what is left out is as everywhere, but for the log', () => {
  expect(configOf({})).toMatchObject({ port: 8080, data: './data', log: 'warn', accounts: [] });
  expect(configOf({ port: 0, wait: 5 })).toMatchObject({
    port: 0,
    wait: { kind: 'seconds', seconds: 5 },
  });
});

test('an account has settings of its own', () => {
  const { accounts } = configOf({
    groupMpm: 18,
    accounts: [{ platform: 'telegram', token: TOKEN, settings: { queueMax: 7 } }],
  });
  expect(accounts[0]).toMatchObject({ name: '7', settings: { queueMax: 7, groupMpm: 18 } });
  const strict = { platform: 'terminal', name: 'wall', settings: { order: 'platform' } } as const;
  expect(configOf({ accounts: [strict] }).accounts[0]).toMatchObject({
    platform: 'terminal',
    token: 'wall',
    settings: { order: 'platform' },
  });
});

test('all mistakes are told at once, and no token', () => {
  const wrong = { prot: 1, port: -1, redisUrl: 'http://x' };
  const settings = { port: 1 };
  const make = () =>
    configOf({ ...wrong, accounts: [{ platform: 'telegram', token: TOKEN, settings }] });
  expect(make).toThrow(/prot: no such setting; did you mean port\?/);
  expect(make).toThrow(/port = -1: expected a whole number/);
  expect(make).toThrow(/redisUrl: expected an address/);
  expect(make).toThrow(/accounts\[0\]\.settings\.port: holds for the whole gateway/);
  expect(make).not.toThrow(new RegExp(TOKEN));
});

test('a signing secret is one of the standard, and is not told when it is not', () => {
  const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'k').toString('base64')}`;
  for (const right of [secret(24), secret(32), secret(64)]) {
    expect(configOf({ signingSecret: right }).signingSecret).toBe(right);
  }
  for (const wrong of [secret(23), secret(65), secret(32).slice(6), `${secret(32)}!`, 'whsec_']) {
    const make = () => configOf({ signingSecret: wrong });
    expect(make).toThrow(/signingSecret/);
    if (wrong.length > 20) expect(make).not.toThrow(wrong);
  }
});
