// One broadcast in memory: what it sends, how many of it are on the road, how fast they end. Recipients are not here;
// they are on disk.

import type { State } from '../domain/delivery.ts';
import { WITHDRAWN } from '../domain/delivery.ts';
import { type AccountId, platformOf } from '../domain/ids.ts';
import type { Charge } from '../limits/limits.ts';
import type { Platform } from '../platforms/platform.ts';
import type { BroadcastState, RecipientState, StoredBroadcast } from '../store/ports/broadcasts.ts';
import { EndRate } from './rate.ts';
import { Template } from './template.ts';

export interface End {
  readonly state: RecipientState;
  readonly reason: string | null;
}

export class Running {
  readonly id: number;
  // In the correlation of its deliveries, so that they are found by it.
  readonly publicId: string;
  readonly account: AccountId;
  readonly stored: StoredBroadcast;
  readonly platform: Platform;
  readonly template: Template;
  readonly charge: Charge;
  readonly rate: EndRate;
  // Resolves when it is over, which is on disk by then.
  readonly over: { readonly promise: Promise<void>; resolve(): void } = Promise.withResolvers();
  state: BroadcastState;
  outstanding = 0;
  // What a process before it left has been looked after.
  isTakenUp = false;
  // Nobody is left to be fed, as far as is known.
  isFed = false;
  // Pause, resume and cancel happen one after the other.
  steering: Promise<unknown> = Promise.resolve();

  constructor(stored: StoredBroadcast, platform: Platform, publicId: string, now: number) {
    this.id = stored.id;
    this.publicId = publicId;
    this.account = stored.account;
    this.stored = stored;
    this.platform = platform;
    this.state = stored.state;
    const body = JSON.parse(stored.body) as Record<string, unknown>;
    this.template = new Template(body, platform.broadcast?.escape);
    this.charge = chargeOf(platform, stored.method, body);
    this.rate = new EndRate(now);
  }

  // What the end of a delivery means for whom it was for.
  endOf(state: State, reason: string | null): End {
    switch (state) {
      case 'queued':
      case 'sending':
        return { state: 'queued', reason: null };
      case 'sent':
      case 'dead':
      case 'uncertain':
        return { state, reason };
      case 'cancelled':
        if (reason !== WITHDRAWN || this.state === 'cancelled') return { state, reason };
        return { state: 'pending', reason: null };
      case 'superseded':
      case 'expired':
        return { state: 'cancelled', reason: state };
    }
  }
}

// For a platform that names none: what an account as a whole may send does not depend on it.
const ANY_CHAT = '1';

export function describeFor(
  platform: Platform,
  method: string,
  body: Readonly<Record<string, unknown>>,
  chat = sampleOf(platform),
) {
  const params = platform.calls.address(body, { chat, thread: null });
  return { params, call: platform.calls.describe(method, params) };
}

function sampleOf({ broadcast }: Platform): string {
  return broadcast?.sampleChat ?? ANY_CHAT;
}

function chargeOf(platform: Platform, method: string, body: Record<string, unknown>): Charge {
  const { call } = describeFor(platform, method, body);
  const { chat, family, budget, cost } =
    call.kind === 'call'
      ? call
      : {
          ...{ chat: sampleOf(platform), family: 'send' as const, cost: 1 },
          budget: platform.budgets.unsolicited,
        };
  return { chat, user: null, family, budget, live: false, cost };
}

// For the log.
export function named({ id, account, total }: Pick<StoredBroadcast, 'id' | 'account' | 'total'>) {
  return { broadcast: id, platform: platformOf(account), account, total };
}
