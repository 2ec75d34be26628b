// What every node keeps in memory and others change. It is read again only where the store says that it has changed; a
// notice that comes while it is being read is of the next time, however many come.

import type { Accounts } from '../accounts/accounts.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Sessions } from '../keys/sessions.ts';
import type { Clock } from '../system/clock.ts';
import { coalesced } from '../system/coalesced.ts';

// What every node keeps in memory and reads again when another changes it.
export interface SharedTruth {
  readonly accounts: Pick<Accounts, 'reload' | 'listen' | 'get'>;
  readonly keyring: Pick<Keyring, 'reload' | 'listen' | 'shareRates'>;
  readonly sessions: Pick<Sessions, 'reload' | 'listen'>;
}

// So long after it was read it is read whatever the store says: what was left out for a write that failed is found.
const REREAD_ANYWAY_MS = 600_000;

export function rereadWhenChanged(
  clock: Pick<Clock, 'now'>,
  // How often it was changed.
  changes: () => Promise<number>,
  reread: () => Promise<void>,
): () => Promise<void> {
  let known: number | null = null;
  let readAt = 0;
  return coalesced(async () => {
    // Asked before it is read: what is changed meanwhile is read again.
    const found = await changes();
    const now = clock.now();
    if (found === known && now - readAt < REREAD_ANYWAY_MS) return;
    await reread();
    known = found;
    readAt = now;
  });
}
