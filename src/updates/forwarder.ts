// Hands updates on to the app: in order and one at a time per chat, chats side by side. A chat whose update the app
// does not take rests and tries again, as platforms do with their webhooks; the others do not notice.
// What is taken is marked as done before the chat's next goes, so a crash repeats at most what was under way.
// Payloads stay on disk; a waiting update costs a few words here.

import { type AccountId, platformOf } from '../domain/ids.ts';
import type { UpdateStore, WaitingIncoming } from '../store/ports/updates.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { Reply } from '../system/http/transport.ts';
import type { Random } from '../system/random.ts';
import { drained, type Service } from '../system/service.ts';

export interface ForwarderParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly incoming: Pick<UpdateStore, 'body' | 'done' | 'retry'>;
  // One try: the update's text to the app of the account.
  post(account: AccountId, updateId: string, body: string): Promise<Reply>;
  // What the app said is taken care of; 'later': it cannot be now, so the update goes to the app again.
  answered(account: AccountId, updateId: string, reply: Reply): Promise<'done' | 'later'>;
  // It waits no more: the app has it, or it is gone from the store.
  ended(account: AccountId, how: 'taken' | 'gone'): void;
  // A try failed.
  failed(account: AccountId): void;
  readonly log: { warn(fields: object, message: string): void };
}

// Posts under way at once for one account, as platforms do by default.
export const POSTS_MAX = 40;
const BACKOFF_MS = 1000;
// The longest rest is drawn between one and two of these, as that of platforms is.
const REST_MS_MAX = 60_000;
const RETRY_AFTER_S_MAX = 3600;
// An app that is away fails every chat: one line says it for all of them.
const LOGGED_EVERY_MS = 10_000;

interface Item extends WaitingIncoming {
  // The app has it; what remains is to say so durably.
  readonly isTaken: boolean;
}

interface Lane {
  readonly account: AccountId;
  readonly key: string;
  readonly items: Item[];
  rest: Timer | null;
  isDropped: boolean;
}

interface Desk {
  readonly ready: Lane[];
  posting: number;
  loggedAt: number;
}

export class Forwarder implements Service {
  readonly #parts: ForwarderParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #desks = new Map<string, Desk>();
  readonly #underWay = new Set<Promise<void>>();
  #life: 'new' | 'running' | 'stopped' = 'new';

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  // To be called in the order the updates came. Before the start they only line up.
  add(waiting: WaitingIncoming): void {
    const { account, chat } = waiting;
    const key = `${account}\0${chat ?? ''}`;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { account, key, items: [], rest: null, isDropped: false };
      this.#lanes.set(key, lane);
    }
    lane.items.push({ ...waiting, isTaken: false });
    if (lane.items.length === 1 && this.#life === 'running') this.#queue(lane);
  }

  // What waits of it is another's to post; what is under way ends, and is not tried again here.
  drop(account: AccountId): void {
    for (const lane of this.#lanes.values()) {
      if (lane.account !== account) continue;
      lane.rest?.cancel();
      lane.isDropped = true;
      this.#lanes.delete(lane.key);
    }
    const desk = this.#desks.get(account);
    if (desk !== undefined) desk.ready.length = 0;
  }

  async start(): Promise<void> {
    if (this.#life !== 'new') return;
    this.#life = 'running';
    for (const lane of this.#lanes.values()) this.#queue(lane);
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#life = 'stopped';
    for (const lane of this.#lanes.values()) lane.rest?.cancel();
    await drained(this.#parts.clock, this.#underWay, deadlineMs);
  }

  // When its first item is due, the lane stands in line for a post.
  #queue(lane: Lane): void {
    const { clock } = this.#parts;
    const { dueAt } = lane.items[0]!;
    if (dueAt <= clock.now()) {
      this.#deskOf(lane.account).ready.push(lane);
      this.#pump(lane.account);
      return;
    }
    lane.rest = clock.schedule(dueAt, () => {
      lane.rest = null;
      this.#deskOf(lane.account).ready.push(lane);
      this.#pump(lane.account);
    });
  }

  #pump(account: AccountId): void {
    const desk = this.#deskOf(account);
    while (this.#life === 'running' && desk.posting < POSTS_MAX) {
      const lane = desk.ready.shift();
      if (lane === undefined) return;
      desk.posting += 1;
      const work = this.#handOver(lane).finally(() => {
        desk.posting -= 1;
        this.#underWay.delete(work);
        this.#pump(account);
      });
      this.#underWay.add(work);
    }
  }

  async #handOver(lane: Lane): Promise<void> {
    const item = lane.items[0]!;
    const end = await this.#tryOnce(item).catch((error: unknown) => storeFailure(error));
    if (typeof end === 'string') {
      lane.items.shift();
      this.#parts.ended(lane.account, end);
      if (lane.items.length === 0 && !lane.isDropped) this.#lanes.delete(lane.key);
    } else {
      await this.#rest(lane, end);
    }
    if (lane.isDropped) return;
    if (lane.items.length > 0 && this.#life === 'running') this.#queue(lane);
  }

  async #tryOnce(item: Item): Promise<'taken' | 'gone' | Failure> {
    const { incoming, post, answered } = this.#parts;
    const { account, updateId } = item;
    if (!item.isTaken) {
      const body = await incoming.body({ account, updateId });
      if (body === null) return 'gone';
      const reply = await post(account, updateId, body);
      const failure = failureOf(reply);
      if (failure !== null) return failure;
      const answer = await answered(account, updateId, reply);
      if (answer === 'later') return { why: 'its answer cannot be taken on now', restMs: null };
    }
    try {
      await incoming.done({ account, updateId });
      return 'taken';
    } catch (error) {
      return { ...storeFailure(error), isTaken: true };
    }
  }

  async #rest(lane: Lane, failure: Failure): Promise<void> {
    const { clock, random, incoming, failed } = this.#parts;
    const item = lane.items[0]!;
    const attempts = item.attempts + 1;
    const longest = REST_MS_MAX * (1 + random.next());
    const restMs = failure.restMs ?? Math.min(BACKOFF_MS * 2 ** (attempts - 1), longest);
    const dueAt = clock.now() + restMs;
    lane.items[0] = { ...item, attempts, dueAt, isTaken: item.isTaken || failure.isTaken === true };
    const { account, updateId, chat } = item;
    failed(account);
    this.#logFailure(account, {
      updateId,
      chat,
      attempts,
      restMs: Math.round(restMs),
      why: failure.why,
    });
    // Only a courtesy to the next process: without it that one tries a little earlier.
    await incoming.retry({ account, updateId, attempts, dueAt }).catch(() => {});
  }

  #logFailure(account: AccountId, about: object): void {
    const desk = this.#deskOf(account);
    const now = this.#parts.clock.now();
    if (now - desk.loggedAt < LOGGED_EVERY_MS) return;
    desk.loggedAt = now;
    const fields = { platform: platformOf(account), account, ...about };
    this.#parts.log.warn(fields, 'the app did not take an update; trying again');
  }

  #deskOf(account: AccountId): Desk {
    let desk = this.#desks.get(account);
    if (desk === undefined) {
      desk = { ready: [], posting: 0, loggedAt: Number.NEGATIVE_INFINITY };
      this.#desks.set(account, desk);
    }
    return desk;
  }
}

interface Failure {
  readonly why: string;
  // As the app asks; null: as the number of tries says.
  readonly restMs: number | null;
  readonly isTaken?: true;
}

function storeFailure(error: unknown): Failure {
  return { why: error instanceof Error ? error.message : String(error), restMs: null };
}

function failureOf(reply: Reply): Failure | null {
  if (reply.kind !== 'answered') return { why: reply.reason, restMs: null };
  if (reply.status >= 200 && reply.status < 300) return null;
  const asked = Number(reply.headers['retry-after']);
  const isAsked = asked > 0 && asked <= RETRY_AFTER_S_MAX;
  return { why: `HTTP ${reply.status}`, restMs: isAsked ? asked * 1000 : null };
}
