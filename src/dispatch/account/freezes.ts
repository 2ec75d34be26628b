// Which freezes hold now, kept from the road's events so that nobody has to walk all chats to know. What was frozen
// before is read from the limits of an account once, when somebody first looks after it was opened or taken over.

import type { RoadEvent } from '../../domain/event.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { AccountLimits } from '../../limits/limits.ts';
import type { Frozen } from '../../road/road.ts';

// More than this are not listed; the limits still keep them.
const FREEZES_MAX = 10_000;

export class ActiveFreezes {
  readonly #byAccount = new Map<AccountId, Map<string, Frozen>>();
  readonly #read = new Set<AccountId>();
  #count = 0;

  readonly note = (event: RoadEvent): void => {
    if (event.kind !== 'frozen') return;
    const { account, until, cause, at } = event;
    const colon = event.scope.indexOf(':');
    const scope = event.scope.slice(0, colon);
    this.#keep({ account, scope, name: event.scope.slice(colon + 1), since: at, until, cause });
  };

  // Its limits are others now, or it is not here any more.
  forget(account: AccountId): void {
    this.#read.delete(account);
    this.#count -= this.#byAccount.get(account)?.size ?? 0;
    this.#byAccount.delete(account);
  }

  // Those that end last come first.
  active(accounts: Iterable<readonly [AccountId, AccountLimits]>, now: number): Frozen[] {
    const found: Frozen[] = [];
    for (const [account, limits] of accounts) {
      if (!this.#read.has(account)) this.#readFrom(account, limits, now);
      const own = this.#byAccount.get(account);
      for (const [key, frozen] of own ?? []) {
        if (frozen.until > now) found.push(frozen);
        else if (own!.delete(key)) this.#count -= 1;
      }
    }
    return found.sort((a, b) => b.until - a.until);
  }

  #readFrom(account: AccountId, limits: AccountLimits, now: number): void {
    this.#read.add(account);
    for (const { chat, freezes } of limits.view(now, FREEZES_MAX)) {
      for (const freeze of freezes) this.#keep({ ...freeze, account, name: chat });
    }
  }

  #keep(frozen: Frozen): void {
    const key = JSON.stringify([frozen.scope, frozen.name]);
    const own = this.#byAccount.get(frozen.account) ?? new Map<string, Frozen>();
    if (!own.has(key)) {
      if (this.#count >= FREEZES_MAX) return;
      this.#count += 1;
    }
    this.#byAccount.set(frozen.account, own.set(key, frozen));
  }
}
