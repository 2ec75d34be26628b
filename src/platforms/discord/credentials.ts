// Who speaks to Discord, by what is presented:
//   a bot token, `<id in base64>.<time>.<secret>`: the bot of that id. `<digits>.sandbox…` is one of the simulator;
//   `webhook/<id>/<token>`: that webhook, which posts to its channel without any bot;
//   `@interactions`: answers to interactions, each with a token of its own in its path, which is proof enough.

import { SANDBOX } from '../../domain/ids.ts';
import type { CredentialRules } from '../platform.ts';

const ID = /^\d{1,20}$/;
const BOT = /^[\w-]{1,64}\.[\w-]{1,64}\.[\w-]{16,128}$/;
const SANDBOX_BOT = new RegExp(`^[\\w-]{1,64}\\.${SANDBOX}[\\w.-]{0,128}$`);
const WEBHOOK = /^webhook\/(\d{1,20})\/([\w-]{1,128})$/;
const ACCOUNT_ID = new RegExp(`^(${SANDBOX}-)?(\\d{1,20}|webhook-\\d{1,20}|interactions)$`);

export const INTERACTIONS = '@interactions';
export const SANDBOX_INTERACTIONS = `@interactions.${SANDBOX}`;
// Of an interaction that nobody here knows: it is no credential, and is refused as what it is.
export const UNKNOWN_INTERACTIONS = '@interactions.unknown';

export type DiscordSpeaker =
  | { readonly kind: 'bot'; readonly id: string }
  | { readonly kind: 'webhook'; readonly id: string; readonly token: string }
  | { readonly kind: 'interactions' };

// null: it is no credential.
export function speakerOf(credential: string): DiscordSpeaker | null {
  if (credential === INTERACTIONS || credential === SANDBOX_INTERACTIONS) {
    return { kind: 'interactions' };
  }
  const webhook = WEBHOOK.exec(credential);
  if (webhook !== null) return { kind: 'webhook', id: webhook[1]!, token: webhook[2]! };
  if (!BOT.test(credential) && !SANDBOX_BOT.test(credential)) return null;
  const id = botIdOf(credential);
  return id === null ? null : { kind: 'bot', id };
}

export function webhookCredential(id: string, token: string): string {
  return `webhook/${id}/${token}`;
}

// Looked for where the secret begins, so that an id cannot name a host.
export function isSandboxCredential(credential: string): boolean {
  if (credential === SANDBOX_INTERACTIONS) return true;
  const webhook = WEBHOOK.exec(credential);
  if (webhook !== null) return webhook[2]!.startsWith(SANDBOX);
  return SANDBOX_BOT.test(credential) && botIdOf(credential) !== null;
}

// The first part of a token is the bot's id: in base64, or in digits for those who type one.
function botIdOf(token: string): string | null {
  const first = token.slice(0, token.indexOf('.'));
  if (ID.test(first)) return first;
  const decoded = Buffer.from(first, 'base64url').toString('latin1');
  return ID.test(decoded) ? decoded : null;
}

export function claimedId(credential: string): string {
  const speaker = speakerOf(credential);
  switch (speaker?.kind) {
    case 'bot':
      return speaker.id;
    case 'webhook':
      return `webhook-${speaker.id}`;
    case 'interactions':
      return 'interactions';
    default:
      return credential;
  }
}

// The part that nobody may see: of a token all behind the bot's id.
export function secretOf(credential: string): string {
  const webhook = WEBHOOK.exec(credential);
  return webhook?.[2] ?? credential.slice(credential.indexOf('.') + 1);
}

export const CREDENTIALS: CredentialRules & { readonly byName: false } = {
  byName: false,
  expected:
    'a bot token, <id>.<time>.<secret>, or webhook/<id>/<token> (7.sandbox is one of the simulator)',
  isShaped(credential) {
    const kind = speakerOf(credential)?.kind;
    return kind === 'bot' || kind === 'webhook';
  },
  isAccountId: (name) => ACCOUNT_ID.test(name),
  claimedId,
  virtual: (_account, secret) => secret,
  secrets: [
    // Ids in base64 begin with one of these letters.
    /(?<![\w-])[MNO][\w-]{10,}\.[\w-]{4,}\.[\w-]{16,}/,
    /(?<![\w-])[\w-]{1,64}\.sandbox[\w.-]*/,
    /(?<=webhooks?\/\d{1,20}\/)[\w-]{8,}/,
    // Of an interaction: `interaction:` in base64.
    /aW50ZXJhY3Rpb246[\w-]+/,
  ],
};
