// A store in the hands of one who owns every account, as the embedded process does: tests that are not about ownership
// write through it, and need not say as whom. Whose a delivery is it remembers; of one that was appended in this very
// turn, and has no number yet, it guesses the number.

import type { NewDelivery } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { UnansweredBounds } from '../ports/callers.ts';
import type {
  AppendBounds,
  Appended,
  MoveCommand,
  ReceiptCommand,
  Settlement,
} from '../ports/delivery.ts';
import { NO_ACCOUNT, type StoredLimit } from '../ports/limits.ts';
import { FIRST_EPOCH, type Owner } from '../ports/ownership.ts';
import type { Recovered } from '../ports/recovery.ts';
import type { Store } from '../ports/store.ts';
import type { StoredStream } from '../ports/streams.ts';

export type AccountsBySeq = Map<number, AccountId>;

const ACCOUNT: AccountId = 'telegram:1';

export type OwnedStore = ReturnType<typeof soleOwner>;

export function soleOwner(store: Store, accounts: AccountsBySeq = new Map()) {
  const as = (account: AccountId): Owner => ({ account, epoch: FIRST_EPOCH });
  const ownerOf = (seq: number) => as(accounts.get(seq) ?? ACCOUNT);
  let seqAhead = Math.max(0, ...accounts.keys());
  const ownAll = async () => (await store.knownAccounts()).map(as);
  const { incoming, broadcasts, keys, audit, ingest } = store;
  const save = (stream: StoredStream) => store.streams.save(as(stream.account), stream);
  const streams = { ...store.streams, save };
  const { minutes, sessions } = store;
  return {
    ...{ store, tag: store.tag, incoming, broadcasts, streams, keys, audit, ingest },
    ...{ minutes, sessions },
    // Resolves when it is on the disk; `written` is told the answer when it is written.
    async append(
      delivery: NewDelivery,
      bounds: AppendBounds,
      written: (appended: Appended) => void = () => {},
    ) {
      seqAhead += 1;
      if (!accounts.has(seqAhead)) accounts.set(seqAhead, delivery.account);
      const appending = store.append(as(delivery.account), delivery, bounds);
      appending.written.then(written, () => {});
      const appended = await appending.durable;
      if (appended.kind === 'accepted') accounts.set(appended.queued.seq, delivery.account);
      if (appended.kind === 'superseded') accounts.set(appended.seq, delivery.account);
      return appended;
    },
    begin: (seq: number, startedAt: number, waitedFor?: string) =>
      store.begin(ownerOf(seq), seq, startedAt, waitedFor),
    settle(settlement: Settlement) {
      const owner = ownerOf(settlement.seq);
      const limits = settlement.limits.map((one) => ({ ...one, account: owner.account }));
      return store.settle(owner, { ...settlement, limits });
    },
    move: (command: MoveCommand) => store.move(ownerOf(command.seq), command),
    receipt: (command: ReceiptCommand) => store.receipt(ownerOf(command.seq), command),
    saveLimits(records: readonly StoredLimit[]) {
      const groups = [...Map.groupBy(records, ({ account }) => account)];
      return Promise.all(groups.map(([account, some]) => store.saveLimits(as(account), some)));
    },
    callers: {
      caller: (seq: number, isThere: boolean) => store.callers.caller(ownerOf(seq), seq, isThere),
      unanswered: (bounds: UnansweredBounds) => store.callers.unanswered(bounds),
    },
    async *recover(): AsyncIterable<Recovered> {
      for await (const page of store.recover(await ownAll())) yield* page;
    },
    async limits() {
      return store.limits([NO_ACCOUNT, ...(await store.knownAccounts())]);
    },
    async callsSince(since: number) {
      return store.callsSince(await store.knownAccounts(), since);
    },
    async renameAccounts(...[renames]: Parameters<Store['renameAccounts']>) {
      const taken = await store.renameAccounts(renames);
      const ids = new Map(renames.map(({ from, account }) => [from, account.id]));
      for (const [seq, account] of taken.length === 0 ? accounts : []) {
        accounts.set(seq, ids.get(account) ?? account);
      }
      return taken;
    },
    lastCallAt: () => store.lastCallAt(),
    shiftTimes: (...args: Parameters<Store['shiftTimes']>) => store.shiftTimes(...args),
    saveAccount: (...args: Parameters<Store['saveAccount']>) => store.saveAccount(...args),
    removeAccount: (id: AccountId) => store.removeAccount(id),
    accounts: () => store.accounts(),
    filesInUse: () => store.filesInUse(),
    prune: (...args: Parameters<Store['prune']>) => store.prune(...args),
    close: () => store.close(),
  };
}
