import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeAddress } from '../../accounts/accounts.ts';
import { findKey, isSamePlace } from './found-key.ts';

const OWN = 'http://127.0.0.1:8080';
const data = mkdtempSync(join(tmpdir(), 'sluice-found-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test.each([
  [OWN, 'http://127.0.0.1:8080', true],
  [OWN, 'http://localhost:8080', true],
  [OWN, 'http://[::1]:8080', true],
  ['http://0.0.0.0:8080', 'http://127.0.0.1:8080', true],
  ['http://[::]:8080', 'http://localhost:8080', true],
  ['http://192.0.2.7:8080', 'http://192.0.2.7:8080', true],
  [OWN, 'http://127.0.0.1:8081', false],
  [OWN, 'https://127.0.0.1:8080', false],
  [OWN, 'http://elsewhere:8080', false],
  [OWN, 'http://127.0.0.1.elsewhere:8080', false],
  [OWN, 'http://localhost.elsewhere:8080', false],
  [OWN, 'http://user@127.0.0.1:8080', false],
  ['http://0.0.0.0:8080', 'http://192.0.2.7:8080', false],
  ['http://192.0.2.7:8080', 'http://127.0.0.1:8080', false],
  [OWN, 'nonsense', false],
])('a key of %s goes to %s: %s', (home, url, isSent) => {
  expect(isSamePlace(home, url)).toBe(isSent);
});

test('the key of a folder goes where its gateway listens, also when the settings name another port', () => {
  const settings = { adminKey: null, data };
  expect(findKey(settings, OWN, OWN)).toEqual({ key: null, keptFor: null });
  writeFileSync(join(data, 'admin-key'), 'a key\n');
  expect(findKey(settings, OWN, OWN)).toEqual({ key: 'a key', keptFor: null });
  writeAddress(data, 'http://127.0.0.1:4242');
  expect(findKey(settings, OWN, 'http://localhost:4242').key).toBe('a key');
  expect(findKey(settings, OWN, OWN)).toEqual({ key: null, keptFor: 'http://127.0.0.1:4242' });
});

test('the key of the settings goes there too, and nowhere else', () => {
  const settings = { adminKey: 'set', data: join(data, 'none') };
  expect(findKey(settings, OWN, OWN).key).toBe('set');
  expect(findKey(settings, OWN, 'http://elsewhere')).toEqual({ key: null, keptFor: OWN });
});
