// Files at addresses that strangers have written: fetched only from where anybody could fetch them. What a name means
// is looked up here, and the connection goes to what was found to be public: a name that means something else a moment
// later changes nothing. No redirect is followed, and no more is read than was asked for.

import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { isPublicAddress } from './address-range.ts';
import { explain } from './http-words.ts';
import { Agent } from './undici.ts';

export interface PublicFiles {
  // From that byte on.
  get(url: string, range: { offset: number; bytesMax: number }): Promise<FilePart>;
  // Cuts off what is under way.
  close(): Promise<void>;
}

export type FilePart =
  | {
      readonly kind: 'part';
      readonly bytes: Uint8Array;
      readonly isLast: boolean;
      readonly contentType: string | null;
    }
  // `status`: null: it was not asked, because of where it lies.
  | { readonly kind: 'refused'; readonly status: number | null; readonly detail: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly detail: string };

const CONNECTIONS_MAX = 8;
const CONNECT_MS_MAX = 5_000;
// Of the head of an answer, and of every silence after it.
const SILENCE_MS_MAX = 20_000;
const NOT_PUBLIC = 'SLUICE_NOT_PUBLIC';

// `mayReach`: which addresses; for tests.
export function publicFiles(mayReach = isPublicAddress): PublicFiles {
  const agent = new Agent({
    connections: CONNECTIONS_MAX,
    connect: { lookup: lookupPublic(mayReach), timeout: CONNECT_MS_MAX },
    headersTimeout: SILENCE_MS_MAX,
    bodyTimeout: SILENCE_MS_MAX,
  });
  return {
    async get(text, range) {
      const url = new URL(text);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !mayReach(host)) return notPublic(host);
      try {
        return await ask(agent, url, range);
      } catch (error) {
        const failed = error instanceof Error ? error : new Error(String(error));
        if ((failed as NodeJS.ErrnoException).code === NOT_PUBLIC) return notPublic(host);
        return { kind: 'failed', ...explain(failed) };
      }
    },
    close: () => agent.destroy(),
  };
}

async function ask(
  agent: Dispatcher,
  url: URL,
  { offset, bytesMax }: { offset: number; bytesMax: number },
): Promise<FilePart> {
  const last = offset + bytesMax - 1;
  const answer = await agent.request({
    ...{ origin: url.origin, path: `${url.pathname}${url.search}`, method: 'GET' },
    headers: { range: `bytes=${offset}-${last}`, 'accept-encoding': 'identity' },
  });
  const { statusCode: status, headers } = answer;
  const isWhole = status === 200 && offset === 0;
  if (status !== 206 && !isWhole) {
    answer.body.destroy();
    answer.body.on('error', () => {});
    // Nothing from there on.
    if (status === 416) return part(new Uint8Array(), true, headers);
    return { kind: 'refused', status, detail: `HTTP ${status}` };
  }
  const bytes = await readUpTo(answer.body, bytesMax);
  if (bytes === null) return { kind: 'refused', status, detail: `more than ${bytesMax} bytes` };
  const total = Number(/\/(\d{1,15})$/.exec(String(headers['content-range'] ?? ''))?.[1]);
  const isLast = isWhole || (Number.isNaN(total) ? bytes.length < bytesMax : total <= last + 1);
  return part(bytes, isLast, headers);
}

function part(
  bytes: Uint8Array,
  isLast: boolean,
  headers: Dispatcher.ResponseData['headers'],
): FilePart {
  const type = headers['content-type'];
  return { kind: 'part', bytes, isLast, contentType: typeof type === 'string' ? type : null };
}

// null: there is more.
async function readUpTo(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function lookupPublic(mayReach: (address: string) => boolean): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const open = found.filter(({ address }) => mayReach(address));
      const [first] = open as [LookupAddress?];
      if (first === undefined) {
        return done(Object.assign(new Error('not public'), { code: NOT_PUBLIC }), []);
      }
      if (options.all === true) done(null, open);
      else done(null, first.address, first.family);
    });
  };
}

function notPublic(host: string): FilePart {
  return { kind: 'refused', status: null, detail: `${host} is not a public address` };
}
