// As whose owner the road writes. An account is opened in the store when something of it first appears, and closed when
// it is forgotten; in between its epoch is at hand, so that no message waits for it.

import type { Owner, OwnershipStore } from '../../store/ports/ownership.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { assert } from '../../system/assert.ts';

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
