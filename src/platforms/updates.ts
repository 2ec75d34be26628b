// What comes in from a platform, as far as delivery needs it: which chat an update belongs to, whether a person wrote,
// whether the account was meant. What an update means is the platform's; keeping and forwarding it is the same for all.

import type { AccountId } from '../domain/ids.ts';
import type { Reply } from '../system/http/transport.ts';
import type { ValueAnswer } from './dialect.ts';
import type { PushedPost } from './history.ts';

type Params = Readonly<Record<string, unknown>>;

// `addressed`: a mention of the bot, a reply to it, a command or a press on its button: someone waits for an answer.
export type Voice = 'none' | 'wrote' | 'addressed';

export interface UpdateSummary {
  // By which one that is posted again is known; never ''.
  readonly id: string;
  // By which updates of an account are handed on: the lesser first. Whole; two may have the same.
  readonly order: number;
  // The chat whose order it belongs to; without a chat, that of the person; null: nobody's.
  readonly chat: string | null;
  readonly messageId: string | null;
  readonly voice: Voice;
  // Who wrote; left out or null: the update does not tell.
  readonly user?: string | null;
  // When it was said, in ms; null: the update does not tell.
  readonly saidAt: number | null;
  // What people call the chat: for people to read, never to act on. Left out: the update does not tell.
  readonly chatName?: string;
}

export interface BotIdentity {
  // As updates name it.
  readonly id: string;
  // By which it is mentioned; null: not known yet.
  readonly username: string | null;
}

// As Node gives them: names in lower case.
export type PostHeaders = Readonly<Record<string, string | string[] | undefined>>;

// What the platform tells of a message after it has taken it. It may be told late, in any order and more than once.
export interface MessageReceipt {
  // The id of its delivery; null: only the platform's id of the message is known.
  readonly delivery: string | null;
  readonly messageId: string;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly at: number;
  // Of one that failed.
  readonly reason: string | null;
  readonly detail: string | null;
  // The platform's answer to the message, as it would have been; null: nobody can tell.
  readonly result: string | null;
}

export interface UpdatePart {
  // The platform's own id of the account that it is for; null: it does not tell.
  readonly id: string | null;
  readonly update: unknown;
  // What it tells of messages.
  readonly receipts: readonly MessageReceipt[];
}

// How a platform makes sure that a webhook is wanted: it asks, and is told what only the right one knows.
export interface WebhookChallenge {
  // What the operator tells the platform; it does not tell the secret.
  tokenOf(secret: string): string;
  // null: it asks for something else, or does not know the token.
  answer(query: Params, secret: string): string | null;
}

export interface UpdateReading {
  // Whether the platform posted this, as the account's secret proves; in a time that tells nothing of the secret.
  // Asked first without the body (null), so that a stranger's is not read, and again with it. Where the proof is a
  // signature of the body, headers that may turn out right pass the first time.
  verify(headers: PostHeaders, rawBody: string | null, secret: string): boolean;
  // Headers that `verify` takes for right: an app that an update is forwarded to can check them, as if the platform
  // had posted it there.
  proofOf(rawBody: string, secret: string): Readonly<Record<string, string>>;
  // What it is told when nothing proves that it was the platform; left out: as everyone whose secret is wrong.
  readonly unproven?: ValueAnswer;
  // What the platform wants to be told when its post was taken; left out: that it was is enough.
  answerTo?(update: unknown): ValueAnswer;
  // One that was posted here and is proven, before the app hears of it; left out: nobody need know.
  received?(update: unknown): void;
  // The account's id as updates name it.
  idOf(account: AccountId): string;
  // Of platforms that post several updates at once, of several accounts: each as a post of its own, as it goes on to
  // the app. Left out: one post is one update.
  parts?(update: unknown): readonly UpdatePart[];
  readonly challenge?: WebhookChallenge;
  // So long after somebody wrote a message to them is an answer; left out: as the settings say.
  readonly replyWindowMs?: number;
  // null: not an update.
  read(update: unknown, bot: BotIdentity): UpdateSummary | null;
  // Whether the update could tell whose name a mention is, if the bot's own were known.
  namesSomeone(update: unknown): boolean;
  // The call that tells the bot's own name, and the name in its answer; null: it does not say.
  readonly nameCall: { readonly method: string; readonly body: string };
  nameIn(reply: Reply): string | null;
  // A call that the app put into its answer to an update; null: none that is made from here.
  callIn(contentType: string, body: string): WebhookCall | null;
  // A post of a channel, new or edited, that the update tells of; null: none. Left out: it never does.
  postIn?(update: unknown): PushedPost | null;
  // Of apps that poll: what is asked for, and whether an update is of a kind that was.
  readPoll(params: Params): Poll;
  isAsked(update: Params, poll: Poll): boolean;
}

export interface WebhookCall {
  readonly method: string;
  readonly params: Params;
}

export interface Poll {
  readonly offset: number;
  readonly limit: number;
  readonly timeoutMs: number;
  // Kinds of updates; empty: all.
  readonly allowed: readonly string[];
}

// Of platforms that post whatever happens: their clients poll for nothing, answer by calls of their own, and updates
// name people by their ids, so that nobody has to be asked whose name one is.
export const POSTED_ONLY = {
  namesSomeone: () => false,
  nameCall: { method: '', body: '{}' },
  nameIn: () => null,
  callIn: () => null,
  readPoll: () => ({ offset: 0, limit: 100, timeoutMs: 0, allowed: [] }),
  isAsked: () => true,
} as const satisfies Partial<UpdateReading>;
