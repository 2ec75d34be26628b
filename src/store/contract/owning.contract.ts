// What every store must do when accounts change hands: two handles are open on one store, as two nodes would be.

import { describe, expect, test } from 'vitest';
import type { NewDelivery } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { NO_ACCOUNT } from '../ports/limits.ts';
import { FIRST_EPOCH, NOT_OWNER, type Owner } from '../ports/ownership.ts';
import type { Store } from '../ports/store.ts';
import {
  accepted,
  aDelivery,
  aMove,
  aSettlement,
  delivered,
  type Harness,
  ROOM,
} from './journal.fixture.ts';

const ONE: AccountId = 'telegram:1';
const OTHER: AccountId = 'telegram:2';

async function aliveOf(store: Store, ...owners: Owner[]): Promise<(string | number)[]> {
  const found: (string | number)[] = [];
  for await (const page of store.recover(owners))
    for (const one of page) {
      if (one.kind === 'not_owner') found.push(`${one.account} is another's`);
      else found.push(one.queued.seq);
    }
  return found;
}

const aLimit = (account: AccountId, value = '1') => ({ account, key: 'k', value, updatedAt: 1 });

export function owning(store: () => Harness): void {
  const first = () => store().journal.store;
  // What it is told when it is written, and when it is on the disk.
  const append = (...args: Parameters<Store['append']>) => {
    const { written, durable } = first().append(...args);
    return Promise.all([written, durable]);
  };

  describe('an account has one owner', () => {
    test('embedded it is the one process, under one epoch for ever', async () => {
      expect(await first().openAccount(ONE)).toEqual({ account: ONE, epoch: FIRST_EPOCH });
      await first().closeAccount({ account: ONE, epoch: FIRST_EPOCH });
      expect(await first().openAccount(ONE)).toEqual({ account: ONE, epoch: FIRST_EPOCH });
      await store().reopen();
      expect(await first().openAccount(ONE)).toEqual({ account: ONE, epoch: FIRST_EPOCH });
    });

    test('a take-over raises the epoch, of that account alone, and outlives a restart', async () => {
      const before = await first().openAccount(ONE);
      const second = store().second();
      const after = await second.openAccount(ONE);
      expect(after.epoch).toBe(before.epoch + 1);
      expect(await second.openAccount(ONE)).toEqual(after);
      expect(await first().openAccount(OTHER)).toEqual({ account: OTHER, epoch: FIRST_EPOCH });
      await store().reopen();
      expect(await store().second().openAccount(ONE)).toEqual(after);
      expect(await first().openAccount(ONE)).toEqual({ account: ONE, epoch: after.epoch + 1 });
    });

    test('what was given up is taken over by the next; what another took since stays its own', async () => {
      const second = store().second();
      const given = await second.openAccount(ONE);
      await second.closeAccount(given);
      const taken = await first().openAccount(ONE);
      expect(taken.epoch).toBe(given.epoch + 1);
      await second.closeAccount(given);
      expect(await first().openAccount(ONE)).toEqual(taken);
    });

    test('every late write of the one before is refused, and nothing is lost', async () => {
      const { journal, ledger } = store();
      const late = await first().openAccount(ONE);
      const waiting = await accepted(journal);
      const inFlight = await accepted(journal, { held: true, slot: 's' });
      await first().begin(late, inFlight, 2_000);
      await first().saveLimits(late, [aLimit(ONE)]);
      const stream = { id: 's', account: ONE, endedAt: null, text: 'a', record: '{}' };
      await first().streams.save(late, stream);
      const second = store().second();
      const now = await second.openAccount(ONE);
      const told = await Promise.all([ledger.get(waiting), ledger.get(inFlight)]);

      const plain = aDelivery();
      expect(await append(late, plain, ROOM)).toEqual([NOT_OWNER, NOT_OWNER]);
      expect(await append(late, plain, { ...ROOM, beginAt: 2_000 })).toEqual([
        NOT_OWNER,
        NOT_OWNER,
      ]);
      expect(await append(late, aDelivery({ slot: 's' }), ROOM)).toEqual([NOT_OWNER, NOT_OWNER]);
      expect(await first().begin(late, waiting, 3_000)).toEqual(NOT_OWNER);
      const limits = [aLimit(ONE, '2')];
      const settlement = aSettlement({ seq: inFlight, limits });
      expect(await first().settle(late, settlement)).toEqual(NOT_OWNER);
      expect(await first().move(late, aMove({ seq: waiting }))).toEqual(NOT_OWNER);
      expect(await first().saveLimits(late, limits)).toEqual(NOT_OWNER);
      expect(await first().callers.caller(late, inFlight, false)).toEqual(NOT_OWNER);
      expect(await first().streams.save(late, { ...stream, text: 'ab' })).toEqual(NOT_OWNER);

      expect(await Promise.all([ledger.get(waiting), ledger.get(inFlight)])).toEqual(told);
      expect(await ledger.countByState()).toMatchObject([
        { state: 'queued', count: 1 },
        { state: 'sending', count: 1 },
      ]);
      expect(await second.limits([ONE])).toEqual([aLimit(ONE)]);
      expect(await second.streams.get('s')).toEqual(stream);
      expect(await aliveOf(first(), late)).toEqual([`${ONE} is another's`]);
      expect(await aliveOf(second, now)).toEqual([waiting, inFlight]);
      expect(await second.settle(now, settlement)).toMatchObject({ kind: 'settled' });
      expect(await second.begin(now, waiting, 3_000)).toMatchObject({ kind: 'begun', n: 1 });
      expect(await second.append(now, plain, ROOM).durable).toMatchObject({ kind: 'accepted' });
    });

    test('refused and taken in one commit, each by its own epoch', async () => {
      const late = await first().openAccount(ONE);
      const other = await first().openAccount(OTHER);
      const second = store().second();
      const answers = await Promise.all([
        first().append(late, aDelivery(), ROOM).durable,
        second.openAccount(ONE),
        first().append(late, aDelivery(), ROOM).durable,
        first().append(other, aDelivery({ account: OTHER }), ROOM).durable,
      ]);
      expect(answers[0]).toMatchObject({ kind: 'accepted' });
      expect(answers[2]).toEqual(NOT_OWNER);
      expect(answers[3]).toMatchObject({ kind: 'accepted' });
      expect(await aliveOf(second, answers[1])).toHaveLength(1);
    });

    test('who owns one account does nothing to the deliveries of another', async () => {
      const { journal, ledger } = store();
      const seq = await accepted(journal, { account: OTHER, held: true });
      const mine = await first().openAccount(ONE);
      expect(await first().begin(mine, seq, 2_000)).toEqual(NOT_OWNER);
      expect(await first().settle(mine, aSettlement({ seq }))).toEqual(NOT_OWNER);
      expect(await first().move(mine, aMove({ seq }))).toEqual(NOT_OWNER);
      expect(await first().callers.caller(mine, seq, false)).toEqual(NOT_OWNER);
      expect(await ledger.get(seq)).toMatchObject({ state: 'queued', attempts: 0 });
    });
  });

  describe('places in the order are drawn per account', () => {
    const rankOf = async (account: AccountId, changes: Partial<NewDelivery> = {}) => {
      const owner = await first().openAccount(account);
      const appended = await first().append(owner, aDelivery({ account, ...changes }), ROOM)
        .durable;
      if (appended.kind !== 'accepted') throw new Error(appended.kind);
      return appended.queued.rank;
    };

    test('each account counts for itself, plain or not, also when it goes at once', async () => {
      expect(await rankOf(ONE)).toBe(1);
      expect(await rankOf(ONE, { session: 'x' })).toBe(2);
      expect(await rankOf(OTHER)).toBe(1);
      const owner = await first().openAccount(OTHER);
      const begun = await first().append(owner, aDelivery({ account: OTHER }), {
        ...ROOM,
        beginAt: 2_000,
      }).durable;
      expect(begun).toMatchObject({ begun: true, queued: { seq: 4, rank: 2 } });
      expect(await rankOf(ONE)).toBe(3);
    });

    test('what is accepted after a restart or a take-over comes behind all that was there', async () => {
      const before = Math.max(await rankOf(OTHER), await rankOf(ONE), await rankOf(ONE));
      await store().reopen();
      const after = await rankOf(ONE);
      expect(after).toBeGreaterThan(before);
      const second = store().second();
      const taken = await second.append(await second.openAccount(ONE), aDelivery(), ROOM).durable;
      expect(taken).toMatchObject({ queued: { rank: after + 1 } });
      const owner = await second.openAccount(ONE);
      const ranks: number[] = [];
      for await (const page of second.recover([owner]))
        for (const one of page) {
          if (one.kind !== 'not_owner') ranks.push(one.queued.rank);
        }
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      expect(new Set(ranks).size).toBe(4);
    });
  });

  describe('an account is recovered for itself', () => {
    test('what is alive, its limits and its calls, and as often as it is asked for', async () => {
      const { journal } = store();
      const mine = [await accepted(journal)];
      const others = await accepted(journal, { account: OTHER });
      await delivered(journal, { account: OTHER }, {}, 2_000);
      await delivered(journal, { chat: '77' }, {}, 2_100);
      mine.push(await accepted(journal, { chat: 'elsewhere', session: 'x' }));
      await journal.saveLimits([aLimit(ONE), aLimit(OTHER), aLimit(NO_ACCOUNT)]);
      await store().reopen();
      expect(await first().knownAccounts()).toEqual([ONE, OTHER]);
      const [one, other] = [await first().openAccount(ONE), await first().openAccount(OTHER)];
      expect(await aliveOf(first(), one)).toEqual(mine);
      const both = await Promise.all([aliveOf(first(), other), aliveOf(first(), one, other)]);
      expect(both).toEqual([[others], [mine[0], others, mine[1]]]);
      expect(await aliveOf(first())).toEqual([]);
      expect(await first().limits([ONE])).toEqual([aLimit(ONE)]);
      expect(await first().limits([OTHER, ONE])).toEqual([aLimit(ONE), aLimit(OTHER)]);
      expect(await first().limits([])).toEqual([]);
      expect(await first().callsSince([ONE], 0)).toMatchObject([{ account: ONE, chat: '77' }]);
      expect(await first().callsSince([ONE, OTHER], 0)).toHaveLength(2);
    });
  });
}
