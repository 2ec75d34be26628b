// A road that only queues, for tests of routes: deliveries end when a test says so.

import type { NewDelivery, State } from '../domain/delivery.ts';
import type { Interest, RoadEvent, RoadListener } from '../domain/event.ts';
import type { AccountId } from '../domain/ids.ts';
import type { LimitChange } from '../domain/limit-setting.ts';
import { type OwnedStore, soleOwner } from '../store/contract/sole-owner.fixture.ts';
import type { MoveCommand, QueueFull } from '../store/ports/delivery.ts';
import type { Store } from '../store/ports/store.ts';
import type {
  CosmeticAnswer,
  CosmeticCall,
  Ended,
  HandOnLimits,
  LimitsSet,
  MoveOrder,
  Probed,
  Road,
} from './road.ts';

export const ACCOUNT: AccountId = 'telegram:42';
export const START = 1_900_000_000_000;
export const QUEUE_MAX = 10;

export class FakeRoad implements Road {
  readonly #journal: OwnedStore;
  readonly #waiting = new Map<number, (ended: Ended) => void>();
  readonly #listeners = new Set<RoadListener>();
  readonly submitted: NewDelivery[] = [];
  readonly paused = new Set<string>();
  frozen: { chat: string | null; until: number; cause: string }[] = [];
  failure: Error | null = null;
  onWait: (seq: number) => void = () => {};

  constructor(journal: Store) {
    this.#journal = soleOwner(journal);
  }

  async submit(delivery: NewDelivery) {
    if (this.failure !== null) throw this.failure;
    this.submitted.push(delivery);
    return this.#journal.append(delivery, { queueMax: QUEUE_MAX });
  }

  // Whether what is submitted waits for a turn of its own.
  arePreviews = false;

  // Whether a limit is per user.
  isPacingUsers = false;

  pacesUsers(): boolean {
    return this.isPacingUsers;
  }

  isPreview() {
    return this.arePreviews;
  }

  full: QueueFull | null = null;

  fullFor() {
    return this.full;
  }

  // What messages show already.
  shown: Ended | null = null;

  unchanged() {
    return this.shown;
  }

  threadOf() {
    return null;
  }

  readonly passWaits = new Map<string, number>();

  passWait(account: AccountId, method: string) {
    return this.passWaits.get(`${account} ${method.toLowerCase()}`) ?? 0;
  }

  limitPassed(account: AccountId, method: string, until: number) {
    this.passWaits.set(`${account} ${method.toLowerCase()}`, until);
  }

  // What the platform says of every token, and the questions about them.
  isRefusing = false;
  readonly tokensAsked: AccountId[] = [];

  async isTokenRefused(account: AccountId) {
    this.tokensAsked.push(account);
    return this.isRefusing;
  }

  probed: Probed = { found: 'taken', detail: 'the platform accepts its token' };

  async probe(account: AccountId) {
    return this.accounts().some(({ id }) => id === account) ? this.probed : null;
  }

  readonly cosmetics: CosmeticCall[] = [];
  cosmeticAnswer: CosmeticAnswer = { end: 'sent', result: '{"ok":true,"result":true}' };

  passed() {}

  async cosmetic(call: CosmeticCall) {
    this.cosmetics.push(call);
    return this.cosmeticAnswer;
  }

  ended(seq: number, signal: AbortSignal): Promise<Ended> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(seq, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
      this.onWait(seq);
    });
  }

  end(seq: number, state: State, given: Partial<Ended> = {}): void {
    const nothing = { reason: null, detail: null, messageId: null, result: null };
    this.#waiting.get(seq)?.({ seq, state, ...nothing, ...given });
  }

  // Through the journal, to a state of its choice.
  async die(
    seq: number,
    reason: string,
    to: 'dead' | 'sent' = 'dead',
    result = '{"ok":true,"result":{"message_id":77}}',
  ): Promise<void> {
    await this.#journal.begin(seq, START);
    await this.#journal.settle({
      seq,
      n: 1,
      endedAt: START + 50,
      outcome: to === 'sent' ? 'sent' : 'refused',
      reason: to === 'sent' ? null : reason,
      detail: to === 'sent' ? null : 'Bad Request: no such chat',
      retryAfterMs: null,
      to,
      dueAt: 0,
      failed: to === 'dead',
      doubted: false,
      cure: null,
      messageId: to === 'sent' ? '77' : null,
      result: to === 'sent' ? result : null,
      limits: [],
    });
  }

  caller(): void {}

  async unanswered(): Promise<[]> {
    return [];
  }

  // Whose it is, the journal remembers.
  moveTogether(orders: readonly MoveOrder[]) {
    return Promise.all(orders.map((each) => this.move(each)));
  }

  move({ account: _, ...command }: MoveCommand & { readonly account?: AccountId }) {
    return this.#journal.move(command);
  }

  place(seq: number) {
    return this.submitted.length >= seq ? { position: seq, eta: START + seq * 1000 } : null;
  }

  explain(seq: number) {
    if (seq !== 1) return null;
    const cause = { kind: 'freeze', name: 'chat', scope: 'chat', detail: 'frozen' } as const;
    const causes = [{ ...cause, until: START + 9000 }];
    const words = { summary: 'the chat is frozen', cause: null, waitsFor: null };
    return { position: 1, eta: START + 9000, state: 'queued' as const, ...words, causes };
  }

  accounts() {
    const breaker = {
      state: 'open' as const,
      until: START + 5000,
      cause: '5 failures',
      detail: 'ECONNREFUSED',
    };
    const held = { refused: null, breaker, silentSince: null };
    const rest = { platform: 'telegram', ...held, waiting: 3, inFlight: 1 };
    return [{ id: ACCOUNT, paused: this.paused.has(ACCOUNT), ...rest }];
  }

  freezes() {
    return this.limits(null).flatMap(({ account, chat: name, freezes }) =>
      freezes.map((each) => ({ ...each, account, name })),
    );
  }

  limits(account: AccountId | null) {
    if (account !== null && account !== ACCOUNT) return [];
    const says = 'this group takes 20 messages a minute';
    const amount = { used: 20, count: 20, perMs: 60_000, learned: 1 };
    const rule = { name: 'group', scope: 'chat', says, ...amount };
    const freeze = { scope: 'chat', since: START, until: START + 7_200_000, cause: '429' };
    const rules = [{ ...rule, freeAt: START + 1000 }];
    return [{ account: ACCOUNT, chat: '-100', rules, freezes: [freeze] }];
  }

  async freeze({ account, chat }: HandOnLimits, until: number, cause: string) {
    if (account !== ACCOUNT) return null;
    const longer = this.frozen.find((each) => each.chat === chat && each.until > until);
    if (longer === undefined) this.frozen.push({ chat, until, cause });
    return longer?.until ?? until;
  }

  async thaw({ account, chat }: HandOnLimits) {
    if (account !== ACCOUNT) return 0;
    const before = this.frozen.length;
    this.frozen = this.frozen.filter((each) => each.chat !== chat);
    return before - this.frozen.length;
  }

  readonly byHand = new Map<string, number>();

  limitSettings(account: AccountId) {
    if (account !== ACCOUNT) return null;
    const byHand = this.byHand.get('group_mpm');
    const about = { meaning: 'Messages to one group', unit: 'per any minute', usual: 20 };
    const from = byHand === undefined ? ('default' as const) : ('hand' as const);
    const expected = 'a whole number from 1 to 6000';
    return [{ name: 'group_mpm', ...about, expected, value: byHand ?? 20, from }];
  }

  async setLimits(account: AccountId, change: LimitChange): Promise<LimitsSet> {
    if (account !== ACCOUNT) return { kind: 'unknown' };
    const value = change.group_mpm;
    if (value === null || value === undefined) this.byHand.delete('group_mpm');
    else if (typeof value !== 'number' || value > 6000) {
      const expected = 'a whole number from 1 to 6000';
      return { kind: 'wrong', problems: [{ name: 'group_mpm', expected }] };
    } else this.byHand.set('group_mpm', value);
    return { kind: 'set', settings: this.limitSettings(account) ?? [] };
  }

  async pause(account: AccountId) {
    if (account !== ACCOUNT) return false;
    this.paused.add(account);
    return true;
  }

  async resume(account: AccountId) {
    return account === ACCOUNT && (this.paused.delete(account) || true);
  }

  // The first that was submitted, if any.
  waiting() {
    const [first] = this.submitted;
    if (first === undefined) return [];
    const { account, chat } = first;
    return [{ seq: 1, account, chat, since: START, behind: 2 }];
  }

  depths() {
    return { critical: 1, high: 2, normal: 3, low: 4, retry: 2, inFlight: 1, oldestDueAt: null };
  }

  listen(listener: RoadListener, interest?: Interest) {
    const wrapped: RoadListener = (event) => {
      if (interest === undefined || interest === interestOf(event)) listener(event);
    };
    this.#listeners.add(wrapped);
    return () => this.#listeners.delete(wrapped);
  }

  readonly #counts = { accepted: 0, sent: 0, limited: 0, failed: 0, dead: 0, events: 0 };

  counts() {
    return this.#counts;
  }

  emit: RoadListener = (event) => {
    this.#counts.events += 1;
    if (event.kind === 'accepted') this.#counts.accepted += 1;
    if (event.kind === 'moved' && event.to === 'sent') this.#counts.sent += 1;
    for (const listener of this.#listeners) listener(event);
  };
}

function interestOf(event: RoadEvent): Interest {
  if (event.kind === 'accepted') return 'routine';
  if (event.kind === 'attempted') return event.outcome === 'sent' ? 'routine' : 'trouble';
  return event.kind === 'moved' && event.to === 'sent' ? 'routine' : 'trouble';
}
