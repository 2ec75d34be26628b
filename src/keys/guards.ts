// All that guards the routes, put together: who holds which key, who is logged in, who has tried too often, and where
// it is noted what was done.

import type { AccountId } from '../domain/ids.ts';
import type { AuditStore } from '../store/ports/audit.ts';
import type { GuardStores } from '../store/ports/keys.ts';
import type { Clock } from '../system/clock.ts';
import { Keyring } from './keyring.ts';
import { Sessions } from './sessions.ts';
import { LoginThrottle } from './throttle.ts';

export interface Guards {
  readonly keyring: Keyring;
  readonly sessions: Sessions;
  readonly throttle: LoginThrottle;
  readonly audit: AuditStore;
}

export interface GuardsParts {
  readonly clock: Clock;
  readonly journal: GuardStores;
  readonly adminKey: string;
  // See KeyringParts.
  readonly virtualToken: (account: AccountId, secret: string) => string;
  // When a key was used last, or who is logged in, could not be written.
  readonly onFailure?: (error: unknown) => void;
}

export async function openGuards(parts: GuardsParts): Promise<Guards> {
  const keyring = await Keyring.open(parts);
  const { clock, journal, onFailure = () => {} } = parts;
  const sessions = await Sessions.open(clock, (holder) => keyring.holds(holder), {
    store: journal.sessions,
    known: (id) => keyring.known(id),
    onFailure,
  });
  return {
    keyring,
    sessions,
    throttle: new LoginThrottle(),
    audit: parts.journal.audit,
  };
}
