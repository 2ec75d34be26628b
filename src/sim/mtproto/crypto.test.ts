import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getWasmUrl, ige256Encrypt, initSync } from '@mtcute/wasm';
import { expect, test } from 'vitest';
import { bytesOf, decryptIge, encryptIge, numberOf, powMod } from './crypto.ts';
import { newServerKey } from './server-key.ts';

test('AES-IGE is what another implementation makes, and back', () => {
  initSync(readFileSync(getWasmUrl()));
  for (const blocks of [1, 2, 65]) {
    const plain = randomBytes(16 * blocks);
    const aes = { key: randomBytes(32), iv: randomBytes(32) };
    const encrypted = encryptIge(plain, aes);
    expect(encrypted.equals(ige256Encrypt(plain, aes.key, aes.iv))).toBe(true);
    expect(decryptIge(encrypted, aes).equals(plain)).toBe(true);
  }
});

test('numbers and their bytes', () => {
  expect(bytesOf(258n, 4)).toEqual(Buffer.of(0, 0, 1, 2));
  expect(numberOf(Buffer.of(0, 0, 1, 2))).toBe(258n);
  expect(numberOf(Buffer.alloc(0))).toBe(0n);
  expect(powMod(3n, 200n, 1_000_007n)).toBe(3n ** 200n % 1_000_007n);
});

test('no server key has a fingerprint that begins with a zero', () => {
  const { fingerprint, pem } = newServerKey();
  expect(BigInt.asUintN(64, fingerprint).toString(16)).toHaveLength(16);
  expect(pem).toContain('BEGIN RSA PUBLIC KEY');
});
