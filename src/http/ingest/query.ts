// What posts are asked for, read once: of which source, from where on, with which words.

import { invalid } from '../../accept/problems.ts';
import { readTime } from '../../accept/time.ts';
import { isDecimalId } from '../../domain/decimal-id.ts';
import type { Problem } from '../../domain/errors.ts';
import type { PostQuery } from '../../store/ports/ingest.ts';
import type { PostsQuery } from './schema.ts';

const PAGE_WHEN_LEFT_OUT = 50;
const PAGE_MAX = 1000;

export function readQuery(query: PostsQuery): PostQuery | Problem {
  const { source, after, text = null, limit = String(PAGE_WHEN_LEFT_OUT), cursor } = query;
  const isId = after !== undefined && isDecimalId(after);
  const since = after === undefined || isId ? null : readTime(after);
  if (isId && source === undefined) {
    return wrong('/after', 'a time, or a message id together with `source`');
  }
  if (after !== undefined && !isId && since === null) {
    return wrong('/after', 'a message id, or a time (ISO 8601)');
  }
  if (isId && query.order === 'newest')
    return wrong('/order', 'oldest, as `after` is a message id');
  return {
    source: source === undefined ? null : Number(source),
    order: query.order ?? (isId ? 'oldest' : 'newest'),
    cursor: cursor ?? (isId ? after : null),
    since,
    text,
    max: Math.min(Math.max(1, Number(limit)), PAGE_MAX),
  };
}

function wrong(path: string, expected: string): Problem {
  return invalid('invalid_query', [{ path, expected }]);
}
