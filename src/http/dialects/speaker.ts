// Who speaks through the dialect: a bot by its own token, or somebody with a virtual one for it. A virtual token that
// is not valid, whatever the reason, is answered as Telegram answers a wrong one. It is never shown to Telegram, nor
// the bot's own token to whoever holds it.

import type { Identity } from '../../accounts/accounts.ts';
import { isVirtualToken } from '../../domain/ids.ts';
import type { Bounds } from '../../keys/keys.ts';
import type { Claimant } from '../../system/shares.ts';
import type { IntakeOptions } from '../context.ts';

const PLATFORM = 'telegram';

export interface Speaker extends Claimant {
  readonly kind: 'speaker';
  // The bot's own token.
  readonly credential: string;
  // null: it was the bot's own token.
  readonly virtual: VirtualSpeaker | null;
}

export interface VirtualSpeaker {
  readonly token: string;
  readonly bounds: Bounds | null;
  readonly namespace: string;
}

type Unknown = Exclude<Identity, { kind: 'known' }>;
export type FoundSpeaker = Speaker | Unknown;

const WRONG: Unknown = Object.freeze({ kind: 'refused', status: 401, detail: 'Unauthorized' });

export function speakerOf(
  options: Pick<IntakeOptions, 'accounts' | 'guards'>,
  token: string,
  address: string,
): FoundSpeaker | Promise<FoundSpeaker> {
  if (isVirtualToken(token)) return virtualSpeaker(options, token, address);
  const { accounts } = options;
  const identity = accounts.identify(PLATFORM, token, address);
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
  token: string,
  address: string,
): FoundSpeaker {
  const holder = guards.keyring.whose(token);
  if (holder === null) return WRONG;
  const { account, bounds, namespace } = holder;
  const credential = accounts.credentialOf(account);
  if (credential === null || accounts.isOff(account)) return WRONG;
  const virtual = { token, bounds, namespace };
  // An admin has made the token.
  return { kind: 'speaker', account, credential, virtual, address, isStranger: false };
}
