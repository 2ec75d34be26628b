// What the platform contract is told of a platform: samples of its calls, and a hand on its wire.

import type { RequestHead } from './dialect.ts';
import type { Platform } from './platform.ts';

// How the wire treats the next call.
export const WEATHERS = [
  'fine',
  'limited',
  'refused',
  'account_refused',
  'lost',
  'unsent',
] as const;
export type Weather = (typeof WEATHERS)[number];

export interface PlatformFixture {
  readonly platform: Platform;
  readonly credential: string;
  // The part of the credential that nobody may see.
  readonly secret: string;
  // The platform's own id of the account.
  readonly accountId: string;
  // A message in a thread, an edit of it, and a call that is not a delivery.
  readonly message: ContractCall & { readonly chat: string; readonly thread: string | null };
  readonly edit: ContractCall;
  // null: the platform has none.
  readonly read: ContractCall | null;
  // A change of the message of delivery 5, which has no id yet; null or left out: there are none.
  readonly pending?: ContractCall | null;
  // Somebody wrote to the account, and a call that replies to it; left out: the platform tells nothing.
  readonly update?: {
    readonly value: object;
    readonly messageId: string;
    readonly reply: ContractCall;
  };
  // The message as a client of the platform's own API sends it; left out: that API is not served.
  readonly request?: { readonly head: RequestHead; readonly body: unknown };
  // Of an API that says no with the status of a yes: which bodies are one, and the status that a no of HTTP's gets in
  // it. Left out: its statuses are those of HTTP.
  readonly noes?: { isNo(body: string): boolean; statusOf(status: number): number };
  // What the platform asks to wait when the weather is `limited`.
  readonly retryAfterMs: number;
  next(weather: Weather): void;
}

export interface ContractCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type Open = () => Promise<PlatformFixture>;
