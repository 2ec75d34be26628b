// The page: its files, answered from memory, with nothing from anywhere else. It holds no data itself: what it shows it
// asks of the REST routes, with the key of whoever looks.

import { readBuilt } from './built.ts';
import { contentOf, type PageFile, type PageFiles } from './files.ts';

interface PageParts {
  // Where the files come from; left out: built from this project, if they are not yet.
  readonly read?: () => Promise<PageFiles>;
  readonly log: { warn(fields: object, message: string): void };
}

interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
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

const NOT_BUILT: PageAnswer = {
  status: 503,
  headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(
    'The page is not built. The gateway works all the same: run `npm run build` in its folder and come back.\n',
  ),
};

// What it answers, as values; `accepted`: the request's `accept-encoding`.
export function openPage(parts: PageParts) {
  const shelf = new Shelf(parts);
  return {
    async index(accepted: string): Promise<PageAnswer> {
      const index = (await shelf.files())?.get(INDEX);
      return index === undefined ? NOT_BUILT : answerOf(index, accepted, 'no-cache');
    },
    // null: there is no such file.
    async file(name: string, accepted: string): Promise<PageAnswer | null> {
      const found = (await shelf.files())?.get(`page/${name}`);
      return found === undefined ? null : answerOf(found, accepted, FOR_EVER);
    },
  };
}

function answerOf(file: PageFile, accepted: string, cacheControl: string): PageAnswer {
  const { body, encoding } = contentOf(file, accepted);
  const headers = {
    ...SECURITY_HEADERS,
    'cache-control': cacheControl,
    vary: 'accept-encoding',
    'content-type': file.type,
    ...(encoding === null ? null : { 'content-encoding': encoding }),
  };
  return { status: 200, headers, body };
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
