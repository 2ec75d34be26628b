// Who may have how many of the places of held calls and of calls that are passed on.

import { expect, test } from 'vitest';
import { WaitingCallers } from '../accept/callers.ts';
import type { AccountId } from '../domain/ids.ts';
import { bench } from './context.fixture.ts';
import { PASSING_MAX } from './context.ts';

const stranger = (account: AccountId, address: string) => ({ account, address, isStranger: true });

test('held calls: a stranger leaves room for others, and all of them for configured accounts', async () => {
  const { road, clock } = await bench();
  const waiting = new WaitingCallers(road, clock, 1000);
  const flood = (account: AccountId, address: string) => {
    let held = 0;
    while (waiting.enter(stranger(account, address))) held += 1;
    return held;
  };
  expect(flood('telegram:1', '10.0.0.1')).toBe(375);
  // The same address with other accounts has nothing more, another address has.
  expect(flood('telegram:2', '10.0.0.1')).toBe(0);
  expect(flood('telegram:3', '10.0.0.2')).toBeGreaterThan(100);
  const mine = { account: 'telegram:9', address: '10.0.0.1', isStranger: false };
  for (let n = 0; n < 200; n++) expect(waiting.enter(mine)).toBe(true);
  waiting.leave(stranger('telegram:1', '10.0.0.1'));
});

test('a held call leaves its place whatever becomes of it', async () => {
  const { app, road } = await bench();
  const places: string[] = [];
  const enter = WaitingCallers.prototype.enter;
  const leave = WaitingCallers.prototype.leave;
  WaitingCallers.prototype.enter = function (claimant) {
    places.push(`+${claimant.account}`);
    return enter.call(this, claimant);
  };
  WaitingCallers.prototype.leave = function (claimant) {
    places.push(`-${claimant.account}`);
    leave.call(this, claimant);
  };
  try {
    road.onWait = (seq) => road.end(seq, 'sent', { result: '{"ok":true,"result":true}' });
    const url = '/bot42:good-token/sendMessage';
    const headers = { host: '127.0.0.1', prefer: 'wait=5' };
    const payload = { chat_id: 1, text: 'a' };
    expect((await app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(200);
    road.failure = new Error('broken');
    expect((await app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(500);
    expect(places).toEqual(['+telegram:42', '-telegram:42', '+telegram:42', '-telegram:42']);
  } finally {
    WaitingCallers.prototype.enter = enter;
    WaitingCallers.prototype.leave = leave;
  }
});

test('calls passed on: one account has half of what strangers may have', async () => {
  const at = await bench();
  const url = '/bot42:good-token/getMe';
  const headers = { host: '127.0.0.1' };
  const share = Math.floor((PASSING_MAX * 0.75) / 2);
  const areTaken = Promise.withResolvers<void>();
  at.hold = () => {
    if (at.passed.length === share) areTaken.resolve();
  };
  for (let n = 0; n < share; n++) at.app.inject({ url, headers }).then(() => {});
  await areTaken.promise;
  const refused = await at.app.inject({ url, headers });
  expect(refused.json()).toMatchObject({ error_code: 429, parameters: { retry_after: 1 } });
  const isTaken = Promise.withResolvers<void>();
  at.hold = () => isTaken.resolve();
  at.app.inject({ url: '/bot43:good-token/getMe', headers }).then(() => {});
  await isTaken.promise;
});
