// The road as intake sees it: submit, wait for the end, ask where it stands and why, pause and resume.

import type { Delivery, NewDelivery } from '../domain/delivery.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type {
  AccountView,
  AskedRoad,
  Depths,
  Ended,
  Explanation,
  LimitsView,
  Prospect,
  QueuePosition,
  WaitingFilter,
  WaitingHead,
} from '../road/road.ts';
import type { Clock } from '../system/clock.ts';
import { freezeByHand, thawByHand } from './account/by-hand.ts';
import { type BoundParts, boundSubmit, fullFor, type QueueBounds } from './account/queue-bounds.ts';
import type { Dispatch } from './dispatch.ts';
import { summaryOf } from './summary.ts';

// A chain of replacements longer than this is cut: the caller hears of the last one reached.
const REPLACEMENTS_FOLLOWED_MAX = 1_000;
const LIMIT_VIEWS_MAX = 10_000;

export interface FrontOptions {
  readonly dispatch: Dispatch;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly accounts: {
    list(): readonly { id: string; platform: string; paused: boolean; refused: string | null }[];
    setPaused(id: string, paused: boolean): Promise<boolean>;
  };
  readonly bounds: QueueBounds;
  readonly onFull: BoundParts['onFull'];
}

export function createRoad(options: FrontOptions): AskedRoad {
  const { dispatch, clock, accounts } = options;
  const { scheduler, teller } = dispatch;
  const setPaused = async (id: string, paused: boolean) => {
    if (!(await accounts.setPaused(id, paused))) return false;
    dispatch.limitsOf(id);
    dispatch.holds.setPaused(id, paused);
    dispatch.wake();
    return true;
  };
  const isKnown = (account: string) => accounts.list().some(({ id }) => id === account);
  const bounds: BoundParts = {
    ...options.bounds,
    loadOf: (account) => dispatch.loadOf(account),
    queueBytesMaxOf: (account) => dispatch.profileOf(account).queueBytesMax,
    onFull: options.onFull,
  };
  return {
    submit: boundSubmit(bounds, (delivery) => dispatch.submit(delivery)),
    fullFor: (account, bytes) => fullFor(bounds, account, bytes),
    unchanged: (delivery) => unchanged(dispatch, delivery),
    cosmetic: (call) => dispatch.cosmetic(call),
    move: (command) => dispatch.move(command),
    caller: (account, seq, isThere) => dispatch.callers.note(account, seq, isThere),
    unanswered: (bounds) => dispatch.callers.unanswered(bounds),
    ended: (seq, signal) => ended(options, seq, signal),
    place: (seq): QueuePosition | null => scheduler.place(seq, clock.now()),
    explain: (seq) => explanationOf(dispatch, seq, clock.now()),
    isWaiting: (seq) => scheduler.isWaiting(seq),
    earliest: (call) => earliest(dispatch, call, clock.now()),
    hindrance: (call) => hindrance(dispatch, call, clock.now()),
    accounts: (): AccountView[] =>
      accounts.list().map(({ id, platform, paused, refused }) => {
        const breaker = dispatch.holds.view(id);
        return { id, platform, paused, refused, breaker, ...scheduler.depthOf(id) };
      }),
    limits: (account, viewsMax = LIMIT_VIEWS_MAX) =>
      limitsView(dispatch, account, clock.now(), viewsMax),
    pause: (id) => setPaused(id, true),
    resume: (id) => setPaused(id, false),
    probe: async (id) => {
      if (!isKnown(id)) return null;
      dispatch.limitsOf(id);
      return dispatch.tokens.probe(id);
    },
    freeze: async (what, until, cause) => {
      if (!isKnown(what.account)) return false;
      await freezeByHand(dispatch, what, until, cause, clock.now());
      return true;
    },
    thaw: async (what) => (isKnown(what.account) ? thawByHand(dispatch, what, clock.now()) : 0),
    depths: (): Depths => ({ ...scheduler.depths(), oldestDueAt: scheduler.oldestDueAt() }),
    waiting: (filter, max) => waitingHeads(dispatch, filter, max),
    listen: (listener) => teller.listen(listener),
  };
}

async function ended(options: FrontOptions, seq: number, signal: AbortSignal): Promise<Ended> {
  const { dispatch, ledger } = options;
  let current = seq;
  for (let i = 0; i < REPLACEMENTS_FOLLOWED_MAX; i++) {
    if (dispatch.isOnRoad(current)) return dispatch.teller.waiters.wait(current, signal);
    const record = await ledger.get(current);
    // It may have come back to the road, or moved on, while the ledger was read.
    if (record === null) return missing(current);
    if (record.state === 'superseded' && record.supersededBy !== null)
      current = record.supersededBy;
    else if (record.state !== 'queued' && record.state !== 'sending') return endedOf(record);
  }
  return missing(current);
}

function unchanged(dispatch: Dispatch, delivery: NewDelivery): Ended | null {
  const known = dispatch.shows(delivery);
  if (known === null) return null;
  const { messageId, result } = known.sent;
  return { seq: known.seq, state: 'sent', reason: null, detail: null, messageId, result };
}

function endedOf(record: Delivery): Ended {
  const { seq, state, reason, detail, messageId, result } = record;
  return { seq, state, reason, detail, messageId, result };
}

function missing(seq: number): Ended {
  const detail = 'its record is no longer kept';
  return { seq, state: 'cancelled', reason: 'unknown', detail, messageId: null, result: null };
}

function explanationOf(dispatch: Dispatch, seq: number, now: number): Explanation | null {
  const { scheduler } = dispatch;
  if (scheduler.isFlying(seq)) {
    const summary = 'it is being sent now';
    return { position: 0, eta: now, state: 'sending', summary, causes: [] };
  }
  const explained = scheduler.explain(seq, now);
  if (explained === null) return null;
  return { ...explained, state: 'queued', summary: summaryOf(explained, now) };
}

function waitingHeads(dispatch: Dispatch, filter: WaitingFilter, max: number): WaitingHead[] {
  return dispatch.scheduler.waiting(filter, max).map(({ queued, behind }) => {
    const { seq, account, chat, enterAt } = queued;
    return { seq, account, chat, since: enterAt, behind };
  });
}

function earliest(dispatch: Dispatch, call: Prospect, now: number): number {
  const limits = dispatch.limitsOf(call.account);
  const charge = { ...call, chat: dispatch.aliases.canonical(call.account, call.chat) };
  return Math.max(
    dispatch.scheduler.heldUntil(call.account),
    limits.earliestChat(charge, now),
    limits.earliestAccount(charge, now),
  );
}

function hindrance(dispatch: Dispatch, call: Prospect, now: number): string | null {
  const at = earliest(dispatch, call, now);
  if (at <= now) return null;
  const charge = { ...call, chat: dispatch.aliases.canonical(call.account, call.chat) };
  const causes = dispatch.limitsOf(call.account).explain(charge, now);
  const held = dispatch.scheduler.holdOf(call.account, now);
  const eta = Number.isFinite(at) ? at : null;
  return summaryOf({ position: 1, eta, causes: held === null ? causes : [held, ...causes] }, now);
}

function limitsView(
  dispatch: Dispatch,
  only: string | null,
  now: number,
  viewsMax: number,
): LimitsView[] {
  const views: LimitsView[] = [];
  for (const [account, limits] of dispatch.allLimits) {
    if (only !== null && account !== only) continue;
    for (const view of limits.view(now, viewsMax - views.length)) views.push({ account, ...view });
    if (views.length >= viewsMax) break;
  }
  return views;
}
