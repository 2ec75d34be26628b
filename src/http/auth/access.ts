// Who may use a route: the words in which each one says so, beside its handler. One that says nothing is the admin's
// alone.

import type { Role } from '../../domain/role.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
}

// What a key with bounds reaches by a route:
//   open     nothing of any account is in it
//   draft    judged with the message, account, chat and method known
//   message  the delivery in the path; stream: the stream in it; screen: the chat in it
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
  | 'screen'
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

export const ANYONE: Access = { role: 'anyone', reach: 'open' };
export const LINKED: Access = { ...ANYONE, linked: true };
export const WATCHER: Access = { role: 'watcher', reach: 'open' };
export const lasting = (access: Access): Access => ({ ...access, lasting: true });
export const viewer = (reach: Reach): Access => ({ role: 'viewer', reach });
export const sender = (reach: Reach): Access => ({ role: 'sender', reach });
export const operator = (reach: Reach, audit: 'path' | 'body'): Access => ({
  role: 'operator',
  reach,
  audit,
});
export const ADMIN_READS: Access = { role: 'admin', reach: 'whole' };
export const ADMIN_ACTS: Access = { ...ADMIN_READS, audit: 'path' };

const UNDECLARED: Access = ADMIN_READS;

// `config`: of the route as it was added to the server.
export function accessOf(config: { readonly access?: Access } | undefined): Access {
  return config?.access ?? UNDECLARED;
}
