// A receiver's side of Standard Webhooks, written from the specification and with another API than the sender's.

const TOLERANCE_S = 300;

interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export async function isGenuine(
  { headers, body }: Received,
  secret: string,
  nowMs: number,
): Promise<boolean> {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  if (!/^\d+$/.test(timestamp)) return false;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const [prefix, base64] = secret.split('_');
  if (prefix !== 'whsec') return false;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = Buffer.from(base64!, 'base64');
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const each of String(headers['webhook-signature']).split(' ')) {
    const [version, signature] = each.split(',');
    if (version !== 'v1') continue;
    if (await crypto.subtle.verify('HMAC', key, Buffer.from(signature!, 'base64'), content)) {
      return true;
    }
  }
  return false;
}
