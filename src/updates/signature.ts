// Signs what is posted on to the app, as Standard Webhooks says (https://www.standardwebhooks.com): an HMAC-SHA256 over
// id, time and body under a secret of the account. The id names the update, so it is the same however often it is
// posted; the time is that of the attempt, so that a recorded post is worthless after a few minutes.

import { createHmac } from 'node:crypto';
import type { AccountId } from '../domain/ids.ts';

const SIGNING_SECRET_PREFIX = 'whsec_';

interface Signed {
  // Must not contain a full stop: it would not be known where the id ends.
  readonly id: string;
  readonly at: number;
  readonly body: string;
  // The current one, and while it is being replaced the one before.
  readonly secrets: readonly string[];
}

export function derivedSigningSecret(gatewaySecret: string, account: string): string {
  const key = createHmac('sha256', gatewaySecret).update(`webhook signature\0${account}`);
  return `${SIGNING_SECRET_PREFIX}${key.digest('base64')}`;
}

export function signedHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const content = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, content)).join(' '),
  };
}

export function webhookId(account: AccountId, updateId: string): string {
  return `${account}:${updateId}`.replaceAll('.', '_');
}

function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SIGNING_SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
