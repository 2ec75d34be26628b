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

// The page holds no data; what it shows it asks for with the key of whoever looks. Other sites may link to it.
const FILES_ACCESS = { role: 'anyone', reach: 'open' } as const;
const INDEX_ACCESS = { ...FILES_ACCESS, linked: true } as const;

// Who may use them, for the tables that tell it of all routes.
export const PAGE_ROUTES = [
  { method: 'GET', url: '/', access: INDEX_ACCESS },
  { method: 'GET', url: '/page/:file', access: FILES_ACCESS },
] as const;
const [INDEX_ROUTE, FILE_ROUTE] = PAGE_ROUTES;

export function pageRoutes(app: FastifyInstance, parts: PageParts): void {
  const shelf = new Shelf(parts);
  const { url, access } = INDEX_ROUTE;
  app.get(url, { config: { access } }, async (request, reply) => {
    const files = await shelf.files();
    const index = files?.get(INDEX);
    if (index !== undefined) return serve(request, reply, index, 'no-cache');
    return reply.code(503).headers(SECURITY_HEADERS).type('text/plain').send(NOT_BUILT);
  });
  const config = { access: FILE_ROUTE.access };
  app.get<{ Params: { file: string } }>(FILE_ROUTE.url, { config }, async (request, reply) => {
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
