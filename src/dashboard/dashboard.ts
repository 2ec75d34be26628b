// The page: its files, served from memory under `/` and `/page/`, with nothing from anywhere else. It holds no data
// itself: what it shows it asks of the REST routes, with the key of whoever looks.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readBuilt } from './built.ts';
import { contentOf, type PageFile, type PageFiles } from './files.ts';

interface PageParts {
  // Where the files come from; left out: built from this project, if they are not yet.
  readonly read?: () => Promise<PageFiles>;
  readonly log: { warn(fields: object, message: string): void };
}

const INDEX = 'index.html';
// Hashed names: what is under one never changes.
const FOR_EVER = 'public, max-age=31536000, immutable';

// No script, style, picture or connection but our own; nobody may put the page into a frame.
const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const NOT_BUILT =
  'The page is not built. The gateway works all the same: run `npm run build` in its folder and come back.\n';

export function pageRoutes(app: FastifyInstance, parts: PageParts): void {
  const shelf = new Shelf(parts);
  app.get('/', async (request, reply) => {
    const files = await shelf.files();
    const index = files?.get(INDEX);
    if (index !== undefined) return serve(request, reply, index, 'no-cache');
    return reply.code(503).headers(SECURITY_HEADERS).type('text/plain').send(NOT_BUILT);
  });
  app.get<{ Params: { file: string } }>('/page/:file', async (request, reply) => {
    const found = (await shelf.files())?.get(`page/${request.params.file}`);
    if (found === undefined) return reply.callNotFound();
    return serve(request, reply, found, FOR_EVER);
  });
}

function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile,
  cacheControl: string,
): FastifyReply {
  const { body, encoding } = contentOf(file, request.headers['accept-encoding'] ?? '');
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply
    .headers(SECURITY_HEADERS)
    .header('cache-control', cacheControl)
    .header('vary', 'accept-encoding')
    .type(file.type)
    .send(body);
}

// Read when somebody first asks, once for all who ask meanwhile; a failure is tried again at the next request.
class Shelf {
  readonly #parts: PageParts;
  #reading: Promise<PageFiles> | null = null;

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  async files(): Promise<PageFiles | null> {
    const { read = readBuilt, log } = this.#parts;
    this.#reading ??= read();
    try {
      return await this.#reading;
    } catch (error) {
      this.#reading = null;
      log.warn({ err: error }, 'the page cannot be shown');
      return null;
    }
  }
}
