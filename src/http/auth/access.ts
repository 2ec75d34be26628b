// Who may use which route: one table, so that it can be read, tested and printed whole. A route that is not in it is
// the admin's alone.

import type { Role } from '../../domain/role.ts';

// What a key with bounds reaches by a route:
//   open     nothing of any account is in it
//   draft    judged with the message, account, chat and method known
//   message  the delivery in the path; stream: the stream in it; terminal: the screen in it
//   message_change  the delivery in the path, if the key may make its call; stream_change: the stream, likewise
//   account  the account in the path, if the key is not bound to less than all of it
//   query    what the query names, and it must name it
//   closed   nothing: it tells of all accounts, chats or methods
//   whole    nothing, whatever the bound is: it would be a way around it
export type Reach =
  | 'open'
  | 'draft'
  | 'message'
  | 'message_change'
  | 'stream'
  | 'stream_change'
  | 'account'
  | 'terminal'
  | 'query'
  | 'closed'
  | 'whole';

export interface Access {
  // anyone: no key is asked for. watcher: a viewer, and on loopback anyone.
  readonly role: Role | 'anyone' | 'watcher';
  readonly reach: Reach;
  // It may last: it is cut off when its key is no longer good.
  readonly lasting?: true;
  // It is noted who did it, and to what: what the path names, or what the body says.
  readonly audit?: 'path' | 'body';
  // Pages of other sites may link to it, and nothing else: whoever follows the link sees it, and nothing is changed.
  // Left out: a request that a browser makes for another site is refused.
  readonly linked?: true;
}

const ANYONE: Access = { role: 'anyone', reach: 'open' };
const LINKED: Access = { ...ANYONE, linked: true };
const WATCHER: Access = { role: 'watcher', reach: 'open' };
const lasting = (access: Access): Access => ({ ...access, lasting: true });
const viewer = (reach: Reach): Access => ({ role: 'viewer', reach });
const sender = (reach: Reach): Access => ({ role: 'sender', reach });
const operator = (reach: Reach, audit: 'path' | 'body'): Access => ({
  role: 'operator',
  reach,
  audit,
});
const ADMIN_READS: Access = { role: 'admin', reach: 'whole' };
const ADMIN_ACTS: Access = { ...ADMIN_READS, audit: 'path' };

export const ACCESS: Readonly<Record<string, Access>> = {
  'POST /v1/messages': sender('draft'),
  'GET /v1/messages': viewer('query'),
  'GET /v1/messages/:id': viewer('message'),
  'DELETE /v1/messages/:id': operator('message_change', 'path'),
  'GET /v1/messages/:id/explain': viewer('message'),

  'POST /v1/streams': lasting(sender('draft')),
  'PUT /v1/streams': lasting(sender('draft')),
  'GET /v1/streams': viewer('query'),
  'GET /v1/streams/:id': viewer('stream'),
  'PATCH /v1/streams/:id': sender('stream_change'),
  'POST /v1/streams/:id/final': sender('stream_change'),
  'DELETE /v1/streams/:id': sender('stream_change'),

  'POST /v1/broadcasts': sender('whole'),
  'GET /v1/broadcasts': viewer('closed'),
  'GET /v1/broadcasts/:id': viewer('closed'),
  'GET /v1/broadcasts/:id/recipients': viewer('closed'),
  'POST /v1/broadcasts/:id/pause': operator('closed', 'path'),
  'POST /v1/broadcasts/:id/resume': operator('closed', 'path'),
  'POST /v1/broadcasts/:id/cancel': operator('closed', 'path'),
  'GET /v1/audiences': viewer('closed'),
  'PUT /v1/audiences/:name': operator('closed', 'path'),
  'DELETE /v1/audiences/:name': operator('closed', 'path'),

  'GET /v1/dead': viewer('query'),
  'POST /v1/dead/retry': operator('closed', 'body'),
  'POST /v1/dead/discard': operator('closed', 'body'),
  'PATCH /v1/dead/:id': operator('message_change', 'path'),

  'GET /v1/accounts': viewer('closed'),
  'POST /v1/accounts/:id/pause': operator('account', 'path'),
  'POST /v1/accounts/:id/resume': operator('account', 'path'),
  'DELETE /v1/accounts/:id': ADMIN_ACTS,
  // It shows a secret.
  'GET /v1/accounts/:id/webhook': ADMIN_READS,
  'GET /v1/limits': viewer('query'),

  'GET /v1/overview': viewer('closed'),
  'GET /v1/overview/events': lasting(viewer('closed')),
  'GET /v1/queue': viewer('closed'),
  'GET /queue/stats': viewer('closed'),
  'GET /v1/events': lasting(viewer('query')),
  // It is nothing but texts.
  'GET /v1/terminal/:chat': lasting(sender('terminal')),
  'GET /v1/sandbox': viewer('closed'),
  'GET /v1/sandbox/messages': viewer('closed'),
  'POST /v1/sandbox/messages': sender('closed'),
  'POST /v1/sandbox/chats': operator('closed', 'body'),

  'GET /v1/keys': ADMIN_READS,
  'POST /v1/keys': ADMIN_ACTS,
  'DELETE /v1/keys/:id': ADMIN_ACTS,
  'POST /v1/keys/:id/rotate': ADMIN_ACTS,
  'GET /v1/audit': ADMIN_READS,
  'POST /v1/login-links': ADMIN_ACTS,

  'GET /v1/me': viewer('open'),
  'POST /logout': viewer('open'),
  // A key or a link is what they ask for.
  'GET /login': { ...LINKED, audit: 'path' },
  'POST /login': { ...ANYONE, audit: 'path' },

  'GET /health': WATCHER,
  'GET /health/details': WATCHER,
  'GET /metrics': WATCHER,
  'GET /openapi.json': ANYONE,
  'GET /docs': LINKED,
  // The page holds no data; what it shows it asks for with the key of whoever looks.
  'GET /': LINKED,
  'GET /page/:file': ANYONE,
  // These have a secret of their own: the webhook's, and the token in the path.
  'POST /webhook/telegram/:account': ANYONE,
  'GET /bot*': ANYONE,
  'GET /file/bot*': ANYONE,
};

const UNDECLARED: Access = ADMIN_READS;

// Routes that take several methods are declared by their first.
export function accessOf(method: string | readonly string[], url: string): Access {
  const [first] = [method].flat();
  return ACCESS[`${first} ${url}`] ?? UNDECLARED;
}
