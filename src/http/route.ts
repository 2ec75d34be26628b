// A route is one object: how it is reached, who may use it, what it takes and answers, examples, and what it does.
// The server, its guard, /openapi.json, the page /docs and the table of docs/security.md are made from such objects
// (routes.ts lists them), so that none of these can know a route that another does not.

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { TSchema } from 'typebox';
import type { WaitingCallers } from '../accept/callers.ts';
import type { Access } from './auth/access.ts';
import type { HttpParts } from './context.ts';
import type { OwnerOf } from './fleet/about.ts';

// `C`: what the handlers of a group share while the server runs. Methods, not properties: a handler may say more of
// its request (the names in its path) than is known here.
export interface BareRoute<C = unknown> {
  // The first stands for the route where several are taken.
  readonly method: HTTPMethods | readonly HTTPMethods[];
  readonly url: string;
  readonly access: Access;
  // Of which account it is, where the account's owner must answer; left out: any node can.
  readonly owner?: OwnerOf;
  // It speaks of all nodes of a fleet.
  readonly isWide?: true;
  // Adds the parser of bodies that are no JSON; it holds for this route alone.
  readonly reads?: (app: FastifyInstance) => void;
  // Answers that a compiled serialiser writes, by status: where a call is so frequent that it is felt.
  readonly serialised?: Readonly<Record<number, TSchema>>;
  // Of its body, where that is less than of others.
  readonly bodyBytesMax?: number;
  // Before the body is read.
  admit?(context: C, request: FastifyRequest, reply: FastifyReply, done: () => void): void;
  handler(context: C, request: FastifyRequest, reply: FastifyReply): unknown;
}

// One that the description tells of. Those of a dialect are described by its platform.
export interface Route<C = unknown> extends BareRoute<C> {
  readonly method: HTTPMethods;
  // The chapter it stands in.
  readonly tag: Tag;
  readonly summary: string;
  // The names in the path are texts; their examples are the `params` below.
  readonly query?: TSchema;
  // Of the request, each with what it means.
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  // Content types of bodies that are no JSON.
  readonly forms?: readonly string[];
  // By status; null: an answer without a body.
  readonly answers: Readonly<Record<string, object | null>>;
  // Of the answers, each with what it means.
  readonly answerHeaders?: Readonly<Record<string, string>>;
  // Of its answers, when that is not JSON.
  readonly answerType?: string;
  // Each is sent to a running gateway by a test.
  readonly examples: Readonly<Record<string, Example>>;
}

// What a description needs to know of one.
export type RouteFacts = Omit<Route, 'handler'>;

export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  // A body that is no JSON.
  readonly text?: { readonly type: string; readonly content: string };
  readonly status: number;
}

export const TAGS = {
  messages: 'Hand over, look up, search, cancel, explain.',
  streams: 'Texts that grow, and end in a final.',
  broadcasts: 'One message to many chats, and the audiences they go to.',
  'drop-in': 'The platforms’ own APIs: any client of theirs works by its base URL alone.',
  ingest: 'Channels that are followed, and their posts.',
  'dead letters': 'What will not be tried again unless someone says so.',
  accounts: 'What is known of each account and chat, and the operator’s pause.',
  watching: 'How the gateway stands, now and as it changes.',
  keys: 'API keys, virtual tokens, logins, and who did what.',
  sandbox: 'The built-in simulator, seen by the people in its chats.',
  updates: 'What platforms post here.',
  gateway: 'Health, metrics, and this description.',
} as const;
export type Tag = keyof typeof TAGS;

// What a group is opened with. The hooks of `app` hold for the group alone.
export interface Opening {
  readonly app: FastifyInstance;
  readonly options: HttpParts;
  readonly waiting: WaitingCallers;
  // All that are described, those of other groups included.
  readonly routes: readonly Route[];
}

export interface RouteGroup {
  readonly routes: readonly Route[];
  add(opening: Opening): void;
}

// `open` makes what the handlers share, once for each server; null: the gateway has nothing to serve them with.
export function group<C>(
  routes: readonly Route<C>[],
  open: (opening: Opening) => C | null,
): RouteGroup {
  return {
    routes,
    add: (opening) => {
      const context = open(opening);
      if (context === null) return;
      for (const route of routes) addRoute(opening.app, route, context);
    },
  };
}

// The group's handlers need nothing but what the gateway gives to all.
export const withOptions = ({ options }: Opening): HttpParts => options;

export function addRoute<C>(app: FastifyInstance, route: BareRoute<C>, context: C): void {
  const { url, access, owner, isWide, reads, serialised, bodyBytesMax } = route;
  const method = [route.method].flat();
  const admit = route.admit?.bind(route, context);
  const add = (to: FastifyInstance) =>
    to.route({
      method: method.length === 1 ? method[0]! : method,
      url,
      config: {
        access,
        ...(owner === undefined ? {} : { owner }),
        ...(isWide === undefined ? {} : { isWide }),
      },
      ...(serialised === undefined ? {} : { schema: { response: serialised } }),
      ...(bodyBytesMax === undefined ? {} : { bodyLimit: bodyBytesMax }),
      ...(admit === undefined ? {} : { onRequest: admit }),
      handler: route.handler.bind(route, context),
    });
  if (reads === undefined) {
    add(app);
    return;
  }
  // A parser holds for all routes beside it.
  app.register(async (apart) => {
    reads(apart);
    add(apart);
  });
}
