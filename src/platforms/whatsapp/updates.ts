// What WhatsApp's webhooks mean to delivery: a signature of each post with the app's secret, the question by which a
// webhook is verified, who wrote, and what became of messages.

import { createHmac } from 'node:crypto';
import { ownIdOf } from '../../domain/ids.ts';
import { scalarText } from '../../domain/scalar.ts';
import { isSameSecret } from '../../system/same-secret.ts';
import { signedPosts } from '../shared/signed.ts';
import { POSTED_ONLY, type UpdateReading } from '../updates.ts';
import { DAY_MS } from './limits.ts';
import { partsOf, readUpdate } from './read-update.ts';

export const UPDATES: UpdateReading = {
  // Users write to a number, and mention nobody.
  ...POSTED_ONLY,
  ...signedPosts({ header: 'x-hub-signature-256', prefix: 'sha256=' }),
  idOf: ownIdOf,
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
};

// It stands in a URL and on a page of Meta's, so it is not the secret itself.
function verifyToken(secret: string): string {
  return createHmac('sha256', secret).update('verify token').digest('base64url').slice(0, 32);
}
