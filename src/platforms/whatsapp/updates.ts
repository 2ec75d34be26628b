// What WhatsApp's webhooks mean to delivery: a signature of each post with the app's secret, the question by which a
// webhook is verified, who wrote, and what became of messages.

import { createHmac } from 'node:crypto';
import { scalarText } from '../../domain/scalar.ts';
import { isSameSecret } from '../../system/same-secret.ts';
import type { UpdateReading } from '../updates.ts';
import { numberOfAccount } from './credentials.ts';
import { DAY_MS } from './limits.ts';
import { partsOf, readUpdate } from './read-update.ts';

const SIGNATURE_HEADER = 'x-hub-signature-256';
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;
const NOTHING_ASKED = { offset: 0, limit: 100, timeoutMs: 0, allowed: [] };

export const UPDATES: UpdateReading = {
  verify(headers, rawBody, secret) {
    const given = headers[SIGNATURE_HEADER];
    if (typeof given !== 'string' || !SIGNATURE.test(given)) return false;
    return rawBody === null || isSameSecret(given, signatureOf(rawBody, secret));
  },
  proofOf: (rawBody, secret) => ({ [SIGNATURE_HEADER]: signatureOf(rawBody, secret) }),
  idOf: numberOfAccount,
  read: readUpdate,
  parts: partsOf,
  // A day after a user's last word everything but a template is refused.
  replyWindowMs: DAY_MS,
  challenge: {
    tokenOf: verifyToken,
    answer(query, secret) {
      if (query['hub.mode'] !== 'subscribe') return null;
      const token = scalarText(query['hub.verify_token']);
      return isSameSecret(token, verifyToken(secret)) ? scalarText(query['hub.challenge']) : null;
    },
  },
  // Users write to a number, and mention nobody.
  namesSomeone: () => false,
  nameCall: { method: 'GET /v23.0/me', body: '{}' },
  nameIn: () => null,
  callIn: () => null,
  readPoll: () => NOTHING_ASKED,
  isAsked: () => true,
};

function signatureOf(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

// It stands in a URL and on a page of Meta's, so it is not the secret itself.
function verifyToken(secret: string): string {
  return createHmac('sha256', secret).update('verify token').digest('base64url').slice(0, 32);
}
