// What comes in, as others see it.

import type { AccountId } from '../domain/ids.ts';
import type { PostHeaders } from '../platforms/platform.ts';
import type { Service } from '../system/service.ts';
import type { Polled } from './polls.ts';
import type { AnsweringCall } from './seen.ts';

// `failed` counts tries; the others count updates.
export type UpdateEnd = 'received' | 'repeated' | 'taken' | 'failed' | 'expired';

// What was posted to a webhook, as it came; null: the body is not read yet.
export interface PostedUpdate {
  readonly headers: PostHeaders;
  readonly rawBody: string | null;
}

export type ReceivedUpdate =
  | { kind: 'received' }
  // No such account, or not proven by its secret: nobody is told which.
  | { kind: 'unauthorized' }
  | { kind: 'invalid' }
  | { kind: 'full'; waiting: number; waitingMax: number };

export interface WebhookView {
  readonly path: string;
  readonly secret: string;
  // What the platform is told beside the address, where it asks whether the webhook is wanted; null: it does not.
  readonly verifyToken: string | null;
  // For the app: what is posted to it is signed with this.
  readonly signingSecret: string;
  readonly to: 'forwarded' | 'kept for polling' | 'seen only';
  readonly waiting: number;
}

export interface Inbound extends Service {
  // Updates on their way to an app that polls.
  saw(account: AccountId, updates: readonly unknown[]): void;
  // Accounts whose updates were seen. Of the others nothing is known of whom a call answers: nobody need ask.
  readonly seen: { has(account: AccountId): boolean };
  // What people call a chat, as its newest update said; null: none has told.
  nameOf(account: AccountId, chat: string): string | null;
  budgetFor(account: AccountId, call: AnsweringCall): string;
  priorityFor(account: AccountId, call: AnsweringCall): 'high' | null;
  // Who wrote what it replies to; null: it replies to nothing, or nobody knows.
  authorOf(account: AccountId, call: Pick<AnsweringCall, 'chat' | 'params'>): string | null;

  // Whether the account's secret proves it: to be asked before anything of the update is read.
  admits(account: AccountId, posted: PostedUpdate): boolean;
  // One update by webhook; durable when it resolves. Rejects with JournalUnavailable.
  receive(account: AccountId, posted: PostedUpdate, update: unknown): Promise<ReceivedUpdate>;
  // By which the platform makes sure that the webhook is wanted: what it is to be told; null: nothing.
  challenge(account: AccountId, query: Readonly<Record<string, unknown>>): string | null;
  // null: no such account.
  webhookOf(account: AccountId): WebhookView | null;

  // The account is no more: who wrote to it is forgotten.
  forget(account: AccountId): void;
  // Of a fleet: what waits for the account's app is posted by this node from now on, or is not any more.
  take(account: AccountId): Promise<void>;
  leave(account: AccountId): Promise<void>;

  // Whether an app that polls for this account's updates is answered from here.
  servesUpdates(account: AccountId): boolean;
  poll(
    account: AccountId,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Polled>;
}
