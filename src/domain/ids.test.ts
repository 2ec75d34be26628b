import { expect, test } from 'vitest';
import {
  type AccountId,
  accountId,
  isSandboxAccount,
  ownIdOf,
  parseAccountId,
  platformOf,
  SANDBOX,
} from './ids.ts';

test.each(['telegram:42', 'telegram:sandbox-42', 'slack:1:2', 'a::', 'terminal:a\nb'])(
  '%j names an account',
  (text) => {
    expect(parseAccountId(text)).toBe(text);
  },
);

test.each(['', ':', '42', 'telegram', 'telegram:', ':42'])('%j names none', (text) => {
  expect(parseAccountId(text)).toBeNull();
});

test.each<[AccountId, string, string, boolean]>([
  [accountId('telegram', '', '42'), 'telegram', '42', false],
  [accountId('telegram', SANDBOX, '42'), 'telegram', '42', true],
  [accountId('telegram', '', '42:test'), 'telegram', '42:test', false],
])('%s tells its platform, its own id and its host', (id, platform, own, isSandbox) => {
  expect([platformOf(id), ownIdOf(id), isSandboxAccount(id)]).toEqual([platform, own, isSandbox]);
});
