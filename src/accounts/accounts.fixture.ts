// Accounts on a store in memory and a platform that knows its tokens by their look.

import type { Identified, Platform, Wire } from '../platforms/platform.ts';
import { TELEGRAM } from '../platforms/telegram/definition.ts';
import type { StoredAccount } from '../store/ports/accounts.ts';
import type { AccountsOptions } from './accounts.ts';

export interface AccountsWorld {
  readonly options: AccountsOptions;
  readonly stored: Map<string, StoredAccount>;
  readonly asked: string[];
  tick(ms: number): void;
}

export function world(
  identify: (credential: string) => Promise<Identified> = async (credential) =>
    credential.includes('bad')
      ? { kind: 'refused', status: 401, detail: 'Unauthorized' }
      : { kind: 'known', id: credential.split(':')[0]! },
  extra: Partial<AccountsOptions> = {},
): AccountsWorld {
  const stored = new Map<string, StoredAccount>();
  const asked: string[] = [];
  let now = 1000;
  const wire: Partial<Wire> = {
    identify(credential) {
      asked.push(credential);
      return identify(credential);
    },
  };
  const platform: Partial<Platform> = {
    name: 'telegram',
    credentials: TELEGRAM.credentials,
    wire: wire as Wire,
  };
  return {
    stored,
    asked,
    tick: (ms) => {
      now += ms;
    },
    options: {
      clock: { now: () => now, schedule: () => ({ cancel() {} }) },
      journal: {
        accounts: async () => [...stored.values()],
        saveAccount: async (account) => void stored.set(account.id, account),
        removeAccount: async (id) => void stored.delete(id),
        async renameAccounts(renames) {
          for (const { from, account } of renames) {
            stored.delete(from);
            stored.set(account.id, account);
          }
          return [];
        },
      },
      platforms: new Map([['telegram', platform as Platform]]),
      secret: 'a secret',
      ...extra,
    },
  };
}
