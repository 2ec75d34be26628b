// Who calls through a dialect, and what its headers ask. An account speaks by its own token, or somebody for it by a
// virtual one. A virtual token that is not valid, whatever the reason, is answered as the platform answers a wrong one.
// It is never shown to the platform, nor the account's own token to whoever holds it.

import type { IncomingHttpHeaders } from 'node:http';
import { NAME_LENGTH_MAX, YEAR_S } from '../../accept/context.ts';
import { NO_SEND_OPTIONS, type SendOptions } from '../../accept/draft.ts';
import type { Identity } from '../../accounts/accounts.ts';
import { type AccountId, isVirtualToken, platformOf } from '../../domain/ids.ts';
import { priorityOfUrgency } from '../../domain/priority.ts';
import type { Bounds } from '../../keys/keys.ts';
import type { Claimant } from '../../system/shares.ts';
import type { HttpParts, HttpSettings } from '../context.ts';

export interface Speaker extends Claimant {
  readonly kind: 'speaker';
  readonly account: AccountId;
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
  options: Pick<HttpParts, 'accounts' | 'guards'>,
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
  accounts: HttpParts['accounts'],
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
  { accounts, guards }: Pick<HttpParts, 'accounts' | 'guards'>,
  platform: string,
  token: string,
  address: string,
): FoundSpeaker {
  const holder = guards.keyring.whose(token);
  if (holder === null) return WRONG;
  const { account, bounds, namespace } = holder;
  // Of another platform: its credential is not for this one's wire.
  if (account === null || platformOf(account) !== platform) return WRONG;
  const credential = accounts.credentialOf(account);
  if (credential === null || accounts.isOff(account)) return WRONG;
  const virtual = { token, bounds, namespace };
  // An admin has made the token.
  return { kind: 'speaker', account, credential, virtual, address, isStranger: false };
}

// The send options in the headers of a dialect's call: RFC 7240 Prefer, RFC 9218 Priority, and Sluice's own.
// Clients that know nothing of Sluice send none of these, and get what the gateway is set to.

// How long a caller holds the line: until the end, for a time (then it is withdrawn), or not at all.
export type Patience = HttpSettings['wait'];

export type ReadSendOptions =
  | { kind: 'read'; sendOptions: SendOptions; patience: Patience }
  | { kind: 'wrong'; header: string; expected: string };

export function readSendOptions(
  headers: IncomingHttpHeaders,
  settings: HttpSettings,
): ReadSendOptions {
  const ttl = readTtl(headers['x-sluice-ttl']);
  if (Number.isNaN(ttl)) {
    return wrong('X-Sluice-TTL', `seconds, more than 0 and at most ${YEAR_S}`);
  }
  const texts = [
    'x-sluice-session',
    'x-correlation-id',
    'idempotency-key',
    'x-sluice-user',
  ] as const;
  for (const name of texts) {
    if (!isShort(headers[name])) return wrong(name, `1 to ${NAME_LENGTH_MAX} characters`);
  }
  const patience = readPatience(headers.prefer, settings);
  const [session, correlation, idempotencyKey, user] = texts.map((name) => textOf(headers[name]));
  return {
    kind: 'read',
    sendOptions: {
      ...NO_SEND_OPTIONS,
      priority: readPriority(headers.priority),
      session: session ?? null,
      user: user ?? null,
      correlation: correlation ?? null,
      idempotencyKey: idempotencyKey ?? null,
      ttlMs: ttl === null ? null : ttl * 1000,
      held: patience.kind !== 'async',
    },
    patience,
  };
}

function wrong(header: string, expected: string): ReadSendOptions {
  return { kind: 'wrong', header, expected };
}

function textOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function isShort(value: string | string[] | undefined): boolean {
  if (value === undefined) return true;
  return typeof value === 'string' && value.length > 0 && value.length <= NAME_LENGTH_MAX;
}

// NaN: given, and wrong.
function readTtl(value: string | string[] | undefined): number | null {
  if (value === undefined) return null;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return seconds > 0 && seconds <= YEAR_S ? seconds : Number.NaN;
}

// As RFC 9218 asks, what cannot be read is ignored.
function readPriority(value: string | string[] | undefined): SendOptions['priority'] {
  const urgency = typeof value === 'string' ? /(?:^|[,\s])u=([0-7])\b/.exec(value)?.[1] : undefined;
  return urgency === undefined ? NO_SEND_OPTIONS.priority : priorityOfUrgency(Number(urgency));
}

export function readPatience(
  value: string | string[] | undefined,
  settings: HttpSettings,
): Patience {
  if (value === undefined) return settings.wait;
  const preferences = [value].flat().join(',');
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})\b/i.exec(preferences)?.[1];
  if (/(?:^|[,;\s])respond-async\b/i.test(preferences) && seconds === undefined) {
    return { kind: 'async' };
  }
  if (seconds === undefined) return settings.wait;
  return { kind: 'seconds', seconds: Math.min(Number(seconds), settings.waitSMax) };
}
