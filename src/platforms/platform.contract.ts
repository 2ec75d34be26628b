// What the road relies on, whatever the platform: run against each one's simulator or a fake wire.
// The suite drives the platform only through its port; the fixture decides what the wire does.

import { afterEach, describe, expect, test } from 'vitest';
import { FAMILIES, GATES } from '../domain/call.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Charge } from '../limits/limits.ts';
import type { Platform } from './platform.ts';

// How the wire treats the next call.
export type Weather = 'fine' | 'limited' | 'refused' | 'account_refused' | 'lost' | 'unsent';

export interface PlatformFixture {
  readonly platform: Platform;
  readonly credential: string;
  // The part of the credential that nobody may see.
  readonly secret: string;
  // The platform's own id of the account.
  readonly accountId: string;
  // A message in a thread, an edit of it, and a call that is not a delivery.
  readonly message: Call & { readonly chat: string; readonly thread: string | null };
  readonly edit: Call;
  readonly read: Call;
  // What the platform asks to wait when the weather is `limited`.
  readonly retryAfterMs: number;
  next(weather: Weather): void;
}

interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const DEADLINE_MS = 2_000;

export function platformContract(name: string, open: () => Promise<PlatformFixture>): void {
  describe(`${name} keeps the platform contract`, () => {
    let fixture: PlatformFixture | null = null;

    afterEach(async () => {
      await fixture?.platform.close();
      fixture = null;
    });

    async function fresh(): Promise<PlatformFixture> {
      fixture = await open();
      return fixture;
    }

    async function attempt(from: PlatformFixture, weather: Weather): Promise<Outcome> {
      const { platform, credential, message, secret } = from;
      from.next(weather);
      const body = JSON.stringify(message.params);
      const call = { credential, method: message.method, body, deadlineMs: DEADLINE_MS };
      const outcome = platform.classify(message.method, await platform.send(call));
      expect(JSON.stringify(outcome)).not.toContain(secret);
      return outcome;
    }

    test('a message is sent and has an id', async () => {
      const outcome = await attempt(await fresh(), 'fine');
      expect(outcome).toMatchObject({ kind: 'sent', messageId: expect.stringMatching(/./) });
    });

    test('a wait is taken to the second', async () => {
      const from = await fresh();
      const { retryAfterMs } = from;
      expect(await attempt(from, 'limited')).toMatchObject({ kind: 'limited', retryAfterMs });
    });

    test('a no is a no, with a reason', async () => {
      const outcome = await attempt(await fresh(), 'refused');
      expect(outcome).toMatchObject({
        kind: 'refused',
        reason: expect.stringMatching(/^[a-z_]+$/),
        detail: expect.stringMatching(/./),
      });
    });

    test('a refused account is told apart from a refused message', async () => {
      const from = await fresh();
      expect(await attempt(from, 'account_refused')).toMatchObject({ reason: 'unauthorized' });
      expect(await attempt(from, 'refused')).not.toMatchObject({ reason: 'unauthorized' });
    });

    test('no answer after the write is uncertain', async () => {
      expect((await attempt(await fresh(), 'lost')).kind).toBe('uncertain');
    });

    test('no answer before the write is safe to repeat', async () => {
      expect((await attempt(await fresh(), 'unsent')).kind).toBe('failed');
    });

    test('what is addressed is described alike', async () => {
      const { platform, message } = await fresh();
      const described = platform.describe(message.method, message.params);
      expect(described).toMatchObject({ kind: 'call', chat: message.chat, thread: message.thread });
      const params = platform.address({}, { chat: message.chat, thread: message.thread });
      const again = platform.describe(message.method, { ...message.params, ...params });
      expect(again).toEqual(described);
    });

    test('edits of one message share a slot, messages do not', async () => {
      const { platform, message, edit } = await fresh();
      const slot = { kind: 'call', slot: expect.any(String) };
      expect(platform.describe(edit.method, edit.params)).toMatchObject(slot);
      expect(platform.describe(message.method, message.params)).toMatchObject({ slot: null });
      expect(platform.isIdempotent(edit.method)).toBe(true);
      expect(platform.isIdempotent(message.method)).toBe(false);
    });

    test('reads are no deliveries', async () => {
      const { platform, read } = await fresh();
      expect(platform.describe(read.method, read.params).kind).toBe('pass');
    });

    test('plans are made once: equal charges have the same plan, and it is frozen', async () => {
      const { platform, message } = await fresh();
      for (const family of FAMILIES) {
        for (const gate of GATES) {
          const charge = (): Charge => ({
            ...{ chat: message.chat, user: null, family, gate, live: false, cost: 1 },
          });
          const plan = platform.planOf(charge());
          expect(platform.planOf(charge())).toBe(plan);
          expect([plan, plan.account, plan.chat].every(Object.isFrozen)).toBe(true);
          expect(plan.account.every(({ scope }) => scope === 'account')).toBe(true);
          expect(plan.chat.every(({ scope }) => scope !== 'account')).toBe(true);
        }
      }
    });

    test('the account is known by its credential; a wrong one is refused, never quoted', async () => {
      const { platform, credential, accountId, secret } = await fresh();
      expect(await platform.identify(credential)).toEqual({ kind: 'known', id: accountId });
      const wrong = await platform.identify(`not a credential ${secret}`);
      expect(wrong.kind).toBe('refused');
      expect(JSON.stringify(wrong)).not.toContain(secret);
    });

    test('an unreachable platform is not a refusal', async () => {
      const { platform, credential, next } = await fresh();
      next('unsent');
      expect((await platform.identify(credential)).kind).toBe('unreachable');
    });
  });
}
