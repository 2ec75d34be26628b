// The port of accounts: whose token is it, sealed; and another id for one that goes by a new name.

import type { AccountId } from '../../domain/ids.ts';

export interface AccountStore {
  saveAccount(account: StoredAccount): Promise<void>;
  // What is kept of it elsewhere (deliveries, limits) stays. An id that is not there is no error.
  removeAccount(id: AccountId): Promise<void>;
  accounts(): Promise<StoredAccount[]>;
  // Other ids for accounts, in everything that names them, all of it in one transaction. To be done before anything is
  // read. Answers those of the new ids that something in the store names already, an account or what one that was
  // removed has left behind: then nothing is changed, as the two could not be told apart again.
  renameAccounts(renames: readonly AccountRename[]): Promise<readonly AccountId[]>;
}

export interface AccountRename {
  readonly from: string;
  // As it is kept from now on; its id is the new one, and was nobody's before.
  readonly account: StoredAccount;
}

export interface StoredAccount {
  // `<platform>:<the platform's own id of it>`.
  readonly id: AccountId;
  readonly platform: string;
  // The credential, sealed; see accounts/.
  readonly sealed: string;
  readonly paused: boolean;
  // Why the platform refuses the account itself (revoked token); null: it does not.
  readonly refused: string | null;
  readonly createdAt: number;
}
