// An account is one app in one workspace, known by its bot token: `xoxb-<workspace>-<bot>-<secret>`, whose two numbers
// stay when the secret is made anew. `xoxb-1-1-sandbox…` is one of the built-in simulator.

import { SANDBOX } from '../../domain/ids.ts';
import type { CredentialRules } from '../platform.ts';

const TOKEN = /^xoxb-(\d{1,20}-\d{1,20})-([A-Za-z0-9]{1,128})$/;

export const secretOf = (credential: string) => TOKEN.exec(credential)?.[2] ?? credential;
export const isSandbox = (credential: string) =>
  TOKEN.exec(credential)?.[2]?.startsWith(SANDBOX) === true;

export const CREDENTIALS: CredentialRules & { readonly byName: false } = {
  byName: false,
  expected: 'a bot token, xoxb-<digits>-<digits>-<secret> (simulator: xoxb-1-1-sandbox)',
  isShaped: (credential) => TOKEN.test(credential),
  isAccountId: (name) => /^(?:sandbox-)?\d{1,20}-\d{1,20}$/.test(name),
  claimedId: (credential) => TOKEN.exec(credential)?.[1] ?? credential,
  virtual: (_account, secret) => secret,
  // Of every kind: of bots, people, apps, and those that make others.
  secrets: [/\bxox[a-z](?:\.xox[a-z])?-[\w-]+/, /\bxapp-[\w-]+/],
};
