// What a call changes in which message, and the calls that make a change of another platform here. A reaction follows
// to copies on Discord alone, as it is.

import { scalarText } from '../../domain/scalar.ts';
import { changesBy, type MessageChange } from '../changes.ts';
import { wording } from './content.ts';
import type { DiscordParams } from './describe.ts';
import { plainMessage } from './markdown.ts';
import { routeOf } from './routes.ts';

const KINDS: readonly string[] = ['edit', 'delete', 'reaction'] satisfies MessageChange['kind'][];

export const CHANGES = changesBy({
  kindOf,
  messagesIn,
  idName: () => 'message_id',
  textOf: wording,
  edit: 'editMessage',
  remove: 'deleteMessage',
  // As the copy itself was written.
  editOf: plainMessage,
});

// What an interaction was answered with belongs to it alone: it has no copies.
function kindOf(method: string): MessageChange['kind'] | null {
  const route = routeOf(method);
  if (route === null || route.kind === 'interaction' || !KINDS.includes(route.family)) return null;
  return route.family as MessageChange['kind'];
}

function messagesIn({ messages, message_id: one }: DiscordParams): string[] {
  const many: unknown[] = Array.isArray(messages) ? messages : [one];
  return many.map(scalarText).filter((id) => id !== '');
}
