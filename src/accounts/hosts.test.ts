// The real platform and the built-in simulator: no credential of one ever reaches an account of the other.

import { expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import type { Identified } from '../platforms/platform.ts';
import { world } from './accounts.fixture.ts';
import { Accounts } from './accounts.ts';
import { createSealer } from './seal.ts';

const GOOD = '42:good-token';
const NEWER = '42:newer-token';
const EVIL = '42:sandboxEVIL';
const MINE = '42:sandbox-mine';
const SANDBOXED: AccountId = 'telegram:sandbox-42';

// As Telegram: the simulator vouches for whoever comes.
function twoHosts(isOff = false) {
  const made = world();
  const telegram = made.options.platforms.get('telegram')!;
  const hostOf = (credential: string) =>
    credential.includes(':sandbox')
      ? { name: 'sandbox', vouches: false, isOff }
      : { name: '', vouches: true, isOff: false };
  const platforms = new Map([['telegram', { ...telegram, wire: { ...telegram.wire, hostOf } }]]);
  return { ...made, options: { ...made.options, platforms } };
}

test('the simulator’s word makes an account of its own, and touches no real one', async () => {
  const { options, stored } = twoHosts();
  const accounts = await Accounts.open(options);
  await accounts.identify('telegram', GOOD);
  const before = stored.get('telegram:42');
  const changes: string[] = [];
  accounts.listen(({ id }) => changes.push(id));
  expect(await accounts.identify('telegram', EVIL)).toEqual({ kind: 'known', id: SANDBOXED });
  expect(accounts.credentialOf('telegram:42')).toBe(GOOD);
  expect(stored.get('telegram:42')).toBe(before);
  expect(changes).toEqual([SANDBOXED]);
  await accounts.setPaused(SANDBOXED, true);
  expect(accounts.get('telegram:42')).toMatchObject({ paused: false });
  // And the other way round.
  await accounts.identify('telegram', NEWER);
  expect(accounts.credentialOf(SANDBOXED)).toBe(EVIL);
  expect(accounts.identify('telegram', EVIL)).toEqual({ kind: 'known', id: SANDBOXED });
});

test('a host that answers with an id of another host replaces nothing', async () => {
  const { options } = twoHosts();
  const telegram = options.platforms.get('telegram')!;
  const identify = async (): Promise<Identified> => ({ kind: 'known', id: 'sandbox-42' });
  const liar = new Map([['telegram', { ...telegram, wire: { ...telegram.wire, identify } }]]);
  const first = await Accounts.open(options);
  await first.identify('telegram', MINE);
  const accounts = await Accounts.open({ ...options, platforms: liar });
  expect(await accounts.identify('telegram', GOOD)).toEqual({ kind: 'taken' });
  expect(accounts.credentialOf(SANDBOXED)).toBe(MINE);
});

test('where the host takes any token, the first one stays, also after a restart', async () => {
  const { options } = twoHosts();
  const accounts = await Accounts.open(options);
  await accounts.identify('telegram', MINE);
  expect(await accounts.identify('telegram', EVIL)).toEqual({ kind: 'taken' });
  const reopened = await Accounts.open(options);
  expect(await reopened.identify('telegram', EVIL)).toEqual({ kind: 'taken' });
  expect(reopened.identify('telegram', MINE)).toEqual({ kind: 'known', id: SANDBOXED });
  expect(reopened.credentialOf(SANDBOXED)).toBe(MINE);
});

test('two that come first at once: one of them stays', async () => {
  const { options } = twoHosts();
  const accounts = await Accounts.open(options);
  const both = await Promise.all([MINE, EVIL].map((t) => accounts.identify('telegram', t)));
  expect(both.map(({ kind }) => kind).sort()).toEqual(['known', 'taken']);
  const owner = both[0]!.kind === 'known' ? MINE : EVIL;
  expect(accounts.credentialOf(SANDBOXED)).toBe(owner);
});

test('one that is off is not asked, and its accounts wait for it', async () => {
  const on = twoHosts();
  await (await Accounts.open(on.options)).identify('telegram', MINE);
  const { options, asked } = twoHosts(true);
  const accounts = await Accounts.open({ ...options, journal: on.options.journal });
  expect(accounts.identify('telegram', EVIL)).toEqual({ kind: 'off' });
  expect(accounts.identify('telegram', MINE)).toEqual({ kind: 'off' });
  expect(accounts.resolve('telegram', SANDBOXED)).toEqual({ kind: 'off' });
  expect(accounts.resolve('telegram', MINE)).toEqual({ kind: 'off' });
  expect([accounts.isOff(SANDBOXED), accounts.isOff('telegram:42')]).toEqual([true, false]);
  expect(asked).toEqual([]);
});

test('an id of the sandbox is a name, not a token', async () => {
  const { options, asked } = twoHosts();
  const accounts = await Accounts.open(options);
  for (const name of ['sandbox-42', SANDBOXED, '42', '42:test']) {
    expect(accounts.resolve('telegram', name), name).toEqual({ kind: 'unknown' });
  }
  expect(asked).toEqual([]);
  await accounts.identify('telegram', '42:sandbox-42');
  expect(accounts.resolve('telegram', 'sandbox-42')).toEqual({ kind: 'known', id: SANDBOXED });
});

test('what is about which account is told without asking', async () => {
  const { options, asked } = twoHosts();
  const accounts = await Accounts.open(options);
  const claims = ['42', 'telegram:42', GOOD, 'sandbox-42', SANDBOXED, EVIL, `${GOOD}/test`];
  expect(claims.map((name) => accounts.claimed('telegram', name))).toEqual([
    ...['telegram:42', 'telegram:42', 'telegram:42', SANDBOXED, SANDBOXED, SANDBOXED],
    'telegram:42:test',
  ]);
  expect(asked).toEqual([]);
});

// As the versions before wrote them.
async function olderStore(made: ReturnType<typeof twoHosts>, ...tokens: string[]) {
  const sealer = createSealer(made.options.secret);
  for (const token of tokens) {
    const id: AccountId = `telegram:${token.split(':')[0]}`;
    const sealed = sealer.seal(id, token);
    const state = { paused: true, refused: null, createdAt: 5 };
    await made.options.journal.saveAccount({ id, platform: 'telegram', sealed, ...state });
  }
}

test('accounts of the sandbox under real ids move to their own at the start, in one step', async () => {
  const made = twoHosts();
  await olderStore(made, EVIL, '43:good-token', '44:sandbox');
  const steps: string[][] = [];
  const { journal } = made.options;
  const renameAccounts: typeof journal.renameAccounts = (renames) => {
    steps.push(renames.map(({ from, account }) => `${from} ${account.id}`));
    return journal.renameAccounts(renames);
  };
  const open = () => Accounts.open({ ...made.options, journal: { ...journal, renameAccounts } });
  const accounts = await open();
  expect(steps).toEqual([[`telegram:42 ${SANDBOXED}`, 'telegram:44 telegram:sandbox-44']]);
  expect(accounts.get('telegram:42')).toBeNull();
  expect(accounts.get(SANDBOXED)).toMatchObject({ paused: true, createdAt: 5 });
  expect(accounts.identify('telegram', EVIL)).toEqual({ kind: 'known', id: SANDBOXED });
  expect(accounts.credentialOf('telegram:43')).toBe('43:good-token');
  // The real bot comes back to an id that is its own again.
  await accounts.identify('telegram', GOOD);
  expect(accounts.get('telegram:42')).toMatchObject({ paused: false });
  const reopened = await open();
  expect(steps).toHaveLength(1);
  expect(reopened.credentialOf(SANDBOXED)).toBe(EVIL);
  expect(reopened.credentialOf('telegram:42')).toBe(GOOD);
});

test('one whose new id is taken gets the next, and is still known by its token', async () => {
  const made = twoHosts();
  await (await Accounts.open(made.options)).identify('telegram', MINE);
  await olderStore(made, EVIL);
  const accounts = await Accounts.open(made.options);
  expect(accounts.credentialOf(SANDBOXED)).toBe(MINE);
  const id = `${SANDBOXED}-2`;
  expect(accounts.identify('telegram', EVIL)).toEqual({ kind: 'known', id });
  expect(accounts.get('telegram:42')).toBeNull();
});

// What is left of an account that was removed, though no account has its id.
test('one whose new id is free, but still named in the store, gets the next', async () => {
  const made = twoHosts();
  await olderStore(made, EVIL, '44:sandbox');
  const tried: string[][] = [];
  const { journal } = made.options;
  const renameAccounts: typeof journal.renameAccounts = async (renames) => {
    const ids = renames.map(({ account }) => account.id);
    tried.push(ids);
    return ids.includes(SANDBOXED) ? [SANDBOXED] : journal.renameAccounts(renames);
  };
  const accounts = await Accounts.open({
    ...made.options,
    journal: { ...journal, renameAccounts },
  });
  const id = `${SANDBOXED}-2`;
  expect(tried).toEqual([
    [SANDBOXED, 'telegram:sandbox-44'],
    [id, 'telegram:sandbox-44'],
  ]);
  expect(accounts.identify('telegram', EVIL)).toEqual({ kind: 'known', id });
  expect([...made.stored.keys()]).toEqual([id, 'telegram:sandbox-44']);
});

test('one whose host its platform fails to tell is set apart: refused, shown, and the others go on', async () => {
  const made = twoHosts();
  await olderStore(made, GOOD, '43:broken', '44:sandbox');
  const telegram = made.options.platforms.get('telegram')!;
  let isBroken = true;
  const hostOf = (credential: string) => {
    if (isBroken && credential.includes('broken')) throw new Error('no host');
    return telegram.wire.hostOf!(credential);
  };
  const platforms = new Map([['telegram', { ...telegram, wire: { ...telegram.wire, hostOf } }]]);
  const reported: unknown[] = [];
  const options = {
    ...made.options,
    platforms,
    report: (...fault: unknown[]) => reported.push(fault),
  };
  const accounts = await Accounts.open(options);
  expect(reported).toEqual([['recovery', expect.any(Error), { account: 'telegram:43' }]]);
  const refusals = () => accounts.list().map(({ id, refused }) => [id, refused]);
  const expected = [
    ['telegram:42', null],
    ['telegram:43', 'internal'],
    ['telegram:sandbox-44', null],
  ];
  expect(refusals()).toEqual(expected);
  expect(accounts.get('telegram:43')).toMatchObject({ refused: 'internal' });
  expect(accounts.isOff('telegram:43')).toBe(false);
  // A change is written without it: the next start may know better.
  await accounts.setPaused('telegram:43', false);
  expect(made.stored.get('telegram:43')).toMatchObject({ refused: null, paused: false });
  // A new token that the platform vouches for mends it at once.
  expect(await accounts.identify('telegram', '43:newer')).toMatchObject({ id: 'telegram:43' });
  expect(accounts.get('telegram:43')).toMatchObject({ refused: null });
  isBroken = false;
  await olderStore(made, '43:broken');
  const reopened = await Accounts.open(options);
  expect(reopened.get('telegram:43')).toMatchObject({ refused: null });
});
