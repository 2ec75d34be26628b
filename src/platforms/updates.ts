// What comes in from a platform, as far as delivery needs it: which chat an update belongs to, whether a person wrote,
// whether the account was meant. What an update means is the platform's; keeping and forwarding it is the same for all.

import type { Reply } from '../system/transport.ts';
import type { PushedPost } from './history.ts';

type Params = Readonly<Record<string, unknown>>;

// `addressed`: a mention of the bot, a reply to it, a command or a press on its button: someone waits for an answer.
export type Voice = 'none' | 'wrote' | 'addressed';

export interface UpdateSummary {
  readonly updateId: number;
  // The chat whose order it belongs to; without a chat, that of the person; null: nobody's.
  readonly chat: string | null;
  readonly messageId: string | null;
  readonly voice: Voice;
  // Who wrote; left out or null: the update does not tell.
  readonly user?: string | null;
  // When it was said, in ms; null: the update does not tell.
  readonly saidAt: number | null;
}

export interface BotIdentity {
  // As updates name it.
  readonly id: string;
  // By which it is mentioned; null: not known yet.
  readonly username: string | null;
}

// As Node gives them: names in lower case.
export type PostHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface UpdateReading {
  // Whether the platform posted this, as the account's secret proves; in a time that tells nothing of the secret.
  // Asked first without the body (null), so that a stranger's is not read, and again with it. Where the proof is a
  // signature of the body, headers that may turn out right pass the first time.
  verify(headers: PostHeaders, rawBody: string | null, secret: string): boolean;
  // Headers that `verify` takes for right: an app that an update is forwarded to can check them, as if the platform
  // had posted it there.
  proofOf(rawBody: string, secret: string): Readonly<Record<string, string>>;
  // The account's id as updates name it.
  idOf(account: string): string;
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
