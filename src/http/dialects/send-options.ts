// The send options in the headers of a dialect's call: RFC 7240 Prefer, RFC 9218 Priority, and Sluice's own.
// Clients that know nothing of Sluice send none of these, and get what the gateway is set to.

import type { IncomingHttpHeaders } from 'node:http';
import { NAME_LENGTH_MAX, YEAR_S } from '../../accept/context.ts';
import { NO_SEND_OPTIONS, type SendOptions } from '../../accept/draft.ts';
import { priorityOfUrgency } from '../../domain/priority.ts';
import type { IntakeSettings } from '../context.ts';

// How long a caller holds the line: until the end, for a time (then it is withdrawn), or not at all.
export type Patience = IntakeSettings['wait'];

export type ReadSendOptions =
  | { kind: 'read'; sendOptions: SendOptions; patience: Patience }
  | { kind: 'wrong'; header: string; expected: string };

export function readSendOptions(
  headers: IncomingHttpHeaders,
  settings: IntakeSettings,
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
  settings: IntakeSettings,
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
