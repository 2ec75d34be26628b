// Who speaks through a dialect: an account by its own token, or somebody with a virtual one for it. A virtual token
// that is not valid, whatever the reason, is answered as the platform answers a wrong one. It is never shown to the
// platform, nor the account's own token to whoever holds it.

import type { Identity } from '../../accounts/accounts.ts';
import { isVirtualToken, platformOf } from '../../domain/ids.ts';
import type { Bounds } from '../../keys/keys.ts';
import type { Claimant } from '../../system/shares.ts';
import type { IntakeOptions } from '../context.ts';

export interface Speaker extends Claimant {
  readonly kind: 'speaker';
  // The account's own token.
  readonly credential: string;
  // null: it was the account's own token.
  readonly virtual: VirtualSpeaker | null;
}

export interface VirtualSpeaker {
  readonly token: string;
  readonly bounds: Bounds | null;
  readonly namespace: string;
}

type Unknown = Exclude<Identity, { kind: 'known' }> | { readonly kind: 'wrong' };
export type FoundSpeaker = Speaker | Unknown;

const WRONG: Unknown = Object.freeze({ kind: 'wrong' });

export function speakerOf(
  options: Pick<IntakeOptions, 'accounts' | 'guards'>,
  platform: string,
  token: string,
  address: string,
): FoundSpeaker | Promise<FoundSpeaker> {
  if (isVirtualToken(token)) return virtualSpeaker(options, platform, token, address);
  const { accounts } = options;
  const identity = accounts.identify(platform, token, address);
  if (identity instanceof Promise) {
    return identity.then((known) => ownSpeaker(accounts, known, token, address));
  }
  return ownSpeaker(accounts, identity, token, address);
}

function ownSpeaker(
  accounts: IntakeOptions['accounts'],
  identity: Identity,
  credential: string,
  address: string,
): FoundSpeaker {
  if (identity.kind === 'off' || identity.kind === 'taken') return WRONG;
  if (identity.kind !== 'known') return identity;
  const { id: account } = identity;
  const isStranger = !accounts.isConfigured(account);
  return { kind: 'speaker', account, credential, virtual: null, address, isStranger };
}

function virtualSpeaker(
  { accounts, guards }: Pick<IntakeOptions, 'accounts' | 'guards'>,
  platform: string,
  token: string,
  address: string,
): FoundSpeaker {
  const holder = guards.keyring.whose(token);
  if (holder === null) return WRONG;
  const { account, bounds, namespace } = holder;
  // Of another platform: its credential is not for this one's wire.
  if (platformOf(account) !== platform) return WRONG;
  const credential = accounts.credentialOf(account);
  if (credential === null || accounts.isOff(account)) return WRONG;
  const virtual = { token, bounds, namespace };
  // An admin has made the token.
  return { kind: 'speaker', account, credential, virtual, address, isStranger: false };
}
