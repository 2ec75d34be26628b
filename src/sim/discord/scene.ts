// What the acts of the simulated Discord work on, and how they end.

import type { SimParams } from '../params.ts';
import type { SimDiscordError } from './answers.ts';
import type { DiscordMessages } from './messages.ts';
import type { SimDiscordOptions } from './options.ts';
import type { Snowflakes } from './snowflake.ts';

export interface DiscordChannel {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  // 0: text, 1: a person's, 11: a thread, 15: a forum.
  readonly type: number;
}

export interface Webhook {
  readonly id: string;
  readonly token: string;
  readonly channel: string;
  readonly bot: string;
}

export interface Interaction {
  readonly bot: string;
  readonly channel: string;
  isAnswered: boolean;
}

export interface DiscordScene {
  readonly bot: string;
  // What tokens that are made for it begin with.
  readonly secret: string;
  readonly ids: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly params: SimParams;
  readonly now: number;
  readonly options: SimDiscordOptions;
  readonly messages: DiscordMessages;
  // The bot may see the channel, and not what was written in it before.
  readonly isPastHidden: boolean;
  readonly snowflakes: Snowflakes;
  readonly channels: Map<string, DiscordChannel>;
  readonly webhooks: Map<string, Webhook>;
  readonly interactions: Map<string, Interaction>;
  // By author and nonce: which message, and until when it is remembered.
  readonly nonces: Map<string, { id: string; until: number }>;
}

export type ActEnding =
  // `result`: null: nothing is said but that it is done.
  | { readonly kind: 'done'; readonly result: unknown; readonly ids: readonly string[] }
  | { readonly kind: 'refused'; readonly error: SimDiscordError };

export const done = (result: unknown, ids: readonly string[] = []): ActEnding => ({
  kind: 'done',
  result,
  ids,
});

export const no = (error: SimDiscordError): ActEnding => ({ kind: 'refused', error });
