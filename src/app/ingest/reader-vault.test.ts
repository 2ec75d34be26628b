import { expect, test } from 'vitest';
import { createMemoryStore } from '../../store/memory/memory.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { ReaderVault } from './reader-vault.ts';

const ANN = { kind: 'm', id: '1', name: 'Ann', session: 'the session' };

function vaultOn(store = createMemoryStore().journal.ingest, secrets = ['one']) {
  const lost: string[] = [];
  const [secret, secretPrevious = null] = secrets;
  const onUnreadable = (kind: string, id: string) => void lost.push(`${kind}:${id}`);
  const clock = virtualClock(5);
  const vault = new ReaderVault({ store, clock, secret: secret!, secretPrevious, onUnreadable });
  return { vault, store, lost };
}

test('a session is sealed on disk, and opened by the next process', async () => {
  const { vault, store } = vaultOn();
  await vault.save(ANN);
  expect(vault.of('m')).toEqual([ANN]);
  expect(vault.of('other')).toEqual([]);
  expect(JSON.stringify(await store.readers())).not.toContain('the session');
  const next = vaultOn(store);
  await next.vault.load();
  expect(next.vault.of('m')).toEqual([ANN]);
  expect(await next.vault.remove('m', '1')).toBe(true);
  expect(next.vault.of('m')).toEqual([]);
  expect(await store.readers()).toEqual([]);
});

test('a secret that is replaced seals it anew; without the one before it is told', async () => {
  const { vault, store } = vaultOn();
  await vault.save(ANN);
  const strange = vaultOn(store, ['two']);
  await strange.vault.load();
  expect(strange.lost).toEqual(['m:1']);
  await vaultOn(store, ['two', 'one']).vault.load();
  const after = vaultOn(store, ['two']);
  await after.vault.load();
  expect(after.vault.of('m')).toEqual([ANN]);
});

test('a seal that was moved to another account does not open', async () => {
  const { vault, store } = vaultOn();
  await vault.save(ANN);
  const [row] = await store.readers();
  await store.saveReader({ ...row!, account: '2' });
  const next = vaultOn(store);
  await next.vault.load();
  expect(next.lost).toEqual(['m:2']);
});

test('what another process keeps, replaces or forgets is followed, and told once', async () => {
  const { vault, store } = vaultOn();
  const other = vaultOn(store).vault;
  await vault.load();
  await other.save(ANN);
  expect(await vault.load()).toEqual([{ kind: 'm', id: '1' }]);
  expect(vault.of('m')).toEqual([ANN]);
  expect(await vault.load()).toEqual([]);
  await other.save({ ...ANN, session: 'another' });
  expect(await vault.load()).toEqual([{ kind: 'm', id: '1' }]);
  expect(vault.of('m')).toEqual([{ ...ANN, session: 'another' }]);
  await other.remove('m', '1');
  expect(await vault.load()).toEqual([{ kind: 'm', id: '1' }]);
  expect(vault.of('m')).toEqual([]);
});
