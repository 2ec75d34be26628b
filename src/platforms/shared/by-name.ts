// Platforms whose accounts have no credential: an account is called by a name, and the first to say it makes it.

import type { CredentialRules, Wire } from '../platform.ts';

export interface NamedAccounts extends Pick<Wire, 'identify'> {
  readonly credentials: CredentialRules & { readonly byName: true };
}

// `expected`: what a name looks like, for people.
export function byName(shape: RegExp, expected: string): NamedAccounts {
  const isShaped = (name: string) => shape.test(name);
  return {
    credentials: {
      byName: true,
      expected,
      isShaped,
      isAccountId: () => false,
      claimedId: (name) => name,
      secrets: [],
    },
    // Without quoting it: what is no name may be a token that was meant for another platform.
    identify: async (name) =>
      isShaped(name)
        ? { kind: 'known', id: name }
        : { kind: 'refused', status: 422, detail: `an account is called by ${expected}` },
  };
}
