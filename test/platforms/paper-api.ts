// Paper with an API of its own, as little like the Bot API as can be: the credential stands in a header, the page in
// the path, the verb says what is done, and every answer is in a shape of its own.

import { Readable } from 'node:stream';
import type { PlatformDefinition } from '../../src/platforms/definition.ts';
import type {
  Dialect,
  LocatedCall,
  RequestHead,
  ValueAnswer,
} from '../../src/platforms/dialect.ts';
import type { OutgoingCall, Platform } from '../../src/platforms/platform.ts';
import { createPaper, type Notebook, paperOn } from './paper.ts';

const PATH = /^\/paper\/v\d+\/pages\/(\w{1,32})\/(lines|photo)(?:\/(\d{1,9}))?(?:\?|$)/;
const PEN = /^Pen (\S{1,64})$/;
const SECRET = '-';
const READ = 'read';

const no = (status: number, complaint: string, headers = {}): ValueAnswer => ({
  status,
  headers,
  body: JSON.stringify({ complaint, status }),
});

function locate({ verb, url, headers }: RequestHead) {
  const path = PATH.exec(url);
  if (path === null) return null;
  const credential = PEN.exec(String(headers.authorization))?.[1] ?? '';
  const [, page, what, line] = path;
  if (what === 'photo') return { kind: 'file', credential, method: READ, path: page! } as const;
  const method = { GET: READ, POST: 'write', PATCH: 'rewrite' }[verb];
  if (method !== undefined) return located(credential, method, { page, ...(line && { line }) });
  return { kind: 'refused', credential, answer: no(405, 'nobody does that to paper') } as const;
}

function located(credential: string, method: string, params = {}): LocatedCall {
  return { kind: 'call', credential, method, params };
}

export const PAPER_API: Dialect = {
  routes: [
    { verbs: ['POST', 'GET', 'DELETE'], url: '/paper/:version/pages/:page/lines' },
    { verbs: ['PATCH'], url: '/paper/:version/pages/:page/lines/:line' },
    { verbs: ['GET'], url: '/paper/:version/pages/:page/photo' },
  ],
  own: /^\/paper\//,
  headersPassed: ['x-ink-left'],
  locate,
  located,
  read({ method, params }, { body }) {
    if (typeof body !== 'object' && body !== undefined) {
      return { kind: 'refused', answer: no(400, 'no lines') };
    }
    return { kind: 'call', method, params: { ...body, ...params } };
  },
  heldMs: () => 0,
  // Of `desk-1234` the number.
  secretOf: (credential) => credential.slice(credential.indexOf(SECRET) + 1),
  refused: no,
  unreadable: (detail) => no(400, detail),
  conflict: (detail) => no(409, detail),
  problem: ({ status, detail }, retryAfterS) =>
    no(status, detail, status === 429 ? { 'retry-after': retryAfterS } : {}),
  later: (seconds) => no(429, 'the ink must dry', { 'retry-after': seconds }),
  tooLarge: () => no(413, 'the page is full'),
  ended(_call, _params, { state, result, reason }) {
    if (result !== null) return { status: state === 'sent' ? 201 : 400, body: result };
    return no(state === 'dead' ? 502 : 409, reason ?? state);
  },
  provisional: (_call, _params, seq) => ({
    status: 202,
    body: JSON.stringify({ line: `later-${seq}` }),
  }),
  cosmetic: (result) => ({ status: 200, body: result ?? '{}' }),
};

// `passed`: what went straight through.
export function paperWithApi(notebook: Notebook, passed: OutgoingCall[]): Platform {
  const paper = createPaper(notebook);
  const flowing = (text: string) => ({
    kind: 'answered' as const,
    status: 200,
    headers: { 'content-type': 'application/json', 'x-ink-left': '7', 'x-own': 'kept' },
    body: Readable.from([Buffer.from(text)]),
  });
  return {
    ...paper,
    calls: {
      ...paper.calls,
      describe: (method, params) =>
        method === READ ? { kind: 'pass', method } : paper.calls.describe(method, params),
    },
    dialect: PAPER_API,
    passage: {
      async pass(call) {
        passed.push(call);
        return flowing(JSON.stringify(notebook.lines));
      },
      download: async ({ path }) => flowing(`a photo of ${path}`),
    },
  };
}

export function paperApiOn(notebook: Notebook, passed: OutgoingCall[]): PlatformDefinition {
  return { ...paperOn(notebook), open: async () => paperWithApi(notebook, passed) };
}
