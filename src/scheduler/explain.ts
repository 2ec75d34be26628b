// Where does a waiting delivery stand, when will it go, and why has it not gone yet?
// Position is exact within its lane; the time is an estimate from what the limits would allow.

import type { Queued } from '../domain/delivery.ts';
import { PRIORITIES } from '../domain/priority.ts';
import type { Ahead, Cause } from '../limits/limits.ts';
import type { Account } from './account.ts';
import type { Chat, Entry, Flow } from './chat.ts';
import { isInOneQueue } from './chat.ts';
import type { HeldBy } from './hindrances.ts';
import { headOf, type LineMember } from './platform-line.ts';

// So many ahead of it are looked at to estimate how many share its chat; bounded, because every acceptance asks.
const QUEUE_LOOK_MAX = 32;

export interface PlacedDelivery {
  // 1: next in its lane.
  readonly position: number;
  // null when nothing can be said: the account is held without an end.
  readonly eta: number | null;
}

export interface Explained extends PlacedDelivery {
  readonly causes: readonly HeldBy[];
}

export function place(account: Account, entry: Entry, now: number): PlacedDelivery {
  const { queued, flow } = entry;
  if (flow === null) return { position: 1, eta: queued.enterAt };
  const strict = isInOneQueue(queued, account.order);
  const elsewhere = strict ? (account.line?.aheadOf(entry, account) ?? 0) : 0;
  const position = flow.aheadOf(entry) + elsewhere + 1;
  if (account.heldUntil === Number.POSITIVE_INFINITY) return { position, eta: null };
  if (strict) {
    const eta = Math.max(etaInQueue(account, entry, flow, now), etaOfFirst(account, now));
    return { position, eta };
  }
  const ahead = aheadOf(account, entry, flow);
  const eta = Math.max(
    now,
    account.heldUntil,
    flow.head!.queued.dueAt,
    queued.dueAt,
    account.limits.project(queued, ahead.inChat, now),
    account.limits.projectAccount(queued, ahead.inAccount, now),
  );
  return { position, eta };
}

// Whoever is ahead goes first, whatever its chat: the first one's wait is everybody's.
function etaInQueue(account: Account, entry: Entry, flow: Flow, now: number): number {
  const { queued } = entry;
  const ahead = aheadOf(account, entry, flow);
  const first = flow.head!.queued;
  return Math.max(
    now,
    account.heldUntil,
    first.dueAt,
    account.limits.project(first, 0, now),
    account.limits.project(queued, ahead.inChat, now),
    account.limits.projectAccount(queued, ahead.inAccount, now),
  );
}

function aheadOf(account: Account, entry: Entry, flow: Flow): Ahead {
  const { queued } = entry;
  const ahead = flow.aheadOf(entry);
  if (isInOneQueue(queued, account.order)) return aheadInQueue(entry, ahead);
  const inChat = aheadInChat(account.chats.get(queued.chat)!, flow, ahead + 1);
  const waiting = account.waiting.reduce((a, b) => a + b);
  const inAccount = Math.min(waiting - 1, (inChat + 1) * account.chats.size - 1);
  return { inChat, inAccount };
}

// How many of those ahead share its chat is judged by the nearest of them.
function aheadInQueue(entry: Entry, ahead: number): Ahead {
  let [looked, same] = [0, 0];
  for (let e = entry.prev; e !== null && looked < QUEUE_LOOK_MAX; e = e.prev) {
    looked += 1;
    if (e.queued.chat === entry.queued.chat) same += 1;
  }
  return { inChat: looked === 0 ? 0 : Math.round((same * ahead) / looked), inAccount: ahead };
}

// The first of another account holds up all behind it.
function etaOfFirst(account: Account, now: number): number {
  const first = firstElsewhere(account);
  if (first === null) return now;
  const { member, head } = first;
  return Math.max(member.heldUntil, head.dueAt, member.limits.project(head, 0, now));
}

function firstElsewhere(account: Account): { member: LineMember; head: Queued } | null {
  const member = account.line?.first ?? null;
  const head = member === null || member === account ? null : headOf(member);
  return head === null ? null : { member: member!, head };
}

// Lanes of its class take turns with it; higher classes go first; lower ones are a few percent and left out.
function aheadInChat(chat: Chat, flow: Flow, position: number): number {
  let ahead = position - 1;
  for (const lane of chat.lanes.values()) {
    for (const other of lane.flows) {
      if (other === undefined || other === flow || other.length === 0) continue;
      if (other.rank < flow.rank) ahead += other.length;
      else if (other.rank === flow.rank) ahead += Math.min(other.length, position);
    }
  }
  return ahead;
}

export function explain(account: Account, entry: Entry, now: number): Explained {
  const { queued, flow } = entry;
  const placed = place(account, entry, now);
  const causes: HeldBy[] = [];
  // Also when its time is over: until a call has gone through, it is why what was tried waits.
  if (account.heldUntil > now || account.heldWhy !== '') causes.push(held(account));
  if (flow === null) {
    causes.push({
      kind: 'due',
      name: 'scheduled',
      until: queued.enterAt,
      detail: 'scheduled for later',
    });
    return { ...placed, causes };
  }
  const strict = isInOneQueue(queued, account.order);
  const whose = strict ? 'account' : 'lane';
  if (placed.position > 1) causes.push(aheadCause(account, entry, flow, placed.position));
  if (flow.lane.busy) {
    const detail = strict
      ? 'a call of its account is in flight, and the account sends strictly in order'
      : 'the one before it in its queue is in flight; order is kept by sending one at a time';
    causes.push({ kind: 'in_flight', name: whose, until: null, detail });
  }
  const head = flow.head!.queued;
  if (head.dueAt > now) {
    const name = head.inSlot === true ? 'slot' : 'retry';
    const which =
      head.seq === queued.seq ? `its own ${name}` : `the ${name} of the one ahead of it`;
    causes.push({ kind: 'due', name, until: head.dueAt, detail: `waits for ${which}` });
  }
  causes.push(...limitCauses(account, entry, flow, now));
  if (strict && head.seq !== queued.seq) causes.push(...firstCauses(account, head, now));
  const first = strict ? firstElsewhere(account) : null;
  if (first !== null) causes.push(...elsewhereCauses(first.member, first.head, now));
  if (account.inFlight >= account.inFlightMax) {
    const detail = `${account.inFlight} calls of the account are in flight, the bound is ${account.inFlightMax}`;
    causes.push({ kind: 'in_flight', name: 'account', until: null, detail });
  }
  return { ...placed, causes };
}

export function held(account: Account): HeldBy {
  const until = account.heldUntil === Number.POSITIVE_INFINITY ? null : account.heldUntil;
  return { kind: 'held', name: account.heldName, until, detail: account.heldWhy };
}

function aheadCause(account: Account, entry: Entry, flow: Flow, position: number): HeldBy {
  const ahead = position - 1;
  if (!isInOneQueue(entry.queued, account.order)) {
    const detail = `${ahead} of priority ${PRIORITIES[flow.rank]} before it in its queue`;
    return { kind: 'ahead', name: 'lane', until: null, detail };
  }
  const elsewhere = ahead - flow.aheadOf(entry);
  if (elsewhere === 0) {
    const detail = `${ahead} before it in its account, which sends strictly in order`;
    return { kind: 'ahead', name: 'account', until: null, detail };
  }
  const detail = `${ahead} before it on its platform, which sends strictly in order (${elsewhere} of other accounts)`;
  return { kind: 'ahead', name: 'platform', until: null, detail };
}

// The window that decides first; it may be open now, and used up by those who go before.
function limitCauses(account: Account, entry: Entry, flow: Flow, now: number): Cause[] {
  const { limits } = account;
  const causes = limits.explain(entry.queued, now);
  const decisive = limits.decisive(entry.queued, aheadOf(account, entry, flow), now);
  if (decisive === null || causes.some(({ until }) => until >= decisive.until)) return causes;
  const { name, scope } = decisive;
  return [decisive, ...causes.filter((cause) => cause.name !== name || cause.scope !== scope)];
}

// What the first of the queue waits for holds up all behind it, in other chats too.
function firstCauses(account: Account, first: Queued, now: number): Cause[] {
  return account.limits.explain(first, now).map((cause) => ({
    ...cause,
    detail: `${cause.detail} (it holds up the first in order, to chat ${first.chat})`,
  }));
}

function elsewhereCauses(member: LineMember, first: Queued, now: number): HeldBy[] {
  const held = `it holds up the first in order, of account ${member.id}`;
  const causes: HeldBy[] = member.limits.explain(first, now).map((cause) => {
    return { ...cause, detail: `${cause.detail} (${held}, to chat ${first.chat})` };
  });
  if (first.dueAt > now) {
    const detail = `waits for a retry (${held})`;
    causes.push({ kind: 'due', name: 'retry', until: first.dueAt, detail });
  }
  if (member.heldUntil > now) {
    const detail = `${member.heldWhy} (${held})`;
    causes.push({ kind: 'held', name: member.heldName, until: member.heldUntil, detail });
  }
  return causes;
}
