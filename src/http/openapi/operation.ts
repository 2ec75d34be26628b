// The words of the description: what is said of one route, and the ids that stand in its examples.

import Type, { type TSchema } from 'typebox';

export interface Operation {
  // The chapter it stands in.
  readonly tag: Tag;
  readonly summary: string;
  readonly query?: TSchema;
  // Of the request, each with what it means.
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  // Content types of bodies that are no JSON.
  readonly forms?: readonly string[];
  // By status; null: an answer without a body.
  readonly answers: Readonly<Record<string, object | null>>;
  // Of its answers, when that is not JSON.
  readonly answerType?: string;
  // Each is sent to a running gateway by a test.
  readonly examples: Readonly<Record<string, Example>>;
}

export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  // A body that is no JSON.
  readonly text?: { readonly type: string; readonly content: string };
  readonly status: number;
}

export type Operations = Readonly<Record<string, Operation>>;

export const TAGS = {
  messages: 'Hand over, look up, search, cancel, explain.',
  streams: 'Texts that grow, and end in a final.',
  broadcasts: 'One message to many chats, and the audiences they go to.',
  'dead letters': 'What will not be tried again unless someone says so.',
  accounts: 'What is known of each account and chat, and the operator’s pause.',
  watching: 'How the gateway stands, now and as it changes.',
  keys: 'API keys, virtual tokens, logins, and who did what.',
  sandbox: 'The built-in simulator, seen by the people in its chats.',
  updates: 'What platforms post here.',
  gateway: 'Health, metrics, and this description.',
} as const;
export type Tag = keyof typeof TAGS;

// Ids as they look, one for each thing there is. The test that sends the examples puts real ones in their place.
export const SAMPLE = {
  account: 'telegram:sandbox-1',
  token: '1:sandbox',
  idleAccount: 'terminal:kitchen',
  // A delivery that waits, and one that is dead.
  waiting: 'k3x9a-1c',
  dead: 'k3x9a-1d',
  stream: 's-mwifte3h-85f37',
  broadcast: 'b-k3x9a-1',
  audience: 'beta-testers',
  key: 'k-5f1d3c9a7b20',
  secret: 'the-secret-of-this-account',
  adminKey: 'the-admin-key',
} as const;

export const time = Type.String({ description: 'ISO 8601' });
export const timeOrNull = Type.Unsafe({ type: ['string', 'null'], description: 'ISO 8601' });
export const text = Type.String();
export const textOrNull = Type.Unsafe({ type: ['string', 'null'] });
export const count = Type.Integer();
export const nextPage = Type.Unsafe({
  type: ['string', 'null'],
  description: '`cursor` of the next page; null: this is the last',
});
