// Bot tokens: `<digits>:<secret>`. The digits are the bot's number, which is no secret. A secret that begins with
// `sandbox` belongs to the built-in simulator; a token that ends in `/test` means the bot of that number on Telegram's
// test servers, which is another bot.

import { type AccountId, ownIdOf, SANDBOX } from '../../domain/ids.ts';
import type { CredentialRules } from '../platform.ts';

const TEST = '/test';
const TOKEN = /^\d{1,20}:[\w-]{1,100}(\/test)?$/;
// The configuration knows no bots of the test servers.
const CONFIGURED = /^\d{1,20}:[\w-]{1,100}$/;
const ACCOUNT_ID = new RegExp(`^(${SANDBOX}-)?\\d+(:test)?$`);

export function isToken(credential: string): boolean {
  return TOKEN.test(credential);
}

export function isOfTestServers(credential: string): boolean {
  return credential.endsWith(TEST);
}

// `1234:sandbox…`: looked for where the secret begins, so a token cannot name a host in its number.
export function isSandboxToken(token: string): boolean {
  return token.startsWith(SANDBOX, token.indexOf(':') + 1) && token.includes(':');
}

// `42:secret` names 42, `42:secret/test` the bot of that number on the test servers.
export function claimedId(credential: string): string {
  const colon = credential.indexOf(':');
  if (colon < 0) return credential;
  const number = credential.slice(0, colon);
  return isOfTestServers(credential) ? `${number}:test` : number;
}

// The bot's number as the platform and its clients know it.
export function botOf(account: AccountId): string {
  const bare = ownIdOf(account);
  const colon = bare.indexOf(':');
  return colon < 0 ? bare : bare.slice(0, colon);
}

export function virtualToken(account: AccountId, secret: string): string {
  return `${botOf(account)}:${secret}`;
}

export const CREDENTIALS: CredentialRules & { readonly byName: false } = {
  byName: false,
  expected: 'a bot token, <digits>:<letters> (1:sandbox is one of the simulator)',
  isShaped: (credential) => CONFIGURED.test(credential),
  isAccountId: (name) => ACCOUNT_ID.test(name),
  claimedId,
  // With the bot's own number: clients take it for the bot's id.
  virtual: virtualToken,
  // Virtual ones among them, and those of the sandbox.
  secrets: [/(?<!\d)\d+(?::|%3A)(?:sandbox[\w-]*|[A-Za-z0-9_-]{20,})/],
};
