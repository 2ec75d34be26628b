// Who may log in, and which auth key belongs to whom.

import { randomBytes } from 'node:crypto';
import { bytesIn, longOf, objectIn, RpcRefusal, textOf } from './fields.ts';
import { userObject } from './objects.ts';
import { type Challenge, Verifier } from './srp.ts';
import type { TlObject } from './tl/tl.ts';

export interface SimAccount {
  // Digits only.
  readonly phone: string;
  // What comes by message when it logs in.
  readonly code: string;
  // The second factor; null: it has none.
  readonly password: string | null;
}

// What the server knows of one auth key.
export interface KeyHolder {
  // Of the account that logged in with it; null: nobody.
  phone: string | null;
  // A login that has begun.
  login: { readonly phone: string; readonly hash: string } | null;
  // The code was right; the password is still missing.
  awaitsPassword: string | null;
  challenge: Challenge | null;
}

interface Known extends SimAccount {
  readonly id: bigint;
  verifier: Verifier | null;
}

const FIRST_USER_ID = 1000n;

export class SimAccounts {
  readonly #known = new Map<string, Known>();
  readonly #holders = new Set<KeyHolder>();

  add(account: SimAccount): void {
    const id = FIRST_USER_ID + BigInt(this.#known.size);
    this.#known.set(account.phone, { ...account, id, verifier: null });
  }

  newHolder(): KeyHolder {
    const holder = { phone: null, login: null, awaitsPassword: null, challenge: null };
    this.#holders.add(holder);
    return holder;
  }

  // Ends its sessions everywhere, as its owner can.
  logOut(phone: string): void {
    for (const holder of this.#holders) if (holder.phone === phone) holder.phone = null;
  }

  user(holder: KeyHolder): TlObject {
    const account = this.#known.get(holder.phone ?? '');
    if (account === undefined) throw new RpcRefusal(401, 'AUTH_KEY_UNREGISTERED');
    return userObject(account);
  }

  sendCode(holder: KeyHolder, call: TlObject): TlObject {
    const phone = textOf(call, 'phone_number').replace(/^\+/, '');
    if (!this.#known.has(phone)) throw new RpcRefusal(400, 'PHONE_NUMBER_INVALID');
    const hash = randomBytes(9).toString('hex');
    holder.login = { phone, hash };
    const length = this.#known.get(phone)!.code.length;
    return {
      _: 'auth.sentCode',
      type: { _: 'auth.sentCodeTypeApp', length },
      phone_code_hash: hash,
    };
  }

  signIn(holder: KeyHolder, call: TlObject): TlObject {
    const { login } = holder;
    const account = this.#known.get(login?.phone ?? '');
    if (account === undefined || login?.hash !== textOf(call, 'phone_code_hash')) {
      throw new RpcRefusal(400, 'PHONE_CODE_EXPIRED');
    }
    if (textOf(call, 'phone_code') !== account.code)
      throw new RpcRefusal(400, 'PHONE_CODE_INVALID');
    holder.login = null;
    if (account.password === null) return this.#enter(holder, account);
    holder.awaitsPassword = account.phone;
    throw new RpcRefusal(401, 'SESSION_PASSWORD_NEEDED');
  }

  password(holder: KeyHolder): TlObject {
    const account = this.#known.get(holder.awaitsPassword ?? holder.phone ?? '');
    if (account === undefined) throw new RpcRefusal(401, 'AUTH_KEY_UNREGISTERED');
    const common = {
      _: 'account.password',
      new_algo: { _: 'passwordKdfAlgoUnknown' },
      new_secure_algo: { _: 'securePasswordKdfAlgoUnknown' },
      secure_random: randomBytes(8),
    };
    if (account.password === null) return common;
    // Slow by design: made when it is first needed.
    account.verifier ??= new Verifier(account.password);
    const challenge = account.verifier.challenge();
    holder.challenge = challenge;
    const { algorithm, b, id } = challenge;
    return { ...common, has_password: true, current_algo: algorithm, srp_B: b, srp_id: id };
  }

  checkPassword(holder: KeyHolder, call: TlObject): TlObject {
    const account = this.#known.get(holder.awaitsPassword ?? '');
    if (account === undefined) throw new RpcRefusal(401, 'AUTH_KEY_UNREGISTERED');
    const given = objectIn(call, 'password');
    const { challenge } = holder;
    if (challenge === null || given._ !== 'inputCheckPasswordSRP') {
      throw new RpcRefusal(400, 'PASSWORD_HASH_INVALID');
    }
    if (longOf(given, 'srp_id') !== challenge.id) throw new RpcRefusal(400, 'SRP_ID_INVALID');
    if (!challenge.accepts(bytesIn(given, 'A'), bytesIn(given, 'M1'))) {
      throw new RpcRefusal(400, 'PASSWORD_HASH_INVALID');
    }
    return this.#enter(holder, account);
  }

  leave(holder: KeyHolder): TlObject {
    holder.phone = null;
    return { _: 'auth.loggedOut' };
  }

  #enter(holder: KeyHolder, account: Known): TlObject {
    holder.phone = account.phone;
    holder.awaitsPassword = null;
    holder.challenge = null;
    return { _: 'auth.authorization', user: userObject(account) };
  }
}
