// How a client and the server come by an auth key: req_pq, req_DH_params, set_client_DH_params. One for each
// connection; whatever does not fit ends it, as the real server hangs up.

import { createDiffieHellman, generatePrimeSync, randomBytes } from 'node:crypto';
import type { Clock } from '../../system/clock.ts';
import { bytesOf, decryptIge, encryptIge, handshakeAes, numberOf, sha1, xor } from './crypto.ts';
import { bytesIn } from './fields.ts';
import type { ServerKey } from './server-key.ts';
import { TlReader } from './tl/bytes.ts';
import type { TlObject, TlSchema } from './tl/tl.ts';

export interface AuthKey {
  readonly id: bigint;
  readonly key: Buffer;
  readonly salt: bigint;
}

export interface HandshakePorts {
  readonly schema: TlSchema;
  readonly clock: Clock;
  readonly serverKey: ServerKey;
  readonly onKey: (key: AuthKey) => void;
}

// A safe prime of 2048 bits for which 3 is a generator; clients know it and need not test it.
export const DH_PRIME = Buffer.from(
  [
    'c71caeb9c6b1c9048e6c522f70f13f73980d40238e3e21c14934d037563d930f',
    '48198a0aa7c14058229493d22530f4dbfa336f6e0ac925139543aed44cce7c37',
    '20fd51f69458705ac68cd4fe6b6b13abdc9746512969328454f18faf8c595f64',
    '2477fe96bb2a941d5bcd1d4ac8cc49880708fa9b378e3c4f3a9060bee67cf9a4',
    'a4a695811051907e162753b56b0f6b410dba74d8a84b2a14b3144e0ef1284754',
    'fd17ed950d5965b4b9dd46582db1178d169c6bc465b0d6ff9ca3928fef5b9ae4',
    'e418fc15e83ebea0f87fa9ff5eed70050ded2849f47bf959d956850ce929851f',
    '0d8115f635b105ee2e4e15d04b2454bf6f4fadf034b10403119cd8e3b92fcc5b',
  ].join(''),
  'hex',
);
export const DH_GENERATOR = 3;
const KEY_BYTES = 256;
const PRIME_BITS = 31;
const BLOCK_BYTES = 16;
const SHA1_BYTES = 20;

type State =
  | { readonly kind: 'new' }
  | { readonly kind: 'asked'; readonly nonce: Buffer; readonly serverNonce: Buffer }
  | {
      readonly kind: 'offered';
      readonly nonce: Buffer;
      readonly serverNonce: Buffer;
      readonly newNonce: Buffer;
      readonly exchange: ReturnType<typeof createDiffieHellman>;
    };

export class Handshake {
  readonly #ports: HandshakePorts;
  #state: State = { kind: 'new' };

  constructor(ports: HandshakePorts) {
    this.#ports = ports;
  }

  // null: it does not fit, and the connection is to be closed.
  answer(request: TlObject): TlObject | null {
    switch (request._) {
      case 'req_pq':
      case 'req_pq_multi':
        return this.#ask(bytesIn(request, 'nonce'));
      case 'req_DH_params':
        return this.#offer(request);
      case 'set_client_DH_params':
        return this.#agree(request);
      default:
        return null;
    }
  }

  #ask(nonce: Buffer): TlObject {
    const serverNonce = randomBytes(16);
    this.#state = { kind: 'asked', nonce, serverNonce };
    return {
      _: 'resPQ',
      nonce,
      server_nonce: serverNonce,
      pq: product(),
      server_public_key_fingerprints: [this.#ports.serverKey.fingerprint],
    };
  }

  #offer(request: TlObject): TlObject | null {
    const { schema, clock } = this.#ports;
    if (this.#state.kind !== 'asked') return null;
    const { nonce, serverNonce } = this.#state;
    const inner = this.#secretIn(bytesIn(request, 'encrypted_data'));
    if (inner === null) return null;
    if (!bytesIn(inner, 'server_nonce').equals(serverNonce)) return null;
    const newNonce = bytesIn(inner, 'new_nonce');
    const exchange = createDiffieHellman(DH_PRIME, Buffer.of(DH_GENERATOR));
    const ours = exchange.generateKeys();
    this.#state = { kind: 'offered', nonce, serverNonce, newNonce, exchange };
    const answer = schema.encode({
      _: 'server_DH_inner_data',
      nonce,
      server_nonce: serverNonce,
      g: DH_GENERATOR,
      dh_prime: DH_PRIME,
      g_a: bytesOf(numberOf(ours), KEY_BYTES),
      server_time: Math.floor(clock.now() / 1000),
    });
    const aes = handshakeAes(newNonce, serverNonce);
    const encrypted = encryptIge(inBlocks(Buffer.concat([sha1(answer), answer])), aes);
    return {
      _: 'server_DH_params_ok',
      nonce,
      server_nonce: serverNonce,
      encrypted_answer: encrypted,
    };
  }

  #secretIn(encrypted: Buffer): TlObject | null {
    const opened = this.#ports.serverKey.open(encrypted);
    if (opened === null) return null;
    const reader = new TlReader(opened.data);
    const inner = this.#ports.schema.decode(reader);
    if (inner === null || !inner._.startsWith('p_q_inner_data')) return null;
    const told = sha1(opened.data.subarray(0, reader.position));
    return opened.hash === null || opened.hash.equals(told) ? inner : null;
  }

  #agree(request: TlObject): TlObject | null {
    if (this.#state.kind !== 'offered') return null;
    const { nonce, serverNonce, newNonce, exchange } = this.#state;
    const theirs = this.#partOf(bytesIn(request, 'encrypted_data'), newNonce, serverNonce);
    if (theirs === null) return null;
    const key = bytesOf(numberOf(exchange.computeSecret(theirs)), KEY_BYTES);
    const hash = sha1(key);
    const proof = (round: number) =>
      sha1(newNonce, Buffer.of(round), hash.subarray(0, 8)).subarray(4);
    const common = { nonce, server_nonce: serverNonce };
    // Clients hash a key that begins with zeros without them: it is drawn again, as the protocol allows.
    if (key[0] === 0) return { _: 'dh_gen_retry', ...common, new_nonce_hash2: proof(2) };
    this.#ports.onKey({
      id: hash.readBigInt64LE(12),
      key,
      salt: xor(newNonce.subarray(0, 8), serverNonce.subarray(0, 8)).readBigInt64LE(),
    });
    this.#state = { kind: 'new' };
    return { _: 'dh_gen_ok', ...common, new_nonce_hash1: proof(1) };
  }

  // The client's half of the exchange; null: it is not what its hash says.
  #partOf(encrypted: Buffer, newNonce: Buffer, serverNonce: Buffer): Buffer | null {
    if (encrypted.length % BLOCK_BYTES !== 0) return null;
    const opened = decryptIge(encrypted, handshakeAes(newNonce, serverNonce));
    const reader = new TlReader(opened.subarray(SHA1_BYTES));
    const inner = this.#ports.schema.decode(reader);
    if (inner?._ !== 'client_DH_inner_data') return null;
    const told = opened.subarray(SHA1_BYTES, SHA1_BYTES + reader.position);
    return sha1(told).equals(opened.subarray(0, SHA1_BYTES)) ? bytesIn(inner, 'g_b') : null;
  }
}

// Of two primes, for the client to find: the proof that it has worked.
function product(): Buffer {
  const draw = () => generatePrimeSync(PRIME_BITS, { bigint: true });
  const first = draw();
  let second = draw();
  while (second === first) second = draw();
  return bytesOf(first * second, 8);
}

function inBlocks(data: Buffer): Buffer {
  const missing = (BLOCK_BYTES - (data.length % BLOCK_BYTES)) % BLOCK_BYTES;
  return Buffer.concat([data, randomBytes(missing)]);
}
