// Credentials at rest: AES-256-GCM, the account's id bound in, so that a sealed token moved to another
// account's row does not open. A sealed text is `v1.<nonce>.<tag>.<ciphertext>`, each base64url.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const VERSION = 'v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;

// The tokens on disk were sealed with another secret than the one given now.
export class SecretMismatch extends Error {
  override readonly name = 'SecretMismatch';
}

export interface Sealer {
  seal(accountId: string, credential: string): string;
  // null: sealed with another secret, for another account, or damaged.
  open(accountId: string, sealed: string): string | null;
}

export function createSealer(secret: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'sluice credentials', KEY_BYTES));
  return {
    seal(accountId, credential) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(accountId));
      const text = Buffer.concat([cipher.update(credential, 'utf8'), cipher.final()]);
      const parts = [nonce, cipher.getAuthTag(), text].map((part) => part.toString('base64url'));
      return [VERSION, ...parts].join('.');
    },
    open(accountId, sealed) {
      const [version, nonce, tag, text] = sealed.split('.');
      if (version !== VERSION || nonce === undefined || tag === undefined || text === undefined) {
        return null;
      }
      try {
        const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'))
          .setAAD(Buffer.from(accountId))
          .setAuthTag(Buffer.from(tag, 'base64url'));
        return decipher.update(text, 'base64url', 'utf8') + decipher.final('utf8');
      } catch {
        return null;
      }
    },
  };
}
