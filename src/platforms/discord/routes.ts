// The routes of Discord's API that send: one row each. A method is the name of a route; its parameters are the ids in
// its path, what its query takes, and the fields of its JSON body, all in one set. Every other path is passed on.

import type { Family } from '../../domain/call.ts';

// Whose limits it spends.
export type Kind =
  | 'create'
  | 'edit'
  | 'delete'
  | 'bulk_delete'
  | 'reaction'
  | 'typing'
  | 'thread'
  | 'webhook'
  | 'interaction';

export interface DiscordRoute {
  readonly name: string;
  readonly verb: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  // Below `/api/v<n>`; `:name` is an id.
  readonly path: string;
  readonly family: Family;
  readonly kind: Kind;
  // Parameters that stand in its query.
  readonly query: readonly string[];
  // Repeating it changes nothing more.
  readonly idempotent: boolean;
  // Its answer is what it is made for.
  readonly awaited: boolean;
}

type More = Partial<Pick<DiscordRoute, 'query' | 'idempotent' | 'awaited'>>;

const row = (
  name: string,
  verb: DiscordRoute['verb'],
  path: string,
  family: Family,
  kind: Kind,
  more: More = {},
): DiscordRoute => ({
  ...{ name, verb, path, family, kind },
  ...{ query: [], idempotent: family === 'edit' || family === 'delete', awaited: false },
  ...more,
});

const MESSAGES = '/channels/:channel_id/messages';
const MESSAGE = `${MESSAGES}/:message_id`;
const REACTIONS = `${MESSAGE}/reactions`;
const HOOK = '/webhooks/:webhook_id/:webhook_token';
const HOOK_MESSAGE = `${HOOK}/messages/:message_id`;
const REPLIES = '/webhooks/:application_id/:interaction_token';
const REPLY = `${REPLIES}/messages/:message_id`;
const CALLBACK = '/interactions/:interaction_id/:interaction_token/callback';
const AGAIN = { idempotent: true };
const AWAITED = { awaited: true };
const OF_HOOK = ['thread_id', 'with_components'];

// The first of each family is the one that calls of unknown methods count as.
export const ROUTES: readonly DiscordRoute[] = [
  row('createMessage', 'POST', MESSAGES, 'send', 'create'),
  row('editMessage', 'PATCH', MESSAGE, 'edit', 'edit'),
  row('deleteMessage', 'DELETE', MESSAGE, 'delete', 'delete'),
  row('bulkDeleteMessages', 'POST', `${MESSAGES}/bulk-delete`, 'delete', 'bulk_delete'),
  row('createReaction', 'PUT', `${REACTIONS}/:emoji/@me`, 'reaction', 'reaction', AGAIN),
  row('deleteReaction', 'DELETE', `${REACTIONS}/:emoji/:user_id`, 'reaction', 'reaction', AGAIN),
  row('deleteReactionsOf', 'DELETE', `${REACTIONS}/:emoji`, 'reaction', 'reaction', AGAIN),
  row('deleteReactions', 'DELETE', REACTIONS, 'reaction', 'reaction', AGAIN),
  row('triggerTyping', 'POST', '/channels/:channel_id/typing', 'typing', 'typing', AGAIN),
  row('createThread', 'POST', '/channels/:channel_id/threads', 'send', 'thread', AWAITED),
  row('createThreadFromMessage', 'POST', `${MESSAGE}/threads`, 'send', 'thread', AWAITED),
  row('executeWebhook', 'POST', HOOK, 'send', 'webhook', { query: ['wait', ...OF_HOOK] }),
  row('editWebhookMessage', 'PATCH', HOOK_MESSAGE, 'edit', 'webhook', { query: OF_HOOK }),
  row('deleteWebhookMessage', 'DELETE', HOOK_MESSAGE, 'delete', 'webhook', { query: OF_HOOK }),
  row('createInteractionResponse', 'POST', CALLBACK, 'free', 'interaction', {
    query: ['with_response'],
    idempotent: true,
  }),
  row('crosspostMessage', 'POST', `${MESSAGE}/crosspost`, 'free', 'create', AGAIN),
  row('createFollowup', 'POST', REPLIES, 'send', 'interaction', { query: ['with_components'] }),
  row('editFollowup', 'PATCH', REPLY, 'edit', 'interaction', { query: ['with_components'] }),
  row('deleteFollowup', 'DELETE', REPLY, 'delete', 'interaction'),
];

const BY_NAME: ReadonlyMap<string, DiscordRoute> = new Map(ROUTES.map((each) => [each.name, each]));

export function routeOf(method: string): DiscordRoute | null {
  return BY_NAME.get(method) ?? null;
}

// What may stand for each in a path.
const IDS: Readonly<Record<string, string>> = {
  channel_id: '\\d{1,20}',
  message_id: '-?\\d{1,20}|@original',
  // Not the two names that would lead out of the path.
  emoji: '(?!\\.{1,2}(?:/|$))[^/]{1,200}',
  user_id: '\\d{1,20}|@me',
  webhook_id: '\\d{1,20}',
  webhook_token: '[\\w-]{1,128}',
  application_id: '\\d{1,20}',
  interaction_id: '\\d{1,20}',
  interaction_token: 'aW50ZXJhY3Rpb246[\\w-]{1,400}',
};
const ID = /:(\w+)/g;

// Tokens of interactions look like those of webhooks, and longer: they come first.
const PATTERNS = ROUTES.toSorted((a, b) => weightOf(b) - weightOf(a)).map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace(ID, (_, name) => `(?<${name}>${IDS[name]})`)}$`),
}));

function weightOf({ path }: DiscordRoute): number {
  return path.includes(':interaction_token') ? 1 : 0;
}

// A path as ours are written; ids stay as they are. Of Discord it is not documented whether it reads an empty part, a
// slash at the end or names in other letters: assumed is that it does, so that no way to write a path that sends leads
// past the queue.
export function normalPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const read = parts.map((part) =>
    NAMES_IN_PATHS.has(part.toLowerCase()) ? part.toLowerCase() : part,
  );
  return `/${read.join('/')}`;
}

const NAMES_IN_PATHS: ReadonlySet<string> = new Set(
  ['api', '@original', ...ROUTES.flatMap(({ path }) => path.split('/'))].filter(
    (part) => part !== '' && !part.startsWith(':'),
  ),
);

export type PathIds = Readonly<Record<string, string>>;

// `path` is below `/api/v<n>`, its escapes read, and normal. null: no route that sends.
export function routeAt(verb: string, path: string): { route: DiscordRoute; ids: PathIds } | null {
  for (const { route, pattern } of PATTERNS) {
    if (route.verb !== verb) continue;
    const match = pattern.exec(path);
    if (match !== null) return { route, ids: { ...match.groups } };
  }
  return null;
}

export function idsIn({ path }: DiscordRoute): string[] {
  return [...path.matchAll(ID)].map(([, name]) => name!);
}

export function isId(name: string, value: string): boolean {
  return new RegExp(`^(?:${IDS[name]})$`).test(value);
}

// The path of a call, its ids taken from the parameters.
export function pathFor({ path }: DiscordRoute, params: PathIds): string {
  return path.replace(ID, (_, name: string) => encodeId(params[name] ?? ''));
}

// The names among the ids are written as they are. Everything else is encoded: a slash, or what a server on the way
// takes for one, would lead to another channel.
const NAMES = ['@me', '@original'];

function encodeId(id: string): string {
  return NAMES.includes(id) ? id : encodeURIComponent(id.toWellFormed());
}
