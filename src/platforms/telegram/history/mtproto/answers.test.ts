import { MtTimeoutError, tl } from '@mtcute/core';
import { expect, test } from 'vitest';
import { NoSession, notRead } from './answers.ts';

function said(errorCode: number, errorMessage: string): tl.RpcError {
  return tl.RpcError.fromTl({ errorCode, errorMessage });
}

test.each([
  [420, 'FLOOD_WAIT_66230', 66_230_000],
  [420, 'FLOOD_WAIT_0', 0],
  [420, 'FLOOD_PREMIUM_WAIT_7', 7000],
  [420, 'TAKEOUT_INIT_DELAY_86400', 86_400_000],
  [420, 'SOMETHING_NEW_WAIT_5', 5000],
])('%i %s is a wait, never shortened', (code, text, waitMs) => {
  expect(notRead(said(code, text), true)).toEqual({ kind: 'wait', waitMs });
});

test.each([
  [401, 'AUTH_KEY_UNREGISTERED'],
  [401, 'SESSION_REVOKED'],
  [401, 'USER_DEACTIVATED_BAN'],
  [406, 'AUTH_KEY_DUPLICATED'],
])('%i %s is the account’s end', (code, detail) => {
  expect(notRead(said(code, detail), true)).toEqual({ kind: 'logged_out', detail });
});

test.each([
  [400, 'CHANNEL_PRIVATE', 'private'],
  [400, 'CHANNEL_INVALID', 'no_such_channel'],
  [400, 'USERNAME_NOT_OCCUPIED', 'no_such_channel'],
  [403, 'CHAT_FORBIDDEN', 'private'],
  [400, 'MSG_ID_INVALID', 'rejected'],
])('%i %s is refused as %s', (code, detail, reason) => {
  expect(notRead(said(code, detail), true)).toEqual({ kind: 'refused', reason, detail });
});

test.each([
  [500, 'PERSISTENT_TIMESTAMP_OUTDATED'],
  [-503, 'Timeout'],
  [420, 'FLOOD'],
])('%i %s is a failure of the server', (code, detail) => {
  expect(notRead(said(code, detail), true)).toEqual({ kind: 'failed', reason: 'server', detail });
});

test('no answer in time, no connection, a broken one, no session', () => {
  const given = said(400, 'TIMEOUT');
  expect(notRead(given, true)).toMatchObject({ kind: 'failed', reason: 'timeout' });
  expect(notRead(given, false)).toMatchObject({ kind: 'failed', reason: 'connection' });
  expect(notRead(new MtTimeoutError(5), true)).toMatchObject({ reason: 'timeout' });
  expect(notRead(new Error('ENOTFOUND'), false)).toMatchObject({ reason: 'connection' });
  expect(notRead(new Error('reset'), true)).toMatchObject({ reason: 'network' });
  const out = { kind: 'logged_out', detail: 'none' };
  expect(notRead(new NoSession('none'), false)).toEqual(out);
});
