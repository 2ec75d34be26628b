import { beforeEach, describe, expect, test } from 'vitest';
import { virtualToken } from '../platforms/telegram/credentials.ts';
import { createMemoryDisk, createMemoryStore } from '../store/memory/memory.ts';
import type { Store } from '../store/ports/store.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import { ADMIN, Keyring, type NewKeyRequest } from './keyring.ts';
import { NO_SCOPE } from './scope.ts';

const START = 1_900_000_000_000;
const DAY_MS = 86_400_000;
const disk = createMemoryDisk();
let clock: VirtualClock;
let journal: Store;
let ring: Keyring;

beforeEach(async () => {
  clock = virtualClock(START);
  disk.keys.clear();
  journal = createMemoryStore(disk).journal;
  ring = await open();
});

function open(): Promise<Keyring> {
  return Keyring.open({ clock, journal, adminKey: 'the admin key', virtualToken });
}

async function created(changes: Partial<NewKeyRequest> = {}) {
  const request = { kind: 'key', name: 'ci', role: 'sender', scope: NO_SCOPE, expiresAt: null };
  const made = await ring.create({ ...request, ...changes } as NewKeyRequest);
  if (made.kind !== 'created') throw new Error(made.kind);
  return made;
}

const OF_BOT = { kind: 'virtual', scope: { ...NO_SCOPE, accounts: ['telegram:42'] } } as const;

describe('keys', () => {
  test('the admin key is one, an empty one is none', async () => {
    expect(ring.who('the admin key')).toBe(ADMIN);
    expect(ring.who('the admin ke')).toBeNull();
    const bare = await Keyring.open({ clock, journal, adminKey: '', virtualToken });
    expect(bare.who('')).toBeNull();
  });

  test('are shown once, kept by their hash, and known after a restart', async () => {
    const { secret, key } = await created();
    expect(secret).toMatch(/^sluice_[\w-]{43}$/);
    expect(JSON.stringify([...disk.keys.values()])).not.toContain(secret.slice(7));
    expect(JSON.stringify([key, await ring.list({ after: '', max: 9 })])).not.toContain('hash');
    for (const each of [ring, await open()]) {
      expect(each.who(secret)).toMatchObject({ id: key.id, name: 'ci', role: 'sender' });
    }
    expect(ring.who(secret)!.bounds).toBeNull();
    expect((await created()).secret).not.toBe(secret);
  });

  test('are validated by their hash alone: the store is asked nothing, however many there are', async () => {
    const { secret } = await created();
    const { secret: gone } = await created({ expiresAt: START + 1 });
    for (let n = 0; n < 500; n++) await created();
    const asked: string[] = [];
    const keys = new Proxy(journal.keys, {
      get(target, name) {
        asked.push(String(name));
        return Reflect.get(target, name);
      },
    });
    const parts = { clock, journal: { keys }, adminKey: '', virtualToken };
    const again = await Keyring.open(parts);
    expect(asked.every((name) => name === 'page')).toBe(true);
    asked.length = 0;
    await clock.run(START + 2);
    expect(again.who(secret)).not.toBeNull();
    expect([again.who(gone), again.who('sluice_none')]).toEqual([null, null]);
    expect(asked).toEqual([]);
  });

  test('whose bounds cannot be read open nothing, and keep no other from being held', async () => {
    const { secret, key } = await created({ scope: { ...NO_SCOPE, chats: ['5'], perMinute: 5 } });
    const stored = disk.keys.get(key.id)!;
    const texts = [
      ...['{"chats":', '', 'null', '[]', '7', '"all"', `${'['.repeat(9000)}`],
      ...['{"chats":7}', '{"chats":[7]}', '{"accounts":"telegram:42"}', '{"methods":{}}'],
      ...['{"perMinute":"5"}', '{"perMinute":0}', '{"priority":"x"}', '{"priority":"toString"}'],
      ...['{"namespace":7}', '{"threads":["5"]}', '{"toString":null}'],
    ];
    const whole = (await created()).secret;
    for (const scope of texts) {
      disk.keys.set(key.id, { ...stored, scope });
      const opened = await open();
      expect(opened.who(secret), scope).toBeNull();
      expect(opened.who(whole), scope).not.toBeNull();
      expect(await opened.list({ after: '', max: 9 }), scope).toHaveLength(2);
    }
    disk.keys.set(key.id, stored);
    expect((await open()).who(secret)).toMatchObject({ id: key.id });
  });

  test('expire to the millisecond', async () => {
    const { secret } = await created({ expiresAt: START + DAY_MS });
    await clock.run(START + DAY_MS - 1);
    expect(ring.who(secret)).not.toBeNull();
    await clock.run(START + DAY_MS);
    expect(ring.who(secret)).toBeNull();
    expect((await open()).who(secret)).toBeNull();
  });

  test('are revoked at once, for what is under way too, and for good', async () => {
    const { secret, key } = await created();
    const holder = ring.who(secret)!;
    const revoking = ring.revoke(key.id);
    expect(ring.who(secret)).toBeNull();
    expect(ring.holds(holder)).toBe(false);
    expect(await revoking).toMatchObject({ id: key.id, active: false });
    expect(await ring.revoke(key.id)).toBeNull();
    expect(await ring.revoke('k-0')).toBeNull();
    expect((await open()).who(secret)).toBeNull();
  });

  test('a revocation that could not be written is not forgotten', async () => {
    const { secret, key } = await created();
    const { save } = journal.keys;
    Object.assign(journal.keys, { save: () => Promise.reject(new Error('disk full')) });
    await expect(ring.revoke(key.id)).rejects.toThrow('disk full');
    expect(ring.who(secret)).toBeNull();
    Object.assign(journal.keys, { save });
    expect(await ring.revoke(key.id)).toMatchObject({ active: false });
  });

  test('rotate: another secret, and the old one for as long as asked', async () => {
    const { secret, key } = await created({ scope: { ...NO_SCOPE, perMinute: 5 } });
    const next = await ring.rotate(key.id, 60_000);
    if (next?.kind !== 'created') throw new Error('not rotated');
    expect(next.key).toMatchObject({ name: 'ci', role: 'sender', scope: { perMinute: 5 } });
    expect(ring.who(secret)).not.toBeNull();
    await clock.run(START + 60_000);
    expect(ring.who(secret)).toBeNull();
    expect(ring.who(next.secret)).not.toBeNull();
    await ring.rotate(next.key.id, 0);
    expect(ring.who(next.secret)).toBeNull();
    expect(await ring.rotate(next.key.id, 0)).toBeNull();
  });

  test('a use is written a while later, once for many, and at the end', async () => {
    let writes = 0;
    const { used } = journal.keys;
    Object.assign(journal.keys, {
      used(uses: Parameters<typeof used>[0]) {
        writes += 1;
        return used(uses);
      },
    });
    const { secret } = await created();
    const stored = async () => (await journal.keys.page({ after: '', max: 1 }))[0]!.usedAt;
    for (let i = 0; i < 5; i++) ring.who(secret);
    expect(await stored()).toBeNull();
    expect((await ring.list({ after: '', max: 1 }))[0]!.usedAt).toBe(START);
    await clock.run(START + 60_000);
    expect([await stored(), writes]).toEqual([START, 1]);
    ring.who(secret);
    await ring.stop(0);
    expect([await stored(), writes]).toEqual([START + 60_000, 2]);
    await ring.stop(0);
    expect(writes).toBe(2);
  });
});

describe('virtual tokens', () => {
  test('look like the bot’s own, and are no keys', async () => {
    const { secret } = await created({ ...OF_BOT });
    expect(secret).toMatch(/^42:sluice[\w-]{29}$/);
    expect(ring.whose(secret)).toMatchObject({ account: 'telegram:42' });
    expect(ring.who(secret)).toBeNull();
    expect(ring.whose('the admin key')).toBeNull();
    expect(ring.whose((await created()).secret)).toBeNull();
  });

  test('whatever is not valid takes the same steps: one hash, one look-up', async () => {
    const revoked = await created({ ...OF_BOT });
    await ring.revoke(revoked.key.id);
    const expired = await created({ ...OF_BOT, expiresAt: START + 1 });
    await clock.run(START + 1);
    const tokens = [revoked.secret, expired.secret, `42:sluice${'x'.repeat(29)}`];
    expect(tokens.map((token) => ring.whose(token))).toEqual([null, null, null]);
  });
});
