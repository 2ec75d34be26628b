// The secret by which a webhook call proves that it comes from the platform: the account's own, or one derived from
// the gateway's secret, so that there always is one and nobody has to keep it.

import { createHmac } from 'node:crypto';

export function derivedSecret(gatewaySecret: string, account: string): string {
  return createHmac('sha256', gatewaySecret).update(`webhook\0${account}`).digest('base64url');
}
