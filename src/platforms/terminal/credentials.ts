// A terminal needs no credential: its name is enough, and the first to say it makes the account.

import type { CredentialRules } from '../platform.ts';

const NAME = /^[\w.-]{1,64}$/;

// There before anyone has named it.
export const NAME_DEFAULT = 'local';

export const CREDENTIALS: CredentialRules & { readonly byName: true } = {
  byName: true,
  expected: '1 to 64 letters, digits, dots, dashes or underscores',
  isShaped: (name) => NAME.test(name),
  isAccountId: () => false,
  claimedId: (name) => name,
  secrets: [],
};
