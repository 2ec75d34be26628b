// Messages whose deletion was accepted here not long ago. An edit of one must not be answered ahead of the platform as
// if it were shown: it goes like any other call, behind the deletion, and its caller has the platform's answer.

import type { NewDelivery } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import type { AskedRoad } from '../road/road.ts';
import type { Appended } from '../store/ports/delivery.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { Clock } from '../system/clock.ts';

// Longer than anybody goes on editing what is gone; then the edit is no live output any more.
const KEPT_MS = 10 * 60_000;
// Of more the oldest are forgotten.
const DELETED_MAX = 20_000;
const NEVER = new AbortController().signal;

type Place = Pick<NewDelivery, 'account' | 'chat'>;

interface Ports {
  readonly road: Pick<AskedRoad, 'submit' | 'touched' | 'ended'>;
  readonly clock: Clock;
  // Of a chat: what was noted of it stays as it was.
  report(error: unknown, about: { id: string; account: AccountId }): void;
}

export class Deletions {
  readonly #p: Ports;
  // By message: when its deletion was handed over; the oldest first.
  readonly #deleted = new Map<string, number>();

  constructor(ports: Ports) {
    this.#p = ports;
  }

  // Noted before it is on disk: an edit may come right behind it.
  async submit(deletion: NewDelivery): Promise<Appended> {
    const { road, clock } = this.#p;
    const at = clock.now();
    const keys = road.touched(deletion).map((message) => keyOf(deletion, message));
    for (const key of keys) this.#note(key, at);
    const takeBack = () => {
      for (const key of keys) if (this.#deleted.get(key) === at) this.#deleted.delete(key);
    };
    try {
      const appended = await road.submit(deletion);
      if (appended.kind === 'accepted') void this.#follow(deletion, appended.queued.seq, takeBack);
      else if (appended.kind !== 'repeated') takeBack();
      return appended;
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  has(place: Place, message: string | null): boolean {
    if (message === null || this.#deleted.size === 0) return false;
    const at = this.#deleted.get(keyOf(place, message));
    return at !== undefined && this.#p.clock.now() - at <= KEPT_MS;
  }

  // One that came to nothing has left its messages as they were. Where nobody knows, they may be gone.
  async #follow({ account, chat }: Place, seq: number, takeBack: () => void): Promise<void> {
    try {
      const { state } = await this.#p.road.ended(seq, NEVER);
      if (state !== 'sent' && state !== 'uncertain') takeBack();
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) this.#p.report(error, { id: chat, account });
    }
  }

  #note(key: string, at: number): void {
    this.#deleted.delete(key);
    this.#deleted.set(key, at);
    for (const [oldest, since] of this.#deleted) {
      if (this.#deleted.size <= DELETED_MAX && at - since <= KEPT_MS) break;
      this.#deleted.delete(oldest);
    }
  }
}

function keyOf({ account, chat }: Place, message: string): string {
  return `${account}|${chat}|${message}`;
}
