import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import type { Identified, Platform, Wire } from '../platforms/platform.ts';
import { TELEGRAM } from '../platforms/telegram/definition.ts';
import { TERMINAL } from '../platforms/terminal/definition.ts';
import type { StoredAccount } from '../store/ports/accounts.ts';
import { world } from './accounts.fixture.ts';
import { Accounts, loadSecret, SecretMismatch } from './accounts.ts';
import { ASKING_BOUNDS } from './asking.ts';
import { createSealer } from './seal.ts';

const GOOD = '42:good-token';
const NEWER = '42:newer-token';
const BAD = '42:bad-token';

describe('a new secret', () => {
  test('what the old one sealed is sealed anew at the start, and then needs it no more', async () => {
    const { options, stored } = world();
    const first = await Accounts.open(options);
    await first.identify('telegram', GOOD);
    await first.setPaused('telegram:42', true);
    const before = stored.get('telegram:42')!.sealed;
    const renewed = { ...options, secret: 'another' };
    await expect(Accounts.open(renewed)).rejects.toThrow(SecretMismatch);
    await expect(Accounts.open({ ...renewed, secretPrevious: 'neither' })).rejects.toThrow(
      'SLUICE_SECRET_PREVIOUS',
    );
    const opened = await Accounts.open({ ...renewed, secretPrevious: options.secret });
    expect(opened.credentialOf('telegram:42')).toBe(GOOD);
    expect(stored.get('telegram:42')).toMatchObject({ paused: true });
    expect(stored.get('telegram:42')!.sealed).not.toBe(before);
    const without = await Accounts.open(renewed);
    expect(without.credentialOf('telegram:42')).toBe(GOOD);
    await expect(Accounts.open(options)).rejects.toThrow(SecretMismatch);
  });

  test('a start that was cut off is gone on with', async () => {
    const { options, stored } = world();
    const first = await Accounts.open(options);
    await first.identify('telegram', GOOD);
    await first.identify('telegram', '43:good-token');
    const renewed = { ...options, secret: 'another', secretPrevious: options.secret };
    let writes = 0;
    const saveAccount = async (account: StoredAccount) => {
      writes += 1;
      if (writes === 2) throw new Error('power cut');
      stored.set(account.id, account);
    };
    const journal = { ...options.journal, saveAccount };
    await expect(Accounts.open({ ...renewed, journal })).rejects.toThrow('power cut');
    const accounts = await Accounts.open(renewed);
    expect(accounts.credentialOf('telegram:42')).toBe(GOOD);
    expect(accounts.credentialOf('telegram:43')).toBe('43:good-token');
  });
});

describe('who owns a token', () => {
  test('the platform is asked once; then the digest is enough, also after a restart', async () => {
    const { options, asked, stored } = world();
    const accounts = await Accounts.open(options);
    expect(await accounts.identify('telegram', GOOD)).toEqual({ kind: 'known', id: 'telegram:42' });
    expect(accounts.identify('telegram', GOOD)).toEqual({ kind: 'known', id: 'telegram:42' });
    expect(asked).toEqual([GOOD]);
    expect(JSON.stringify([...stored.values()])).not.toContain('good-token');

    const reopened = await Accounts.open(options);
    expect(reopened.identify('telegram', GOOD)).toEqual({ kind: 'known', id: 'telegram:42' });
    expect(reopened.credentialOf('telegram:42')).toBe(GOOD);
  });

  test('a virtual token is never shown to the platform, by whatever path it comes', async () => {
    const at = world();
    const accounts = await Accounts.open(at.options);
    const virtual = '1:sluiceAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    const refused = { kind: 'refused', status: 401 };
    expect(await accounts.identify('telegram', virtual)).toMatchObject(refused);
    expect(await accounts.resolve('telegram', virtual)).toMatchObject(refused);
    expect(at.asked).toEqual([]);
  });

  test('callers at the same time share one question', async () => {
    const { options, asked } = world();
    const accounts = await Accounts.open(options);
    await Promise.all([1, 2, 3].map(() => accounts.identify('telegram', GOOD)));
    expect(asked).toHaveLength(1);
  });

  test('who comes while the account is being written does not ask again, and nobody overtakes', async () => {
    const saving = Promise.withResolvers<void>();
    const asking = Promise.withResolvers<Identified>();
    const { options, asked } = world(() => asking.promise);
    const isSaving = Promise.withResolvers<void>();
    const saveAccount = () => {
      isSaving.resolve();
      return saving.promise;
    };
    const journal = { ...options.journal, saveAccount };
    const accounts = await Accounts.open({ ...options, journal });
    const order: number[] = [];
    const first = Promise.resolve(accounts.identify('telegram', GOOD)).then(() => order.push(1));
    asking.resolve({ kind: 'known', id: '42' });
    await isSaving.promise;
    const second = Promise.resolve(accounts.identify('telegram', GOOD)).then(() => order.push(2));
    saving.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual([1, 2]);
    expect(asked).toEqual([GOOD]);
  });

  test('a newer valid token replaces the stored one and clears the refusal', async () => {
    const { options } = world();
    const accounts = await Accounts.open(options);
    const changes: string[] = [];
    accounts.listen((change) => changes.push(`${change.id} ${change.kind}`));
    await accounts.identify('telegram', GOOD);
    await accounts.setRefused('telegram:42', 'unauthorized');
    await accounts.setPaused('telegram:42', true);
    await accounts.identify('telegram', NEWER);
    expect(accounts.credentialOf('telegram:42')).toBe(NEWER);
    expect(accounts.get('telegram:42')).toMatchObject({ refused: null, paused: true });
    expect(changes.at(0)).toBe('telegram:42 token');
    expect(changes.at(-1)).toBe('telegram:42 token');
  });

  test('the token that was replaced must prove itself again', async () => {
    const { options, asked } = world();
    const accounts = await Accounts.open(options);
    await accounts.identify('telegram', GOOD);
    await accounts.identify('telegram', NEWER);
    await accounts.identify('telegram', GOOD);
    expect(asked).toEqual([GOOD, NEWER, GOOD]);
  });

  test('an invalid token of a known account changes nothing', async () => {
    const { options } = world();
    const accounts = await Accounts.open(options);
    await accounts.identify('telegram', GOOD);
    expect(await accounts.identify('telegram', BAD)).toMatchObject({
      kind: 'refused',
      status: 401,
    });
    expect(accounts.credentialOf('telegram:42')).toBe(GOOD);
  });

  test('a refused token costs one question a minute', async () => {
    const { options, asked, tick } = world();
    const accounts = await Accounts.open(options);
    for (let i = 0; i < 5; i++) await accounts.identify('telegram', BAD);
    expect(asked).toHaveLength(1);
    tick(60_001);
    await accounts.identify('telegram', BAD);
    expect(asked).toHaveLength(2);
  });

  test('an unreachable platform is not taken for a no', async () => {
    let down = true;
    const { options } = world(async () =>
      down ? { kind: 'unreachable', detail: 'refused' } : { kind: 'known', id: '42' },
    );
    const accounts = await Accounts.open(options);
    expect(await accounts.identify('telegram', GOOD)).toMatchObject({ kind: 'unreachable' });
    down = false;
    expect(await accounts.identify('telegram', GOOD)).toMatchObject({ kind: 'known' });
  });
});

describe('bounds', () => {
  test('few questions at once; what does not fit is told to come back', async () => {
    const release: (() => void)[] = [];
    const { options, asked } = world(
      (credential) =>
        new Promise((resolve) => {
          release.push(() => resolve({ kind: 'known', id: credential.split(':')[0]! }));
        }),
      { asking: { ...ASKING_BOUNDS, inFlightMax: 2, reservedMax: 0, waitingMax: 1 } },
    );
    const accounts = await Accounts.open(options);
    const answers = [1, 2, 3, 4].map((n) => accounts.identify('telegram', `${n}:token`));
    expect(asked).toHaveLength(2);
    expect(await answers[3]).toEqual({ kind: 'busy', retryAfterS: 1 });
    release.shift()!();
    await answers[0];
    while (release.length > 0) {
      release.shift()!();
      await Promise.race(answers.slice(1, 3));
    }
    expect(await answers[2]).toMatchObject({ kind: 'known', id: 'telegram:3' });
    expect(asked).toHaveLength(3);
  });

  test('what is remembered of refusals is bounded', async () => {
    const { options, asked } = world(undefined, {
      asking: { ...ASKING_BOUNDS, refusedMax: 2 },
    });
    const accounts = await Accounts.open(options);
    for (const n of [1, 2, 3]) await accounts.identify('telegram', `${n}:bad`);
    await accounts.identify('telegram', '3:bad');
    expect(asked).toHaveLength(3);
    await accounts.identify('telegram', '1:bad');
    expect(asked).toHaveLength(4);
  });

  test('no more accounts than allowed', async () => {
    const { options } = world(undefined, { accountsMax: 1 });
    const accounts = await Accounts.open(options);
    await accounts.identify('telegram', '1:a');
    expect(await accounts.identify('telegram', '2:a')).toEqual({ kind: 'full', accountsMax: 1 });
    expect(await accounts.identify('telegram', '1:b')).toMatchObject({ kind: 'known' });
  });
});

describe('removing', () => {
  test('the token is asked about again, and may come back', async () => {
    const { options, asked, stored } = world();
    const accounts = await Accounts.open(options);
    const changes: string[] = [];
    accounts.listen((change) => changes.push(`${change.id} ${change.kind}`));
    await accounts.identify('telegram', GOOD);
    expect(await accounts.remove('telegram:42')).toBe(true);
    expect([...stored.keys()]).toEqual([]);
    expect([accounts.get('telegram:42'), accounts.credentialOf('telegram:42')]).toEqual([
      null,
      null,
    ]);
    expect(accounts.resolve('telegram', 'telegram:42')).toEqual({ kind: 'unknown' });
    expect(await accounts.remove('telegram:42')).toBe(false);
    expect(await accounts.identify('telegram', GOOD)).toMatchObject({ kind: 'known' });
    expect(asked).toEqual([GOOD, GOOD]);
    expect(changes).toEqual(['telegram:42 token', 'telegram:42 removed', 'telegram:42 token']);
  });
});

describe('only known accounts', () => {
  const known = { admits: 'known', configured: new Set<AccountId>(['telegram:42']) } as const;

  test('nobody is asked about a token of another, and it gets the 401 of the platform', async () => {
    const { options, asked } = world(undefined, known);
    const accounts = await Accounts.open(options);
    const no = { kind: 'refused', status: 401, detail: 'Unauthorized' };
    expect(await accounts.identify('telegram', '43:good-token')).toEqual(no);
    expect(await accounts.resolve('telegram', '43:good-token')).toEqual(no);
    expect(asked).toEqual([]);
    expect(await accounts.identify('telegram', GOOD)).toEqual({ kind: 'known', id: 'telegram:42' });
    expect(accounts.isConfigured('telegram:42')).toBe(true);
  });

  test('only its token is served before strangers, not whoever knows its number', async () => {
    const { options } = world(undefined, known);
    const accounts = await Accounts.open(options);
    expect(accounts.isFavoured('telegram', GOOD)).toBe(false);
    await accounts.identify('telegram', GOOD);
    expect(accounts.isFavoured('telegram', GOOD)).toBe(true);
    expect(accounts.isFavoured('telegram', '42:made-up')).toBe(false);
    expect(accounts.isFavoured('telegram', '43:good-token')).toBe(false);
    const open = await Accounts.open(world().options);
    expect(open.isFavoured('telegram', '43:good-token')).toBe(true);
  });

  test('one that was taken before is no longer', async () => {
    const { options } = world();
    await (await Accounts.open(options)).identify('telegram', '43:good-token');
    const accounts = await Accounts.open({ ...options, ...known });
    expect(accounts.identify('telegram', '43:good-token')).toMatchObject({ kind: 'refused' });
    expect(accounts.resolve('telegram', 'telegram:43')).toMatchObject({ kind: 'refused' });
  });
});

describe('naming an account', () => {
  test('by id, by the bare id, by its token', async () => {
    const { options } = world();
    const accounts = await Accounts.open(options);
    const known = { kind: 'known', id: 'telegram:42' };
    expect(await accounts.resolve('telegram', GOOD)).toEqual(known);
    expect(accounts.resolve('telegram', 'telegram:42')).toEqual(known);
    expect(accounts.resolve('telegram', '42')).toEqual(known);
  });

  test('an unknown id is not taken for a token', async () => {
    const { options, asked } = world();
    const accounts = await Accounts.open(options);
    expect(accounts.resolve('telegram', '99')).toEqual({ kind: 'unknown' });
    expect(accounts.resolve('telegram', 'telegram:99')).toEqual({ kind: 'unknown' });
    expect(accounts.resolve('icq', '99')).toEqual({ kind: 'unknown_platform' });
    expect(asked).toEqual([]);
  });

  test('where a name is enough a new one makes an account, kept like any other', async () => {
    const { options, stored } = world();
    const terminal: Partial<Platform> = {
      name: 'terminal',
      credentials: TERMINAL.credentials,
      wire: {
        identify: async (name: string) =>
          name.includes(':')
            ? { kind: 'refused', status: 422, detail: 'no name' }
            : { kind: 'known', id: name },
      } as Wire,
    };
    const platforms = new Map([...options.platforms, ['terminal', terminal as Platform]]);
    const accounts = await Accounts.open({ ...options, platforms });
    const known = { kind: 'known', id: 'terminal:local' };
    expect(await accounts.resolve('terminal', 'terminal:local')).toEqual(known);
    expect(accounts.resolve('terminal', 'terminal:local')).toEqual(known);
    expect(accounts.resolve('terminal', 'local')).toEqual(known);
    expect([...stored.keys()]).toEqual(['terminal:local']);
    const after = await Accounts.open({ ...options, platforms });
    expect(after.credentialOf('terminal:local')).toBe('local');
  });

  test('an account of one platform is not taken for one of another', async () => {
    const { options } = world();
    const other: Partial<Platform> = {
      name: 'other',
      credentials: TELEGRAM.credentials,
      wire: {
        identify: async () => ({ kind: 'refused', status: 404, detail: 'Not Found' }),
      } as Partial<Wire> as Wire,
    };
    const platforms = new Map([...options.platforms, ['other', other as Platform]]);
    const accounts = await Accounts.open({ ...options, platforms });
    await accounts.resolve('telegram', GOOD);
    expect(await accounts.resolve('other', 'telegram:42')).toMatchObject({ kind: 'refused' });
  });
});

describe('sealing', () => {
  test('opens only with the same secret, for the same account, undamaged', () => {
    const sealer = createSealer('one');
    const sealed = sealer.seal('telegram:1', GOOD);
    expect(sealer.open('telegram:1', sealed)).toBe(GOOD);
    expect(sealer.open('telegram:2', sealed)).toBeNull();
    expect(createSealer('two').open('telegram:1', sealed)).toBeNull();
    expect(sealer.open('telegram:1', sealed.slice(0, -2))).toBeNull();
    expect(sealer.open('telegram:1', 'nonsense')).toBeNull();
    expect(sealer.seal('telegram:1', GOOD)).not.toBe(sealed);
  });

  test('another secret at the next start is an error that says so', async () => {
    const { options } = world();
    await (await Accounts.open(options)).identify('telegram', GOOD);
    await expect(Accounts.open({ ...options, secret: 'other' })).rejects.toThrow(SecretMismatch);
  });
});

describe('secrets in the data folder', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-secret-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('made once, for the owner alone, then kept', async () => {
    const data = join(folder, 'data');
    const made = await loadSecret(data, 'secret', null);
    expect(made.origin).toBe('made');
    expect((await stat(join(data, 'secret'))).mode & 0o777).toBe(0o600);
    expect(await loadSecret(data, 'secret', null)).toEqual({ value: made.value, origin: 'kept' });
    expect(await readFile(join(data, 'secret'), 'utf8')).toBe(`${made.value}\n`);
  });

  test('what is given is used and not written', async () => {
    expect(await loadSecret(folder, 'admin-key', 'mine')).toEqual({
      value: 'mine',
      origin: 'given',
    });
    await expect(stat(join(folder, 'admin-key'))).rejects.toThrow();
  });

  test('an empty file is an error, not an empty key', async () => {
    await writeFile(join(folder, 'admin-key'), '\n');
    await expect(loadSecret(folder, 'admin-key', null)).rejects.toThrow(/is empty/);
  });
});
