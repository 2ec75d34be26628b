// Readers with accounts that send: which of them can, and what both directions tell each other.

import { expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { ReaderKind } from '../../platforms/history.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Resources } from '../resources.ts';
import { sendingPool } from './sending-readers.ts';

const CREDENTIALS: Readonly<Record<string, string>> = {
  'chat:1': 'bot',
  'chat:2': 'hook',
  'other:3': 'bot',
};
const CHARGE = { family: 'send' };

function pool(freezes: readonly object[] = []) {
  const frozen: unknown[] = [];
  const passed: unknown[] = [];
  const resources = {
    fleet: null,
    accounts: { credentialOf: (id: string) => CREDENTIALS[id] ?? null, isOff: () => false },
    engine: {
      road: {
        limits: (account: AccountId) => [{ account, chat: '', rules: [], freezes }],
        passed: (account: AccountId, charge: object) => passed.push([account, charge]),
        freeze: async (...of: unknown[]) => frozen.push(of.slice(0, 2)),
      },
    },
  } as unknown as Resources;
  const kind = { kind: 'k', readsWith: (credential: string) => credential === 'bot' };
  const platform = { name: 'chat', passage: { chargeOf: () => CHARGE } };
  const settings = { weight: 1, forwardTo: null, forwardSince: null };
  const sources = ['chat:1', 'chat:2', 'chat:9', null].map((account) => ({
    ...{ kind: 'k', settings: { ...settings, account } },
  }));
  const of = { kind: kind as unknown as ReaderKind, platform: platform as unknown as Platform };
  const made = sendingPool(resources, of, () => ({ changes: 1, list: () => sources }));
  return { pool: made, frozen, passed };
}

test('an account reads where it is known, of the platform, and can', async () => {
  const { pool: made } = pool();
  expect(await made.accounts('chat:1')).toEqual([{ id: 'chat:1', session: 'bot' }]);
  for (const id of ['chat:2', 'chat:9', 'other:3', null]) {
    expect(await made.accounts(id)).toEqual([]);
  }
  expect(made.sending!.named()).toEqual([{ id: 'chat:1', session: 'bot' }]);
});

test('freezes of the whole account hold for reading, a wait of it freezes sending, calls count', async () => {
  const at = pool([
    { scope: 'account', since: 0, until: 500, cause: '429' },
    { scope: 'family', since: 0, until: 900, cause: '429' },
  ]);
  const side = at.pool.sending!.sideOf('chat:1');
  expect(side.heldUntil()).toBe(500);
  side.called();
  expect(at.passed).toEqual([['chat:1', CHARGE]]);
  await side.hold(700);
  expect(at.frozen).toEqual([[{ account: 'chat:1', chat: null }, 700]]);
  expect(pool().pool.sending!.sideOf('chat:1').heldUntil()).toBe(0);
});
