// A client of MTProto made of mtcute's core: its protocol and types, Node's cryptography and sockets. It keeps
// nothing on disk, wants no updates, and neither sleeps nor repeats: a wait comes back as the error it is
// (`middlewares: []`). Importing this file loads the library, some 45 MB: only `mtproto-kind.ts` does, when a source
// needs it.

import { createCipheriv, createHash, createHmac, pbkdf2, randomFillSync } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflateSync, unzipSync } from 'node:zlib';
import { connectTcp } from '@fuman/node';
import { IntermediatePacketCodec, MemoryStorage } from '@mtcute/core';
import { BaseTelegramClient } from '@mtcute/core/client.js';
import {
  addPublicKey,
  BaseCryptoProvider,
  type DcOptions,
  type ICryptoProvider,
  readStringSession,
} from '@mtcute/core/utils.js';
import { getWasmUrl, ige256Decrypt, ige256Encrypt, initSync } from '@mtcute/wasm';
import type { MtprotoAccess } from '../access.ts';
import { NoSession } from './answers.ts';

// Any of the platform's: one that is asked for something else's says where to go.
const DC_ID = 2;
const UNPACKED_BYTES_MAX = 1 << 26;
const LOG_NOTHING = 0;

const derive = promisify(pbkdf2);

// For an account that logged in.
export async function clientOf(
  access: MtprotoAccess,
  session: string | null,
): Promise<BaseTelegramClient> {
  if (session === null) throw new NoSession('no account has logged in');
  const kept = keptIn(session);
  const client = await newClient(access);
  const dcs = await dcsOf(access.dc);
  // Where the platform is now, not where it was when the account logged in.
  await client.importSession({ ...kept, ...(dcs === null ? null : { primaryDcs: dcs }) });
  return client;
}

function keptIn(session: string) {
  try {
    return readStringSession(session);
  } catch {
    // What the library says of it may quote it.
    throw new NoSession('the session cannot be read');
  }
}

// For one that is to log in.
export async function newClient(access: MtprotoAccess): Promise<BaseTelegramClient> {
  const crypto = new NodeCrypto();
  await crypto.initialize();
  if (access.keyFile !== null) addPublicKey(crypto, await readFile(access.keyFile, 'utf8'));
  const dcs = await dcsOf(access.dc);
  return new BaseTelegramClient({
    apiId: access.apiId,
    apiHash: access.apiHash,
    crypto,
    platform: {
      beforeExit: () => () => {},
      log: () => {},
      getDefaultLogLevel: () => LOG_NOTHING,
      getDeviceModel: () => 'Sluice',
    },
    logLevel: LOG_NOTHING,
    transport: {
      connect: ({ ipAddress, port }) => connectTcp({ address: ipAddress, port }),
      packetCodec: () => new IntermediatePacketCodec(),
    },
    storage: new MemoryStorage(),
    updates: false,
    disableUpdates: true,
    network: { middlewares: [] },
    ...(dcs === null ? null : { defaultDcs: dcs }),
  });
}

async function dcsOf(address: MtprotoAccess['dc']): Promise<DcOptions | null> {
  if (address === null) return null;
  const found = await lookup(address.host);
  const dc = {
    id: DC_ID,
    ipAddress: found.address,
    port: address.port,
    ...(found.family === 6 ? { ipv6: true } : null),
  };
  return { main: dc, media: dc };
}

// What the library wants of a machine. AES-IGE is its own (WebAssembly), because OpenSSL has no such mode any more.
class NodeCrypto extends BaseCryptoProvider implements ICryptoProvider {
  async initialize(): Promise<void> {
    initSync(await readFile(getWasmUrl()));
  }

  sha1(data: Uint8Array): Uint8Array {
    return createHash('sha1').update(data).digest();
  }

  sha256(data: Uint8Array): Uint8Array {
    return createHash('sha256').update(data).digest();
  }

  hmacSha256(data: Uint8Array, key: Uint8Array): Uint8Array {
    return createHmac('sha256', key).update(data).digest();
  }

  pbkdf2(
    password: Uint8Array,
    salt: Uint8Array,
    iterations: number,
    bytes = 64,
    hash = 'sha512',
  ): Promise<Uint8Array> {
    return derive(password, salt, iterations, bytes, hash);
  }

  createAesCtr(key: Uint8Array, iv: Uint8Array) {
    // Encrypting and decrypting are the same here.
    const cipher = createCipheriv(`aes-${key.length * 8}-ctr`, key, iv);
    return { process: (data: Uint8Array) => cipher.update(data) };
  }

  createAesIge(key: Uint8Array, iv: Uint8Array) {
    return {
      encrypt: (data: Uint8Array) => ige256Encrypt(data, key, iv),
      decrypt: (data: Uint8Array) => ige256Decrypt(data, key, iv),
    };
  }

  // null: it would not fit.
  gzip(data: Uint8Array, bytesMax: number): Uint8Array | null {
    const packed = deflateSync(data);
    return packed.length > bytesMax ? null : packed;
  }

  gunzip(data: Uint8Array): Uint8Array {
    return unzipSync(data, { maxOutputLength: UNPACKED_BYTES_MAX });
  }

  randomFill(bytes: Uint8Array): void {
    randomFillSync(bytes);
  }
}
