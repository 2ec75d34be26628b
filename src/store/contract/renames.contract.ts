// What every journal must do when accounts get other ids: all that names them follows, and nothing else changes.

import { describe, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { StoredAccount } from '../ports/accounts.ts';
import { NEVER, type StoredKey } from '../ports/keys.ts';
import { aBroadcast } from './broadcasts.contract.ts';
import {
  accepted,
  aDelivery,
  aMove,
  delivered,
  type Harness,
  REFUSED,
  ROOM,
  recovered,
} from './journal.fixture.ts';
import type { OwnedStore } from './sole-owner.fixture.ts';

const FROM: AccountId = 'telegram:42';
const TO: AccountId = 'telegram:sandbox-42';
const OTHER: AccountId = 'telegram:43';

const AN_UPDATE = { updateId: '9', order: 9, at: 1, chat: '5', messageId: '6', body: '{}' };

function anAccount(id: AccountId): StoredAccount {
  const state = { paused: true, refused: 'unauthorized', createdAt: 7 };
  return { id, platform: 'telegram', sealed: `sealed for ${id}`, ...state };
}

function aKey(id: string, accounts: AccountId[] | null): StoredKey {
  const scope = JSON.stringify({ accounts, chats: ['5'] });
  const role = 'sender' as const;
  const times = { expiresAt: NEVER, createdAt: 1, usedAt: null };
  return { id, kind: 'key', hash: `hash ${id}`, name: id, role, scope, active: true, ...times };
}

const aRecord = (account: AccountId) =>
  JSON.stringify({ asked: { account, chat: '5' }, openedAt: 1 });

// Everything of an account that a journal holds; the same for each of them.
async function fill(journal: OwnedStore, account: AccountId): Promise<void> {
  await journal.saveAccount(anAccount(account));
  const key = `key of ${account}`;
  await accepted(journal, { account, idempotencyKey: key, slot: 's' });
  await delivered(journal, { account }, { ...REFUSED, endedAt: 3_000 });
  await delivered(journal, { account }, { messageId: '77' });
  await journal.begin(await accepted(journal, { account }), 2_500);
  const limit = { account, key: 'chat:5', value: '{}', updatedAt: 1 };
  await journal.saveLimits([limit]);
  await journal.incoming.record([{ ...AN_UPDATE, account, voice: 'wrote', state: 'waiting' }]);
  await journal.streams.save({
    id: `s ${account}`,
    account,
    endedAt: null,
    text: 't',
    record: aRecord(account),
  });
  await journal.keys.save(aKey(`bound to ${account}`, [account, 'terminal:local']));
  const audience = (await journal.broadcasts.open({ name: null, at: 1, audiencesMax: 9 }))!;
  await journal.broadcasts.fill({ audience, members: [{ chat: '5', fields: '' }] });
  await journal.broadcasts.seal({ audience, fields: [] });
  await journal.broadcasts.create(aBroadcast(audience, { account, key: 'once' }));
  await journal.broadcasts.block({ at: 5, chats: [{ account, chat: '5', reason: 'blocked' }] });
}

export function renames(store: () => Harness): void {
  const rename = (journal: OwnedStore) =>
    journal.renameAccounts([{ from: FROM, account: anAccount(TO) }]);

  describe('accounts that get other ids', () => {
    // What a store that never knew the old id would hold.
    const expected = async (ids: readonly string[], read: () => Promise<unknown>) => {
      const seen = JSON.stringify(await read());
      for (const id of ids) expect(seen).toContain(`"${id}"`);
      expect(seen).not.toContain(`"${FROM}"`);
    };

    test('everything that is theirs follows, at once and after a restart', async () => {
      await fill(store().journal, FROM);
      await fill(store().journal, OTHER);
      await store().journal.keys.save(aKey('unbound', null));
      await rename(store().journal);
      for (const round of ['at once', 'after a restart']) {
        const { journal, ledger } = store();
        const both = [TO, OTHER];
        expect(await journal.accounts(), round).toEqual([anAccount(OTHER), anAccount(TO)]);
        await expected(both, () => recovered(journal));
        await expected(both, () => ledger.getMany([1, 2, 3, 4, 5, 6, 7, 8]));
        await expected(both, () => ledger.countByState());
        await expected(both, () => journal.limits());
        await expected(both, () => journal.callsSince(0));
        await expected(both, async () =>
          (await journal.keys.page({ after: '', max: 9 })).map(
            ({ scope }) => JSON.parse(scope) as object,
          ),
        );
        await expected(both, async () =>
          (await journal.streams.open({ after: '', max: 9 })).map(
            ({ record }) => JSON.parse(record) as object,
          ),
        );
        await expected(both, () => journal.broadcasts.list({ before: null, max: 9 }));
        await expected(both, () =>
          journal.incoming.waiting({ afterAccount: '', after: { order: 0, updateId: '' }, max: 9 }),
        );
        expect(await ledger.get(3)).toMatchObject({ account: TO, messageId: '77' });
        if (round === 'at once') await store().reopen();
      }
    });

    test('queue bounds, slots, idempotency keys and refusals hold under the new id', async () => {
      const { journal } = store();
      await fill(journal, FROM);
      await rename(journal);
      // Two of it are alive: one waits, one is being sent.
      const full = await journal.append(aDelivery({ account: TO }), { queueMax: 2 });
      expect(full).toEqual({ kind: 'full', waiting: 2, queueMax: 2 });
      const again = aDelivery({ account: TO, idempotencyKey: `key of ${FROM}`, slot: 's' });
      expect(await journal.append(again, ROOM)).toMatchObject({ kind: 'repeated', seq: 1 });
      const newer = await journal.append(aDelivery({ account: TO, slot: 's' }), ROOM);
      expect(newer).toMatchObject({ kind: 'accepted', replaced: 1 });
      expect(await journal.move(aMove({ seq: 2, to: 'queued' }))).toMatchObject({ kind: 'moved' });
      const [broadcast] = await journal.broadcasts.list({ before: null, max: 1 });
      const [next] = await journal.broadcasts.next({ id: broadcast!.id, max: 1 });
      expect(next).toMatchObject({ chat: '5', blockedAt: 5 });
      const repeated = await journal.broadcasts.create(
        aBroadcast(broadcast!.audience, { account: TO, key: 'once' }),
      );
      expect(repeated.kind).toBe('repeated');
    });

    test('the old id is free for another account, which inherits nothing', async () => {
      const { journal } = store();
      await fill(journal, FROM);
      await rename(journal);
      const one = await journal.append(aDelivery({ account: FROM, slot: 's' }), { queueMax: 1 });
      expect(one).toMatchObject({ kind: 'accepted', replaced: null });
    });

    // What an account that was removed leaves behind, one kind at a time.
    const LEFT: Record<string, (journal: OwnedStore) => Promise<unknown>> = {
      'an account': (journal) => journal.saveAccount(anAccount(TO)),
      'a delivery in its slot': (journal) => accepted(journal, { account: TO, slot: 's' }),
      'a limit': (journal) =>
        journal.saveLimits([{ account: TO, key: 'chat:5', value: '{}', updatedAt: 1 }]),
      'an update': (journal) =>
        journal.incoming.record([{ ...AN_UPDATE, account: TO, voice: 'wrote', state: 'waiting' }]),
      'a blocked chat': (journal) =>
        journal.broadcasts.block({ at: 5, chats: [{ account: TO, chat: '5', reason: 'blocked' }] }),
      'a broadcast': async (journal) => {
        const audience = (await journal.broadcasts.open({ name: null, at: 1, audiencesMax: 9 }))!;
        await journal.broadcasts.seal({ audience, fields: [] });
        return journal.broadcasts.create(aBroadcast(audience, { account: TO, key: 'once' }));
      },
      'a key bound to it': (journal) => journal.keys.save(aKey('bound to the new id', [TO])),
      'a stream': (journal) =>
        journal.streams.save({
          ...{ id: 's', account: TO, endedAt: null, text: 't' },
          record: aRecord(TO),
        }),
    };

    test.each(Object.keys(LEFT))(
      'an id that %s names already is told, and nothing changes',
      async (kind) => {
        const { journal } = store();
        await fill(journal, FROM);
        await LEFT[kind]!(journal);
        expect(await rename(journal)).toEqual([TO]);
        expect((await journal.accounts()).map(({ id }) => id)).toContain(FROM);
        const again = aDelivery({ account: FROM, idempotencyKey: `key of ${FROM}`, slot: 's' });
        expect(await journal.append(again, ROOM)).toMatchObject({ kind: 'repeated', seq: 1 });
        // The next one is free.
        const next = anAccount(`${TO}-2`);
        expect(await journal.renameAccounts([{ from: FROM, account: next }])).toEqual([]);
        expect(await journal.accounts()).toContainEqual(next);
      },
    );

    test('keys and streams that cannot be read stay as they are, and stop nothing', async () => {
      const { journal } = store();
      await fill(journal, FROM);
      const texts = [
        '{"accounts":',
        'null',
        '{"accounts":7}',
        '{"asked":7}',
        '{"accounts":[null]}',
      ];
      for (const [i, text] of texts.entries()) {
        await journal.keys.save({ ...aKey(`z${i}`, null), scope: text });
        const stream = { id: `z${i}`, account: OTHER, endedAt: null, text: 't' };
        await journal.streams.save({ ...stream, record: text });
      }
      expect(await rename(journal)).toEqual([]);
      const keys = await journal.keys.page({ after: 'z', max: 9 });
      expect(keys.map(({ scope }) => scope)).toEqual(texts);
      const streams = await journal.streams.open({ after: 'z', max: 9 });
      expect(streams.map(({ record }) => record)).toEqual(texts);
    });

    test('none is no command at all', async () => {
      await fill(store().journal, FROM);
      await store().journal.renameAccounts([]);
      expect(await store().journal.accounts()).toEqual([anAccount(FROM)]);
    });
  });
}
