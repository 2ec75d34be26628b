// A bound that many share, such that none can use it up alone: nobody may hold more than is still free. One who wants
// everything gets half, two get a third each, and a newcomer always finds capacity. Strangers (who speak for an account
// that the operator has not configured) have a part of it together, so that however many they are, the rest stays
// free for the configured ones.

// Of the whole, what strangers may hold together.
export const STRANGERS_SHARE = 0.75;

// Who holds something: on behalf of an account, from an address.
export interface Claimant {
  readonly account: string;
  // '': not counted by address (the machine itself, or a caller in process).
  readonly address: string;
  // It speaks for an account that nobody has configured.
  readonly isStranger: boolean;
}

export class Shares {
  readonly #max: number;
  readonly #strangersMax: number;
  readonly #accounts = new Map<string, number>();
  readonly #addresses = new Map<string, number>();
  #held = 0;
  #strangers = 0;

  constructor(max: number, strangersMax = Math.max(1, Math.floor(max * STRANGERS_SHARE))) {
    this.#max = max;
    this.#strangersMax = strangersMax;
  }

  get held(): number {
    return this.#held;
  }

  heldBy(account: string): number {
    return this.#accounts.get(account) ?? 0;
  }

  hasRoomFor({ account, address, isStranger }: Claimant, amount = 1): boolean {
    const free = this.#freeFor(isStranger);
    if ((this.#accounts.get(account) ?? 0) + amount > free) return false;
    // The address of a configured account says nothing: its token has shown whose it is.
    if (!isStranger || address === '') return true;
    return (this.#addresses.get(address) ?? 0) + amount <= free;
  }

  // False: there is no capacity for it, and nothing was taken.
  take(claimant: Claimant, amount = 1): boolean {
    if (!this.hasRoomFor(claimant, amount)) return false;
    this.#change(claimant, amount);
    return true;
  }

  // What is held already, whether there would be capacity for it or not.
  hold(claimant: Claimant, amount: number): void {
    this.#change(claimant, amount);
  }

  give(claimant: Claimant, amount = 1): void {
    this.#change(claimant, -amount);
  }

  #freeFor(isStranger: boolean): number {
    const free = this.#max - this.#held;
    return isStranger ? Math.min(free, this.#strangersMax - this.#strangers) : free;
  }

  #change({ account, address, isStranger }: Claimant, amount: number): void {
    this.#held += amount;
    if (isStranger) this.#strangers += amount;
    add(this.#accounts, account, amount);
    if (isStranger && address !== '') add(this.#addresses, address, amount);
  }
}

function add(counts: Map<string, number>, key: string, amount: number): void {
  const count = (counts.get(key) ?? 0) + amount;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
