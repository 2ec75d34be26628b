// The bounds of the queue that are kept here, beside the count of deliveries per account that the store keeps: bytes
// per account, bytes in all, deliveries of all accounts of a platform. What is still being written counts too, so that
// a burst cannot slip through while the disk is busy. Accounts that nobody has configured have a part of what is
// shared, and none of them may hold more bytes than are still free for them: one of them cannot shut out the others,
// nor all of them together a configured one.

import { bytesOf, type NewDelivery } from '../../domain/delivery.ts';
import { platformOf } from '../../domain/ids.ts';
import type { Plan, Priors, Rule } from '../../limits/limits.ts';
import type { AccountLoad } from '../../scheduler/scheduler.ts';
import type { Appended, QueueFull } from '../../store/ports/delivery.ts';
import type { Owner, OwnershipStore } from '../../store/ports/ownership.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { assert } from '../../system/assert.ts';
import { STRANGERS_SHARE } from '../../system/shares.ts';

export type Full = QueueFull & { readonly kind: 'full'; readonly account: string };

export interface QueueBounds {
  readonly platformQueueMax: number;
  readonly queueBytesTotalMax: number;
}

export interface BoundParts extends QueueBounds {
  readonly loadOf: (account: string) => AccountLoad;
  readonly queueBytesMaxOf: (account: string) => number;
  readonly onFull: (full: Full) => void;
}

type Submit = (delivery: NewDelivery) => Promise<Appended>;

export function boundSubmit(parts: BoundParts, submit: Submit): Submit {
  const refuse = (full: Full) => {
    parts.onFull(full);
    return full;
  };
  return (delivery) => {
    const { account } = delivery;
    const full = fullFor(parts, account, bytesOf(delivery.body));
    if (full !== null) return Promise.resolve(refuse({ kind: 'full', ...full, account }));
    return submit(delivery).then((appended) =>
      appended.kind === 'full' ? refuse({ ...appended, account }) : appended,
    );
  };
}

// Why so much more of the account cannot be taken; null: it can.
export function fullFor(parts: BoundParts, account: string, bytes: number): QueueFull | null {
  const load = parts.loadOf(account);
  const bytesMax = parts.queueBytesMaxOf(account);
  if (load.bytes + bytes > bytesMax) {
    return { unit: 'bytes', waiting: load.bytes, queueMax: bytesMax };
  }
  const { platformQueueMax, queueBytesTotalMax } = parts;
  const { deliveries } = load.platform;
  if (deliveries >= platformQueueMax) {
    return { waiting: deliveries, queueMax: platformQueueMax, platform: platformOf(account) };
  }
  if (load.all.bytes + bytes > queueBytesTotalMax) {
    return { unit: 'bytes', waiting: load.all.bytes, queueMax: queueBytesTotalMax, whose: 'all' };
  }
  return load.isStranger ? fullForStranger(parts, load, account, bytes) : null;
}

function fullForStranger(
  { platformQueueMax, queueBytesTotalMax }: BoundParts,
  load: AccountLoad,
  account: string,
  bytes: number,
): QueueFull | null {
  const whose = 'unconfigured';
  const { deliveries } = load.platform.strangers;
  const queueMax = Math.ceil(platformQueueMax * STRANGERS_SHARE);
  if (deliveries >= queueMax) {
    return { waiting: deliveries, queueMax, platform: platformOf(account), whose };
  }
  const bytesMax = Math.ceil(queueBytesTotalMax * STRANGERS_SHARE);
  const waiting = load.all.strangers.bytes;
  if (load.bytes + bytes > bytesMax - waiting) {
    return { unit: 'bytes', waiting, queueMax: bytesMax, whose };
  }
  return null;
}

// A platform's limits, asked for every decision of the loop. When the platform throws instead of answering, its calls
// go on at a careful pace of their own, rather than stopping everyone or going without any limit.

const EACH_CHAT: Rule = { name: 'careful_chat', scope: 'chat', count: 1, perMs: 1000 };
const EACH_ACCOUNT: Rule = { name: 'careful_account', scope: 'account', count: 1, perMs: 1000 };
const CAREFUL: Plan = Object.freeze({ account: [EACH_ACCOUNT], chat: [EACH_CHAT] });

export function safePriors(priors: Priors, report: (error: unknown) => void): Priors {
  return {
    planOf(charge) {
      try {
        return priors.planOf(charge);
      } catch (error) {
        report(error);
        return CAREFUL;
      }
    },
  };
}

// As whose owner the road writes. An account is opened in the store when something of it first appears, and closed when
// it is forgotten; in between its epoch is at hand, so that no message waits for it.

export class AccountOwners {
  readonly #store: Pick<OwnershipStore, 'openAccount' | 'closeAccount'>;
  readonly #owners = new Map<string, Owner>();
  readonly #opening = new Map<string, Promise<Owner>>();

  constructor(store: Pick<OwnershipStore, 'openAccount' | 'closeAccount'>) {
    this.#store = store;
  }

  // Of an account that is open: whatever waits or is being sent is of one.
  of(account: string): Owner {
    const owner = this.#owners.get(account);
    assert(owner !== undefined, `${account} is open`);
    return owner;
  }

  // null: it is to be opened first.
  known(account: string): Owner | null {
    return this.#owners.get(account) ?? null;
  }

  async open(account: string): Promise<Owner> {
    const known = this.#owners.get(account) ?? this.#opening.get(account);
    if (known !== undefined) return known;
    const opening = this.#open(account).finally(() => this.#opening.delete(account));
    this.#opening.set(account, opening);
    return opening;
  }

  async #open(account: string): Promise<Owner> {
    const owner = await this.#store.openAccount(account);
    this.#owners.set(account, owner);
    return owner;
  }

  async close(account: string): Promise<void> {
    const owner = this.#owners.get(account);
    if (owner === undefined) return;
    this.#owners.delete(account);
    try {
      await this.#store.closeAccount(owner);
    } catch (error) {
      // It stays this process's, which harms nobody.
      if (!(error instanceof JournalUnavailable)) throw error;
    }
  }
}
