// Sources and posts for people.

import { fields, moment, table } from '../terminal/table.ts';

export interface ShownSource {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly state: string;
  readonly priority: number;
  readonly account: string | null;
  readonly forwardTo: object | null;
  readonly mode: string;
  readonly cursor: { readonly lastId: string };
  readonly lastSuccessAt: string | null;
  readonly lastPostAt: string | null;
  readonly newestPostDate: string | null;
  readonly nextLookAt: string | null;
  readonly nextLookReason: string;
  readonly gaps: readonly { readonly after: string; readonly before: string }[];
  readonly failure: { readonly reason: string; readonly detail: string } | null;
  readonly trouble: string | null;
  readonly run: {
    readonly added: number;
    readonly lastId: string;
    readonly newestId: string | null;
  } | null;
}

export interface ShownPost {
  readonly source: string;
  readonly messageId: string;
  readonly date: string;
  readonly text: string;
  readonly author: string | null;
  readonly groupId: string | null;
  readonly media: readonly object[];
  readonly editedAt: string | null;
  readonly deletedAt: string | null;
  readonly storedAt: string;
  readonly versions: number;
}

const TEXT_SHOWN_MAX = 80;

export function listed(sources: readonly ShownSource[]): string {
  const rows = sources.map((each) => [
    each.id,
    each.source,
    each.kind,
    each.state,
    each.mode,
    each.cursor.lastId,
    orNever(each.lastSuccessAt),
    nextLookOf(each),
    troubleOf(each),
  ]);
  const head = ['id', 'channel', 'by', 'state', 'mode', 'last id', 'read', 'next look', 'trouble'];
  return table(head, rows);
}

// When, and why then. What is paused or dead has none, whatever its last look was due for.
function nextLookOf({ state, nextLookAt, nextLookReason }: ShownSource): string {
  if (state !== 'active') return 'none';
  return nextLookAt === null ? nextLookReason : `${moment(nextLookAt)} (${nextLookReason})`;
}

export function described(source: ShownSource): string {
  const { run, gaps, forwardTo } = source;
  return fields([
    ['id', source.id],
    ['channel', `${source.source}, read by ${source.kind}`],
    ['state', source.state],
    ['mode', source.mode],
    ['last id', source.cursor.lastId],
    ['newest post', orNever(source.newestPostDate)],
    ['last success', orNever(source.lastSuccessAt)],
    ['next look', nextLookOf(source)],
    ['priority', source.priority],
    ['account', source.account ?? 'any'],
    ['forwarded to', forwardTo === null ? 'nowhere' : JSON.stringify(forwardTo)],
    ['gaps', gaps.map(({ after, before }) => `${after}–${before}`).join(', ') || null],
    ['trouble', troubleOf(source) || null],
    ['under way', run === null ? null : progressOf(run)],
  ]);
}

function progressOf({ added, lastId, newestId }: NonNullable<ShownSource['run']>): string {
  return `${added} new posts, at ${lastId}${newestId === null ? '' : ` of ${newestId}`}`;
}

function troubleOf({ failure, trouble }: ShownSource): string {
  return failure === null ? (trouble ?? '') : `${failure.reason}: ${failure.detail}`;
}

function orNever(time: string | null): string {
  return time === null ? 'never' : moment(time);
}

export function postsListed(posts: readonly ShownPost[]): string {
  const rows = posts.map((post) => [
    post.source,
    post.messageId,
    moment(post.date),
    post.deletedAt !== null ? 'deleted' : post.versions > 0 ? 'edited' : '',
    shortened(post.text.replaceAll(/\s+/g, ' ')),
  ]);
  return table(['source', 'message', 'date', '', 'text'], rows);
}

function shortened(text: string): string {
  return text.length <= TEXT_SHOWN_MAX ? text : `${text.slice(0, TEXT_SHOWN_MAX - 1)}…`;
}
