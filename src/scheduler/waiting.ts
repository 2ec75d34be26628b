// Who waits, and for how long, for a person who looks: the first of each lane, those that wait longest first, or all of
// one chat. It walks every lane, so people ask it and the loop does not.

import type { Queued } from '../domain/delivery.ts';
import type { Priority } from '../domain/priority.ts';
import type { Account } from './account.ts';
import type { Flow } from './chat.ts';

export interface WaitingQuery {
  readonly account?: string;
  // All that wait in it, not only the first of each lane.
  readonly chat?: string;
  readonly priority?: Priority;
}

export interface WaitingDelivery {
  readonly queued: Queued;
  // Those of its lane and class that wait behind it, about.
  readonly behind: number;
}

export function waiting(
  accounts: ReadonlyMap<string, Account>,
  filter: WaitingQuery,
  max: number,
): WaitingDelivery[] {
  const { account, chat, priority } = filter;
  const found = new Longest(max);
  const one = account === undefined ? undefined : accounts.get(account);
  const asked = account === undefined ? accounts.values() : one === undefined ? [] : [one];
  for (const each of asked) {
    if (chat === undefined) offerHeads(each, priority, found);
    else offerChat(each, chat, priority, found);
  }
  return found.list;
}

// When the longest-waiting head of a lane became due; null: nothing waits.
export function oldestDueAt(accounts: Iterable<Account>): number | null {
  let oldest = Number.POSITIVE_INFINITY;
  for (const account of accounts) {
    forEachHead(account, ({ enterAt, dueAt }) => {
      oldest = Math.min(oldest, Math.max(enterAt, dueAt));
    });
  }
  return oldest === Number.POSITIVE_INFINITY ? null : oldest;
}

function offerHeads(account: Account, priority: Priority | undefined, found: Longest): void {
  forEachHead(account, (head, flow) => {
    if (isOf(head, priority)) found.offer(head, flow.length - 1);
  });
}

function forEachHead(account: Account, visit: (head: Queued, flow: Flow) => void): void {
  for (const chat of account.chats.values()) {
    for (const lane of chat.lanes.values()) {
      for (const flow of lane.flows) {
        if (flow !== undefined && flow.head !== null) visit(flow.head.queued, flow);
      }
    }
  }
}

function offerChat(
  account: Account,
  chat: string,
  priority: Priority | undefined,
  found: Longest,
): void {
  for (const { queued } of account.waitingIn(chat)) {
    if (isOf(queued, priority)) found.offer(queued, 0);
  }
}

function isOf(queued: Queued, priority: Priority | undefined): boolean {
  return priority === undefined || queued.priority === priority;
}

// Keeps the first so many in order of (enterAt, account, rank); most that are offered come too late and cost one
// comparison.
class Longest {
  readonly list: WaitingDelivery[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  offer(queued: Queued, behind: number): void {
    const { list } = this;
    if (list.length === this.#max && !isBefore(queued, list.at(-1)!.queued)) return;
    let place = list.length;
    while (place > 0 && isBefore(queued, list[place - 1]!.queued)) place -= 1;
    list.splice(place, 0, { queued, behind });
    if (list.length > this.#max) list.pop();
  }
}

// Ranks are each account's own: two of them say nothing about each other.
function isBefore(a: Queued, b: Queued): boolean {
  if (a.enterAt !== b.enterAt) return a.enterAt < b.enterAt;
  return a.account === b.account ? a.rank < b.rank : a.account < b.account;
}
