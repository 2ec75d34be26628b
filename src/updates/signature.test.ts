import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../system/clock.ts';
import { derivedSigningSecret, signedHeaders, webhookId } from './signature.ts';
import { isGenuine } from './verifier.fixture.ts';

const AT = 1_900_000_000_500;
const BODY = '{"update_id":7,"message":{"text":"ü🙂"}}';
const OURS = derivedSigningSecret('the gateway’s', 'telegram:42');

const signed = (secrets = [OURS]) =>
  signedHeaders({ id: webhookId('telegram:42', '7'), at: AT, body: BODY, secrets });

test('the vector that the standard publishes', () => {
  const secret = `whsec_${'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}`;
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const given = { id, at: 1_614_265_330_000, body: '{"test": 2432232314}', secrets: [secret] };
  expect(signedHeaders(given)).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

describe('a receiver', () => {
  test('takes what was signed, and nothing that was changed', async () => {
    const headers = signed();
    expect(await isGenuine({ headers, body: BODY }, OURS, AT)).toBe(true);
    expect(await isGenuine({ headers, body: `${BODY} ` }, OURS, AT)).toBe(false);
    const later = { ...headers, 'webhook-timestamp': '1900000001' };
    expect(await isGenuine({ headers: later, body: BODY }, OURS, AT)).toBe(false);
    const renamed = { ...headers, 'webhook-id': 'telegram:42:8' };
    expect(await isGenuine({ headers: renamed, body: BODY }, OURS, AT)).toBe(false);
  });

  test('does not take another account’s, nor one of another gateway', async () => {
    for (const other of [
      derivedSigningSecret('the gateway’s', 'telegram:43'),
      derivedSigningSecret('another', 'telegram:42'),
    ]) {
      expect(await isGenuine({ headers: signed([other]), body: BODY }, OURS, AT)).toBe(false);
    }
  });

  test('does not take a replay after five minutes', async () => {
    const post = { headers: signed(), body: BODY };
    expect(await isGenuine(post, OURS, AT + 299_000)).toBe(true);
    expect(await isGenuine(post, OURS, AT + 301_000)).toBe(false);
  });

  test('takes either of two secrets while one replaces the other', async () => {
    const before = derivedSigningSecret('the one before', 'telegram:42');
    const headers = signed([OURS, before]);
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    expect(await isGenuine({ headers, body: BODY }, OURS, AT)).toBe(true);
    expect(await isGenuine({ headers, body: BODY }, before, AT)).toBe(true);
  });
});

test('an id has no full stop, which ends it in what is signed', () => {
  expect(webhookId('matrix:@bot.example.org', 'a.7')).toBe('matrix:@bot_example_org:a_7');
});

test('a derived secret is one of the standard: 32 bytes in base64', () => {
  expect(OURS).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('the lines for Node in docs/use/updates.md verify it', async () => {
  const page = readFileSync(new URL('../../docs/use/updates.md', import.meta.url), 'utf8');
  const lines = /```js\n(.*?)```/s.exec(page)![1]!;
  const module = `data:text/javascript,${encodeURIComponent(`${lines}\nexport { isGenuine };`)}`;
  const { isGenuine: documented } = (await import(/* @vite-ignore */ module)) as {
    isGenuine(headers: object, body: string, secret: string): boolean;
  };
  const id = webhookId('telegram:42', '7');
  const before = derivedSigningSecret('the one before', 'telegram:42');
  const secrets = [OURS, before];
  const now = signedHeaders({ id, at: systemClock().now(), body: BODY, secrets });
  expect(documented(now, BODY, OURS)).toBe(true);
  expect(documented(now, BODY, before)).toBe(true);
  expect(documented(now, `${BODY} `, OURS)).toBe(false);
  expect(documented(now, BODY, derivedSigningSecret('x', 'telegram:42'))).toBe(false);
  const old = signedHeaders({ id, at: systemClock().now() - 301_000, body: BODY, secrets });
  expect(documented(old, BODY, OURS)).toBe(false);
  expect(documented({}, BODY, OURS)).toBe(false);
});
