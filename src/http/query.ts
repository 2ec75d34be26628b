// Queries of searches, read once: text in, a filter and a page out, or what is wrong with it.

import { invalid } from '../accept/problems.ts';
import type { SearchRequest } from '../accept/schema.ts';
import { readTime } from '../accept/time.ts';
import type { Problem, Trouble } from '../domain/errors.ts';
import { parseId } from '../domain/ids.ts';
import { type Filter, SEARCH_LIMIT_MAX } from '../ledger/ledger.ts';

const LIMIT_WHEN_LEFT_OUT = 50;

export interface Search {
  readonly filter: Filter;
  readonly limit: number;
  readonly before: number | null;
  // Whether the beginning of the text is asked for.
  readonly preview: boolean;
}

export function readSearch(tag: string, query: SearchRequest): Search | Problem {
  const { limit, cursor, since, until, preview, ...exact } = query;
  const troubles: Trouble[] = [];
  const sinceMs = readBound('since', since, troubles);
  const untilMs = readBound('until', until, troubles);
  const count = limit === undefined ? LIMIT_WHEN_LEFT_OUT : Number(limit);
  if (count < 1 || count > SEARCH_LIMIT_MAX) {
    troubles.push({ path: '/limit', expected: `a number from 1 to ${SEARCH_LIMIT_MAX}` });
  }
  const before = cursor === undefined ? null : parseId(tag, cursor);
  if (cursor !== undefined && before === null) {
    troubles.push({ path: '/cursor', expected: '`next` of the page before' });
  }
  if (troubles.length > 0) return invalid('invalid_query', troubles);
  const filter: Filter = {
    ...exact,
    ...(sinceMs === undefined ? {} : { since: sinceMs }),
    ...(untilMs === undefined ? {} : { until: untilMs }),
  };
  return { filter, limit: count, before, preview: preview === 'true' };
}

function readBound(
  name: string,
  value: string | number | undefined,
  troubles: Trouble[],
): number | undefined {
  if (value === undefined) return undefined;
  const ms = readTime(value);
  if (ms !== null) return ms;
  troubles.push({ path: `/${name}`, expected: 'a time (ISO 8601, or ms since the epoch)' });
  return undefined;
}
