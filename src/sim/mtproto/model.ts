// A Telegram that holds channels and answers calls about them: who may call, waits, faults, and a record of every call.
// It knows objects, not bytes: the server puts it behind a socket.

import type { Clock } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import { SimChannel, type SimChannelFacts } from '../channel/channel.ts';
import { type KeyHolder, type SimAccount, SimAccounts } from './accounts.ts';
import { RpcRefusal } from './fields.ts';
import { type FloodRule, MethodFloods } from './flood.ts';
import {
  type ApiMethod,
  METHODS,
  type MethodOptions,
  type MethodState,
  OPEN_METHODS,
  PAGE_MAX,
} from './methods.ts';
import type { TlObject, TlValue } from './tl/tl.ts';

export interface SimMtprotoOptions extends MethodOptions {
  readonly floods: readonly FloodRule[];
}

const MTPROTO_DEFAULTS: SimMtprotoOptions = {
  api: null,
  countsDeleted: false,
  tooLongAbove: 100,
  differenceTimeoutS: 0,
  takeoutDelayS: 0,
  floods: [],
};

const CALLS_MAX = 200_000;

export type MtprotoFault =
  // The connection breaks before the call takes effect, or before its answer leaves.
  | { readonly kind: 'cut_before' }
  | { readonly kind: 'cut_after' }
  // No answer, and the connection stays.
  | { readonly kind: 'silence' }
  | { readonly kind: 'error'; readonly code: number; readonly text: string }
  | { readonly kind: 'delay'; readonly ms: number }
  // A page of the history has at most so many posts.
  | { readonly kind: 'short_page'; readonly posts: number };

export interface MtprotoFaultLine {
  readonly fault: MtprotoFault;
  // Left out: any.
  readonly method?: string;
  // How many calls it strikes; left out: one.
  readonly times?: number;
}

// What the caller gets, `delayMs` after the call came.
export type RpcReply = { readonly delayMs: number } & (
  | { readonly kind: 'result'; readonly value: TlValue }
  | { readonly kind: 'error'; readonly code: number; readonly text: string }
  | { readonly kind: 'cut' }
  | { readonly kind: 'silence' }
);

export interface MtprotoCall {
  readonly at: number;
  // Of the account; null: nobody has logged in.
  readonly phone: string | null;
  readonly method: string;
  // `ok`, the platform's refusal, or the fault.
  readonly result: string;
  // It was made although the account was told to wait.
  readonly isInsideWait: boolean;
}

interface Judged {
  readonly reply: RpcReply;
  readonly result: string;
  readonly isInsideWait: boolean;
}

export class MtprotoModel {
  readonly #ports: { readonly clock: Clock; readonly random: Random };
  readonly #state: MethodState;
  readonly #floods: MethodFloods;
  readonly #faults: { readonly line: MtprotoFaultLine; left: number }[] = [];
  readonly #calls: MtprotoCall[] = [];

  constructor(
    options: Partial<SimMtprotoOptions>,
    ports: { readonly clock: Clock; readonly random: Random },
  ) {
    const all = { ...MTPROTO_DEFAULTS, ...options };
    this.#ports = ports;
    this.#floods = new MethodFloods(all.floods);
    this.#state = {
      options: all,
      accounts: new SimAccounts(),
      channels: new Map(),
      takeouts: new Set(),
      address: { host: '127.0.0.1', port: 0 },
    };
  }

  addAccount(account: SimAccount): void {
    this.#state.accounts.add(account);
  }

  // Ends all sessions of an account.
  logOut(phone: string): void {
    this.#state.accounts.logOut(phone);
  }

  addChannel(facts: SimChannelFacts): SimChannel {
    const channel = new SimChannel(facts, this.#ports);
    this.#state.channels.set(channel.id, channel);
    return channel;
  }

  addFault(line: MtprotoFaultLine): void {
    this.#faults.push({ line, left: line.times ?? 1 });
  }

  clearFaults(): void {
    this.#faults.length = 0;
  }

  // From now on the account has to wait before it may call the method.
  freeze(phone: string, method: string, seconds: number): void {
    this.#floods.freeze(phone, method, seconds, this.#ports.clock.now());
  }

  // In the order they came; of very many the newest.
  get calls(): readonly MtprotoCall[] {
    return this.#calls;
  }

  // Where clients are told it is.
  set address(address: { readonly host: string; readonly port: number }) {
    this.#state.address = address;
  }

  newHolder(): KeyHolder {
    return this.#state.accounts.newHolder();
  }

  // `takeout`: the export it belongs to; null: none.
  call(holder: KeyHolder, call: TlObject, takeout: bigint | null): RpcReply {
    const { phone } = holder;
    const at = this.#ports.clock.now();
    const isKnown = takeout === null || this.#state.takeouts.has(takeout);
    const judged = isKnown ? this.#judge(holder, call, at) : refused(400, 'TAKEOUT_INVALID');
    const { reply, result, isInsideWait } = judged;
    this.#calls.push({ at, phone, method: call._, result, isInsideWait });
    if (this.#calls.length > CALLS_MAX) this.#calls.splice(0, CALLS_MAX / 2);
    return reply;
  }

  #judge(holder: KeyHolder, call: TlObject, now: number): Judged {
    const fault = this.#fault(call._);
    if (fault?.kind === 'cut_before' || fault?.kind === 'silence') {
      const kind = fault.kind === 'silence' ? 'silence' : 'cut';
      return { reply: { kind, delayMs: 0 }, result: fault.kind, isInsideWait: false };
    }
    const wait = this.#floods.judge(holder.phone ?? '', call._, now);
    if (wait.kind === 'wait') {
      return { ...refused(420, `FLOOD_WAIT_${wait.seconds}`), isInsideWait: wait.isInside };
    }
    if (fault?.kind === 'error') return refused(fault.code, fault.text);
    const pageMax = fault?.kind === 'short_page' ? fault.posts : PAGE_MAX;
    const judged = this.#run(holder, call, now, pageMax);
    if (fault?.kind === 'cut_after') {
      return { ...judged, reply: { kind: 'cut', delayMs: 0 }, result: fault.kind };
    }
    const delayMs = fault?.kind === 'delay' ? fault.ms : 0;
    return { ...judged, reply: { ...judged.reply, delayMs } };
  }

  #run(holder: KeyHolder, call: TlObject, now: number, pageMax: number): Judged {
    const open = OPEN_METHODS[call._];
    const method: ApiMethod | undefined = open ?? METHODS[call._];
    if (method === undefined) return refused(400, 'INPUT_METHOD_INVALID');
    if (open === undefined && holder.phone === null) return refused(401, 'AUTH_KEY_UNREGISTERED');
    try {
      const value = method(this.#state, { call, holder, now, pageMax });
      return { reply: { kind: 'result', value, delayMs: 0 }, result: 'ok', isInsideWait: false };
    } catch (error) {
      if (error instanceof RpcRefusal) return refused(error.code, error.text);
      throw error;
    }
  }

  #fault(method: string): MtprotoFault | null {
    const hit = this.#faults.find(
      ({ line, left }) => left > 0 && (line.method === undefined || line.method === method),
    );
    if (hit === undefined) return null;
    hit.left--;
    return hit.line.fault;
  }
}

function refused(code: number, text: string): Judged {
  return { reply: { kind: 'error', code, text, delayMs: 0 }, result: text, isInsideWait: false };
}
