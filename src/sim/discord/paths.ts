// Discord's paths, as far as they are simulated: which route a request takes, and the ids that stand in it.

import type { SimBucketName } from './options.ts';

export interface SimRoute {
  readonly name: string;
  readonly bucket: SimBucketName;
  // Without a bot's token: the one in the path is enough.
  readonly open?: true;
}

export interface SimPath {
  readonly route: SimRoute;
  readonly ids: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

const ROWS: readonly [string, string, string, SimBucketName, true?][] = [
  ['POST', '/channels/:channel/messages', 'createMessage', 'create'],
  ['GET', '/channels/:channel/messages', 'getMessages', 'read'],
  ['POST', '/channels/:channel/messages/bulk-delete', 'bulkDelete', 'bulk_delete'],
  ['GET', '/channels/:channel/messages/:message', 'getMessage', 'read_one'],
  ['PATCH', '/channels/:channel/messages/:message', 'editMessage', 'edit'],
  ['DELETE', '/channels/:channel/messages/:message', 'deleteMessage', 'delete'],
  ['PUT', '/channels/:channel/messages/:message/reactions/:emoji/@me', 'react', 'reaction'],
  ['DELETE', '/channels/:channel/messages/:message/reactions/:emoji/:user', 'unreact', 'reaction'],
  ['DELETE', '/channels/:channel/messages/:message/reactions', 'unreactAll', 'reaction'],
  ['DELETE', '/channels/:channel/messages/:message/reactions/:emoji', 'unreactAll', 'reaction'],
  ['POST', '/channels/:channel/typing', 'typing', 'typing'],
  ['POST', '/channels/:channel/threads', 'createThread', 'thread'],
  ['POST', '/channels/:channel/messages/:message/threads', 'createThread', 'thread'],
  ['POST', '/channels/:channel/webhooks', 'createWebhook', 'other'],
  ['GET', '/channels/:channel', 'getChannel', 'other'],
  ['GET', '/users/@me', 'getMe', 'other'],
  ['POST', '/users/@me/channels', 'openDm', 'other'],
  ['GET', '/applications/@me', 'getApplication', 'other'],
  ['PUT', '/applications/:application/commands', 'setCommands', 'other'],
  ['GET', '/gateway/bot', 'getGateway', 'other'],
  ['GET', '/webhooks/:webhook/:token', 'getWebhook', 'other', true],
  ['POST', '/webhooks/:webhook/:token', 'execute', 'webhook', true],
  ['PATCH', '/webhooks/:webhook/:token/messages/:message', 'editExecuted', 'webhook', true],
  ['DELETE', '/webhooks/:webhook/:token/messages/:message', 'deleteExecuted', 'webhook', true],
  ['GET', '/webhooks/:webhook/:token/messages/:message', 'getExecuted', 'other', true],
  ['POST', '/interactions/:interaction/:token/callback', 'respond', 'other', true],
];

const ROUTES = ROWS.map(([verb, path, name, bucket, open]) => ({
  verb,
  pattern: new RegExp(`^/api(?:/v\\d+)?${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  route: { name, bucket, ...(open && { open }) },
}));

// null: there is no such path; `405`: not with this verb.
export function pathOf(verb: string, url: string): SimPath | 405 | null {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(mark + 1)));
  const matching = ROUTES.filter(({ pattern }) => pattern.test(path));
  const found = matching.find((each) => each.verb === verb);
  if (found === undefined) return matching.length === 0 ? null : 405;
  const ids = Object.entries(found.pattern.exec(path)!.groups ?? {});
  return {
    route: found.route,
    ids: Object.fromEntries(ids.map(([name, id]) => [name, decoded(id)])),
    query,
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
