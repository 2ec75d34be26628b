// An account is a phone number: `<phone number id>:<access token>`. Meta's tokens do not tell which number they are
// meant for, and one token may serve many, so the id stands before it. A token that begins with `sandbox` belongs to
// the built-in simulator.

import { ownIdOf, SANDBOX } from '../../domain/ids.ts';
import type { CredentialRules } from '../platform.ts';

const CREDENTIAL = /^\d{1,30}:[\w-]{1,512}$/;
const ACCOUNT_ID = new RegExp(`^(${SANDBOX}-)?\\d+$`);

function isCredential(text: string): boolean {
  return CREDENTIAL.test(text);
}

export function numberOf(credential: string): string {
  return credential.slice(0, Math.max(0, credential.indexOf(':')));
}

export function tokenOf(credential: string): string {
  return credential.slice(credential.indexOf(':') + 1);
}

export function isSandboxToken(credential: string): boolean {
  return credential.includes(':') && tokenOf(credential).startsWith(SANDBOX);
}

export const CREDENTIALS: CredentialRules & { readonly byName: false } = {
  byName: false,
  expected:
    'a phone number id and its access token, <digits>:<token> (7:sandbox is one of the simulator)',
  isShaped: isCredential,
  isAccountId: (name) => ACCOUNT_ID.test(name),
  claimedId: (credential) => numberOf(credential) || credential,
  virtual: (account, secret) => `${ownIdOf(account)}:${secret}`,
  // With the number before them, virtual ones among them, and as Meta makes them.
  secrets: [
    /(?<!\d)\d+(?::|%3A)(?:sandbox[\w-]*|[\w-]{20,})/,
    /\bEAA[A-Za-z0-9]{20,}/,
    /\bBearer [\w:-]{8,}/i,
  ],
};
