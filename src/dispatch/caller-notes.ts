// Which callers still wait for their answer, written down for the next process.

import type { AccountId } from '../domain/ids.ts';
import type { CallerStore, Unanswered, UnansweredBounds } from '../store/ports/callers.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { AccountOwners } from './state.ts';

export interface CallerPorts {
  readonly journal: { readonly callers: CallerStore };
  readonly owners: Pick<AccountOwners, 'open'>;
  readonly fatal: (error: unknown) => void;
}

export class CallerNotes {
  readonly #p: CallerPorts;

  constructor(ports: CallerPorts) {
    this.#p = ports;
  }

  // Only the next process reads it: that the store cannot be written now is no reason to fail.
  note(account: AccountId, seq: number, isThere: boolean): void {
    this.#write(account, seq, isThere).catch((error: unknown) => {
      if (!(error instanceof JournalUnavailable)) this.#p.fatal(error);
    });
  }

  async #write(account: AccountId, seq: number, isThere: boolean): Promise<void> {
    const owner = await this.#p.owners.open(account);
    await this.#p.journal.callers.caller(owner, seq, isThere);
  }

  unanswered(bounds: UnansweredBounds): Promise<Unanswered[]> {
    return this.#p.journal.callers.unanswered(bounds);
  }
}
