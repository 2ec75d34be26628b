// /v1/ingest/posts/:source/:id/media: the file of a post's medium, fetched when it is asked for, and handed on as it
// comes. Whoever posted it is a stranger: it is a download, never a page of this gateway. In a fleet the node that
// reads the channel gives it, whichever was asked.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../accept/problems.ts';
import { ProblemAnswer } from '../../accept/schema.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { isDecimalId } from '../../domain/decimal-id.ts';
import { problem } from '../../domain/errors.ts';
import type { OpenedMedia } from '../../ingest/ingest.ts';
import { lasting, sender } from '../auth/access.ts';
import { askElsewhere } from '../fleet/elsewhere.ts';
import { answerMoved } from '../fleet/to-owner.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';
import type { IngestOptions } from './options.ts';
import { checkMediaQuery, MediaQuery } from './schema.ts';

interface OfPost {
  Params: { source: string; id: string };
}

const MEDIA_BYTES_MAX = 268_435_456;
const DOWNLOADS_AT_ONCE_MAX = 4;
const RETRY_AFTER_S = 10;
const OCTETS = 'application/octet-stream';
// What browsers show without running anything in it.
const SHOWN = /^(?:image\/(?:jpeg|png|gif|webp)|video\/(?:mp4|webm)|audio\/(?:mpeg|ogg|mp4))$/;
const NAME_CHARS_MAX = 120;
// Of what the node that reads the channel answered.
const HANDED_BACK = [
  ...['content-type', 'content-disposition', 'content-length', 'x-content-type-options'],
  'retry-after',
];

export const MEDIA: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/posts/:source/:id/media',
  access: lasting(sender('closed')),
  tag: 'ingest',
  summary: 'The file of a post’s medium, read from its channel now, within the waits of its reader',
  query: MediaQuery,
  answers: { 200: text, 404: ProblemAnswer },
  answerType: OCTETS,
  examples: {
    'of a post that has none': { params: { source: SAMPLE.source, id: SAMPLE.post }, status: 404 },
  },
  handler: download,
};

async function download(
  { ingest, downloads, clock, fleet }: IngestOptions,
  request: FastifyRequest<OfPost>,
  reply: FastifyReply,
) {
  const { params, query } = request;
  if (!checkMediaQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkMediaQuery, query)));
  }
  if (!isDecimalId(params.id)) return refuse(reply, 'not_found', 'There is no such post.');
  if (downloads.underWay >= DOWNLOADS_AT_ONCE_MAX) {
    reply.header('retry-after', RETRY_AFTER_S);
    return refuse(reply, 'too_many_waiting', `${downloads.underWay} files are being fetched.`);
  }
  downloads.underWay += 1;
  const index = Number(query.index ?? '0');
  const asked = { post: params.id, index, bytesMax: MEDIA_BYTES_MAX };
  let file: Readable | null = null;
  try {
    const opened = await ingest.service.media(Number(params.source), asked);
    if (opened.kind === 'elsewhere' && fleet?.side === 'inner') return answerMoved(reply, '');
    const found =
      opened.kind === 'elsewhere' && fleet !== undefined
        ? await askElsewhere(fleet.port, request, reply)
        : null;
    if (found !== null) {
      file = found.body;
      return reply.code(found.status).headers(handedBack(found.headers)).send(file);
    }
    if (opened.kind !== 'file') return sendTrouble(reply, opened, clock.now());
    file = Readable.from(opened.pieces, { objectMode: false });
    return reply.headers(headersOf(opened)).send(file);
  } finally {
    const ended = () => {
      downloads.underWay -= 1;
    };
    if (file === null) ended();
    else file.once('close', ended);
  }
}

function handedBack(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HANDED_BACK.includes(name)));
}

function headersOf({ contentType, name }: Extract<OpenedMedia, { kind: 'file' }>) {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const safe = (name ?? 'file').slice(0, NAME_CHARS_MAX).toWellFormed();
  return {
    'content-type': SHOWN.test(type) ? type : OCTETS,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(safe)}`,
    'x-content-type-options': 'nosniff',
  };
}

function sendTrouble(
  reply: FastifyReply,
  trouble: Exclude<OpenedMedia, { kind: 'file' }>,
  now: number,
) {
  switch (trouble.kind) {
    case 'unknown':
      return refuse(reply, 'not_found', 'There is no such post, or no such medium in it.');
    case 'too_large':
      return sendProblem(
        reply,
        problem('media_unavailable', `The file has more than ${MEDIA_BYTES_MAX} bytes.`),
      );
    case 'wait': {
      const seconds = Math.max(1, Math.ceil((trouble.until - now) / 1000));
      reply.header('retry-after', seconds);
      return refuse(reply, 'reader_waits', `The platform asked to wait for ${seconds} s.`);
    }
    case 'stopped':
    case 'elsewhere':
      return refuse(reply, 'media_unavailable', 'Another node reads this channel now.');
    case 'failed':
    case 'refused':
    case 'logged_out':
      return refuse(reply, 'media_unavailable', trouble.detail);
  }
}
