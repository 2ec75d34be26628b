import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountId, isSandboxAccount, SANDBOX } from '../../domain/ids.ts';
import { botOf, claimedId, isSandboxToken } from './credentials.ts';

const digits = fc.stringMatching(/^\d{1,20}$/);
const secret = fc.stringMatching(/^[\w-]{1,40}$/);

test('no token of the sandbox names the account of a real one, and the other way round', () => {
  fc.assert(
    fc.property(digits, digits, secret, secret, (a, b, mine, other) => {
      fc.pre(!other.startsWith(SANDBOX));
      const sandboxed = `${a}:${SANDBOX}${mine}`;
      const real = `${b}:${other}`;
      expect([isSandboxToken(sandboxed), isSandboxToken(real)]).toEqual([true, false]);
      const ids = [
        accountId('telegram', SANDBOX, claimedId(sandboxed)),
        accountId('telegram', '', claimedId(real)),
        accountId('telegram', '', claimedId(`${real}/test`)),
      ];
      expect(ids.map(isSandboxAccount)).toEqual([true, false, false]);
      expect(new Set(ids).size).toBe(3);
      expect(ids.map(botOf)).toEqual([a, b, b]);
    }),
  );
});

test.each([
  ['1:sandbox', true],
  ['1:sandbox-x', true],
  ['1:AAsandbox', false],
  ['1:SANDBOX', false],
  ['sandbox', false],
  ['sandbox:1', false],
  ['', false],
])('%j is of the sandbox: %j', (token, expected) => {
  expect(isSandboxToken(token)).toBe(expected);
});

test('a name that is no token names itself', () => {
  expect(claimedId('local')).toBe('local');
  expect(botOf('terminal:local')).toBe('local');
});
