// All that guards the routes, put together: who holds which key, who is logged in, who has tried too often, and where
// it is noted what was done.

import type { AuditStore } from '../store/ports/audit.ts';
import type { KeyStore } from '../store/ports/keys.ts';
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
  readonly journal: { readonly keys: KeyStore; readonly audit: AuditStore };
  readonly adminKey: string;
  // See KeyringParts.
  readonly virtualToken: (account: string, secret: string) => string;
  // When a key was used last could not be written.
  readonly onFailure?: (error: unknown) => void;
}

export async function openGuards(parts: GuardsParts): Promise<Guards> {
  const keyring = await Keyring.open(parts);
  return {
    keyring,
    sessions: new Sessions(parts.clock, (holder) => keyring.holds(holder)),
    throttle: new LoginThrottle(),
    audit: parts.journal.audit,
  };
}
