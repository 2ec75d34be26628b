// Inbound: everything that comes in. It sees updates (polled through the gateway, or by webhook),
// keeps them, knows from them which calls are answers, and hands them on to the app: posted, or polled.
// May assume that the accounts it is asked about are known, and that nobody calls before the start.

import { createHmac } from 'node:crypto';
import { type AccountId, accountId, isSandboxAccount, platformOf, SANDBOX } from '../domain/ids.ts';
import type {
  MessageReceipt,
  Platform,
  UpdatePart,
  UpdateSummary,
  WebhookCall,
} from '../platforms/platform.ts';
import type { UpdatePlace, UpdateStore, WaitingIncoming } from '../store/ports/updates.ts';
import type { Clock } from '../system/clock.ts';
import type { Reply } from '../system/http/transport.ts';
import type { Periodic } from '../system/periodic.ts';
import type { Random } from '../system/random.ts';
import type { Service } from '../system/service.ts';
import { Forwarder } from './forwarder.ts';
import { BEFORE_ALL, type Polled, Polls } from './polls.ts';
import type { Inbound, PostedUpdate, ReceivedUpdate, UpdateEnd, WebhookView } from './port.ts';
import { createPruning } from './pruning.ts';
import type { AnsweringCall } from './seen.ts';
import { derivedSigningSecret, signedHeaders, webhookId } from './signature.ts';
import { rowOf, Watch } from './watch.ts';

export type { WebhookCall } from '../platforms/platform.ts';
export type { Polled } from './polls.ts';
export type { Inbound, PostedUpdate, ReceivedUpdate, UpdateEnd, WebhookView } from './port.ts';
export type { AnsweringCall } from './seen.ts';

export interface InboundSettings {
  readonly replyWindowS: number;
  readonly forwardUrl: string | null;
  readonly webhookSecret: string | null;
  // What is posted to the app is signed with it, and with the one before while both are in use; null: derived.
  readonly signingSecret: string | null;
  readonly signingSecretPrevious: string | null;
  readonly updatesFromStore: boolean;
}

export interface InboundParts {
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly random: Random;
  readonly journal: { readonly incoming: UpdateStore };
  // Secrets of webhooks are derived from it.
  readonly secret: string;
  // Those derived from the one before it are good as well, until the platform was told the new ones.
  readonly secretPrevious?: string | null;
  readonly accounts: { list(): readonly AccountId[]; has(account: AccountId): boolean };
  // Accounts are taken one by one, and may be another node's.
  readonly isFleet?: boolean;
  // Whose updates an account's are; undefined: no such platform.
  readonly platformOf: (
    account: AccountId,
  ) => Pick<Platform, 'calls' | 'budgets' | 'updates'> | undefined;
  readonly settingsOf: (account: AccountId) => InboundSettings;
  readonly post: (
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    deadlineMs: number,
  ) => Promise<Reply>;
  // A call the app put into its answer, to be made once per key; 'later': it cannot be accepted now.
  readonly call: (account: AccountId, call: WebhookCall, key: string) => Promise<'done' | 'later'>;
  // What the platform tells of a message that it has taken; durable when it resolves.
  readonly receipt: (account: AccountId, receipt: MessageReceipt) => Promise<void>;
  // The bot's own name, without the @; null: the platform does not say.
  readonly usernameOf: (account: AccountId) => Promise<string | null>;
  // Told of each update before the platform is told that it was taken, or on its way to an app that polls.
  readonly observe?: (account: AccountId, update: unknown) => Promise<void>;
  // What became of an update.
  readonly count: (account: AccountId, end: UpdateEnd) => void;
  readonly log: { warn(fields: object, message: string): void };
}

// Updates of one account that wait for the app; beyond it the platform is told to keep them, which it does for a day.
export const WAITING_MAX = 100_000;
// As long as the platform itself waits for an app's answer.
const POST_MS_MAX = 60_000;
const PAGE = 1000;
const NO_UPDATES: Polled = Object.freeze({ kind: 'updates', bodies: [] });

export function createInbound(parts: InboundParts): Inbound {
  return new InboundPart(parts);
}

class InboundPart implements Inbound {
  readonly seen: { has(account: AccountId): boolean };
  readonly #parts: InboundParts;
  readonly #watch: Watch;
  readonly #polls: Polls;
  readonly #forwarder: Forwarder;
  readonly #pruning: Service;
  readonly #waiting = new Map<AccountId, number>();
  // Of a fleet: the accounts of this node.
  readonly #owned = new Set<AccountId>();
  #started: Promise<void> | null = null;
  #isStopped = false;

  constructor(parts: InboundParts) {
    const { clock, periodic, random, journal, log } = parts;
    const { incoming } = journal;
    const taken = (account: AccountId, count: number) => {
      this.#count(account, -count);
      for (let i = 0; i < count; i++) parts.count(account, 'taken');
    };
    const { settingsOf, usernameOf, platformOf } = parts;
    const replyWindowMsOf = (account: AccountId) =>
      platformOf(account)?.updates?.replyWindowMs ?? settingsOf(account).replyWindowS * 1000;
    this.#parts = parts;
    this.#watch = new Watch({ clock, incoming, replyWindowMsOf, usernameOf, platformOf, log });
    this.seen = this.#watch.seen;
    this.#polls = new Polls({ clock, incoming, taken });
    const expired = (account: AccountId) => {
      parts.count(account, 'expired');
      // The forwarder finds out by itself when it comes to it.
      if (this.servesUpdates(account)) this.#count(account, -1);
    };
    this.#pruning = createPruning({ periodic, log, expired, prune: incoming.prune });
    this.#forwarder = new Forwarder({
      clock,
      random,
      incoming,
      log,
      ended: (account, how) => {
        if (how === 'taken') taken(account, 1);
        else this.#count(account, -1);
      },
      failed: (account) => parts.count(account, 'failed'),
      post: (account, updateId, body) => this.#post(account, updateId, body),
      answered: (account, updateId, reply) => this.#answered(account, updateId, reply),
    });
  }

  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    if (this.#isStopped) return;
    if (this.#parts.isFleet !== true) {
      for (const account of this.#parts.accounts.list()) await this.#watch.restore(account);
      await this.#lineUp(null);
    }
    if (this.#isStopped) return;
    await this.#forwarder.start();
    await this.#pruning.start();
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopped = true;
    this.#polls.stop();
    await Promise.all([this.#forwarder.stop(deadlineMs), this.#pruning.stop(deadlineMs)]);
  }

  saw(account: AccountId, updates: readonly unknown[]): void {
    this.#watch.note(account, updates);
    for (const update of updates) void this.#parts.observe?.(account, update).catch(() => {});
  }

  forget(account: AccountId): void {
    this.#watch.forget(account);
  }

  nameOf(account: AccountId, chat: string): string | null {
    return this.#watch.nameOf(account, chat);
  }

  budgetFor(account: AccountId, call: AnsweringCall): string {
    return this.#watch.budgetFor(account, call);
  }

  priorityFor(account: AccountId, call: AnsweringCall): 'high' | null {
    return this.#watch.priorityFor(account, call);
  }

  authorOf(account: AccountId, call: Pick<AnsweringCall, 'chat' | 'params'>): string | null {
    return this.#watch.authorOf(account, call);
  }

  // Both are looked at in any case, so that the time tells nobody which accounts there are.
  admits(account: AccountId, posted: PostedUpdate): boolean {
    const isRight = this.#isProven(account, posted);
    return this.#parts.accounts.has(account) && isRight;
  }

  async receive(
    account: AccountId,
    posted: PostedUpdate,
    update: unknown,
  ): Promise<ReceivedUpdate> {
    if (!this.admits(account, posted)) return { kind: 'unauthorized' };
    const waiting = this.#waiting.get(account) ?? 0;
    if (waiting >= WAITING_MAX) return { kind: 'full', waiting, waitingMax: WAITING_MAX };
    let isKnown = false;
    for (const part of this.#partsOf(account, update)) {
      const owner = this.#ownerOf(account, part.id);
      for (const receipt of part.receipts) await this.#parts.receipt(owner, receipt);
      const [summary] = this.#watch.look(owner, [part.update]);
      if (summary === undefined) continue;
      isKnown = true;
      this.#parts.platformOf(owner)?.updates?.received?.(part.update);
      await this.#parts.observe?.(owner, part.update);
      await this.#keep(owner, summary, JSON.stringify(part.update));
    }
    return isKnown ? { kind: 'received' } : { kind: 'invalid' };
  }

  // null: the platform asks for something else, or does not know the account.
  challenge(account: AccountId, query: Readonly<Record<string, unknown>>): string | null {
    const { accounts, platformOf: of } = this.#parts;
    const answer = of(account)?.updates?.challenge?.answer(query, this.#secretOf(account)) ?? null;
    return accounts.has(account) ? answer : null;
  }

  #partsOf(account: AccountId, update: unknown): readonly UpdatePart[] {
    const whole = { id: null, update, receipts: [] };
    const reading = this.#parts.platformOf(account)?.updates;
    if (reading?.parts === undefined) return [whole];
    try {
      return reading.parts(update);
    } catch (error) {
      const about = { err: error, platform: platformOf(account), account };
      this.#parts.log.warn(about, 'an update cannot be read');
      return [whole];
    }
  }

  // Accounts that share an app share its webhook, and its secret: each gets what is its own.
  #ownerOf(account: AccountId, id: string | null): AccountId {
    if (id === null) return account;
    const host = isSandboxAccount(account) ? SANDBOX : '';
    const owner = accountId(platformOf(account), host, id);
    const isOther = owner !== account && this.#parts.accounts.has(owner);
    return isOther && this.#secretOf(owner) === this.#secretOf(account) ? owner : account;
  }

  async #keep(account: AccountId, summary: UpdateSummary, body: string): Promise<void> {
    const { clock, journal, count } = this.#parts;
    const { forwardUrl, updatesFromStore } = this.#parts.settingsOf(account);
    const state = forwardUrl !== null || updatesFromStore ? 'waiting' : 'seen';
    const row = rowOf(account, summary, clock.now(), state, state === 'seen' ? '' : body);
    const [isNew] = await journal.incoming.record([row]);
    count(account, isNew === true ? 'received' : 'repeated');
    if (isNew === true && state === 'waiting') this.#arrived({ ...row, attempts: 0, dueAt: 0 });
  }

  webhookOf(account: AccountId): WebhookView | null {
    if (!this.#parts.accounts.has(account)) return null;
    const { forwardUrl, updatesFromStore } = this.#parts.settingsOf(account);
    const kept = updatesFromStore ? 'kept for polling' : 'seen only';
    return {
      path: `/webhook/${account.replace(':', '/')}`,
      secret: this.#secretOf(account),
      verifyToken:
        this.#parts.platformOf(account)?.updates?.challenge?.tokenOf(this.#secretOf(account)) ??
        null,
      signingSecret: this.#signingSecrets(account)[0]!,
      to: forwardUrl === null ? kept : 'forwarded',
      waiting: this.#waiting.get(account) ?? 0,
    };
  }

  servesUpdates(account: AccountId): boolean {
    const { forwardUrl, updatesFromStore } = this.#parts.settingsOf(account);
    return forwardUrl === null && updatesFromStore;
  }

  async poll(account: AccountId, params: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    const reading = this.#parts.platformOf(account)?.updates;
    if (reading === undefined) return NO_UPDATES;
    return this.#polls.poll(account, reading, reading.readPoll(params), signal);
  }

  #arrived(row: WaitingIncoming): void {
    const { account } = row;
    this.#count(account, 1);
    if (this.#parts.settingsOf(account).forwardUrl !== null) this.#forwarder.add(row);
    else this.#polls.wake(account);
  }

  #count(account: AccountId, change: number): void {
    this.#waiting.set(account, Math.max(0, (this.#waiting.get(account) ?? 0) + change));
  }

  #isProven(account: AccountId, { headers, rawBody }: PostedUpdate): boolean {
    const { secretPrevious = null, settingsOf, platformOf } = this.#parts;
    const reading = platformOf(account)?.updates;
    if (reading === undefined) return false;
    if (reading.verify(headers, rawBody, this.#secretOf(account))) return true;
    if (secretPrevious === null || settingsOf(account).webhookSecret !== null) return false;
    return reading.verify(headers, rawBody, derivedSecret(secretPrevious, account));
  }

  #secretOf(account: AccountId): string {
    const { settingsOf, secret } = this.#parts;
    return settingsOf(account).webhookSecret ?? derivedSecret(secret, account);
  }

  // The current one first.
  #signingSecrets(account: AccountId): string[] {
    const { settingsOf, secret, secretPrevious = null } = this.#parts;
    const { signingSecret, signingSecretPrevious } = settingsOf(account);
    const current = signingSecret ?? derivedSigningSecret(secret, account);
    if (signingSecretPrevious !== null) return [current, signingSecretPrevious];
    if (signingSecret !== null || secretPrevious === null) return [current];
    return [current, derivedSigningSecret(secretPrevious, account)];
  }

  async #post(account: AccountId, updateId: string, body: string): Promise<Reply> {
    const { post, settingsOf, clock } = this.#parts;
    const { forwardUrl } = settingsOf(account);
    if (forwardUrl === null) return { kind: 'unsent', reason: 'no forward_url', detail: '' };
    const secrets = this.#signingSecrets(account);
    const id = webhookId(account, updateId);
    const signed = signedHeaders({ id, at: clock.now(), body, secrets });
    const reading = this.#parts.platformOf(account)?.updates;
    const proof = reading?.proofOf(body, this.#secretOf(account));
    return post(forwardUrl, body, { ...proof, ...signed }, POST_MS_MAX);
  }

  async #answered(account: AccountId, updateId: string, reply: Reply): Promise<'done' | 'later'> {
    if (reply.kind !== 'answered') return 'done';
    const reading = this.#parts.platformOf(account)?.updates;
    const said = reading?.callIn(reply.headers['content-type'] ?? '', reply.body) ?? null;
    // One update, one answer: also when the app is asked again after a crash.
    return said === null ? 'done' : this.#parts.call(account, said, `webhook:${updateId}`);
  }

  async take(account: AccountId): Promise<void> {
    if (this.#owned.has(account)) return;
    this.#owned.add(account);
    await this.#watch.restore(account);
    await this.#lineUp(account);
  }

  async leave(account: AccountId): Promise<void> {
    this.#owned.delete(account);
    this.#forwarder.drop(account);
    this.#waiting.delete(account);
    this.#watch.forget(account);
  }

  // null: all accounts'.
  async #lineUp(only: AccountId | null): Promise<void> {
    let afterAccount = only ?? '';
    let after: UpdatePlace = BEFORE_ALL;
    for (;;) {
      const query = { afterAccount, after, max: PAGE };
      const page = await this.#parts.journal.incoming.waiting(query);
      for (const row of page) if (only === null || row.account === only) this.#arrived(row);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      if (only !== null && last.account !== only) return;
      afterAccount = last.account;
      after = last;
    }
  }
}

// The secret by which a webhook call proves that it comes from the platform, where the account has none of its own:
// derived from the gateway's, so that there always is one and nobody has to keep it.
function derivedSecret(gatewaySecret: string, account: AccountId): string {
  return createHmac('sha256', gatewaySecret).update(`webhook\0${account}`).digest('base64url');
}
