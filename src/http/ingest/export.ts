// /v1/ingest/export: all posts as one file, oldest first. They are read a page at a time, and the next page when the
// reader has taken the last: however many there are, no more than a page is in memory.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type { IngestStore, PostQuery } from '../../store/ports/ingest.ts';
import type { Clock } from '../../system/clock.ts';
import { lasting, sender } from '../auth/access.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';
import { CSV_HEAD, csvLine } from './csv.ts';
import type { IngestOptions } from './options.ts';
import { readQuery } from './query.ts';
import { checkExportQuery, ExportQuery } from './schema.ts';
import { showPost } from './view.ts';

const POSTS_PER_PAGE = 200;
// Each keeps a reader of the store busy.
const EXPORTS_AT_ONCE_MAX = 4;
const RETRY_AFTER_S = 30;
// A reader that takes nothing for so long is cut off: others wait for its place.
export const STALLED_MS_MAX = 60_000;

const FORMS = {
  ndjson: { type: 'application/x-ndjson', head: '', line: ndjsonLine },
  csv: { type: 'text/csv; charset=utf-8', head: CSV_HEAD, line: csvLine },
} as const;

export const EXPORT: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/export',
  // A file is not looked through for what viewers do not see: they get none.
  access: lasting(sender('closed')),
  tag: 'ingest',
  summary: 'All posts as a file, oldest first: a JSON document a line, or a table for spreadsheets',
  query: ExportQuery,
  answers: { 200: text },
  answerType: FORMS.ndjson.type,
  examples: {
    'of one channel': { query: { source: SAMPLE.source }, status: 200 },
    'above a message id': { query: { source: SAMPLE.source, after: '0' }, status: 200 },
  },
  handler: sendAll,
};

async function sendAll(
  { ingest, exports, clock }: IngestOptions,
  { query }: FastifyRequest,
  reply: FastifyReply,
) {
  if (!checkExportQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkExportQuery, query)));
  }
  const { format = 'ndjson', ...wanted } = query;
  const asked = readQuery({ ...wanted, order: 'oldest', limit: String(POSTS_PER_PAGE) });
  if ('code' in asked) return sendProblem(reply, asked);
  if (exports.underWay >= EXPORTS_AT_ONCE_MAX) {
    reply.header('retry-after', RETRY_AFTER_S);
    return refuse(reply, 'too_many_waiting', `${exports.underWay} exports are under way.`);
  }
  const lines = unlessStalled(clock, linesOf(ingest.service.store, asked, FORMS[format]));
  exports.underWay += 1;
  lines.once('close', () => {
    exports.underWay -= 1;
  });
  return reply
    .header('content-type', FORMS[format].type)
    .header('content-disposition', `attachment; filename="${nameOf(asked)}.${format}"`)
    .send(lines);
}

export function unlessStalled(clock: Clock, pages: AsyncIterable<string>): Readable {
  const watched = async function* () {
    for await (const page of pages) {
      const timer = clock.schedule(clock.now() + STALLED_MS_MAX, () => lines.destroy());
      try {
        yield page;
      } finally {
        timer.cancel();
      }
    }
  };
  const lines = Readable.from(watched());
  return lines;
}

async function* linesOf(
  store: Pick<IngestStore, 'posts'>,
  asked: PostQuery,
  { head, line }: (typeof FORMS)[keyof typeof FORMS],
): AsyncGenerator<string> {
  if (head !== '') yield head;
  for (let { cursor } = asked; ; ) {
    const { posts, next } = await store.posts({ ...asked, cursor });
    if (posts.length > 0) yield posts.map((post) => line(showPost(post))).join('');
    if (next === null) return;
    cursor = next;
  }
}

function ndjsonLine(post: ReturnType<typeof showPost>): string {
  return `${JSON.stringify(post)}\n`;
}

function nameOf({ source }: PostQuery): string {
  return source === null ? 'posts' : `posts-${source}`;
}
