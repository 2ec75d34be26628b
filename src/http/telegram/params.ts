// A call's parameters, from wherever they come: query, JSON, form, multipart. They are one set; of a name that
// is given twice the first counts, and the query comes first, as for the platform itself.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ATTACH, attachedTo, type Files, withoutReserved } from '../../domain/upload.ts';

export type RequestParams = Record<string, unknown>;

export function addBodyParsers(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body: string, done) => done(null, formParams(body)),
  );
  // Read by the handler, as it arrives.
  app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
  // The platform passes over what it cannot read; so there are no parameters in it.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null));
}

export function formParams(text: string): RequestParams {
  return firsts(new URLSearchParams(text));
}

export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType);
}

// null: the body is not an object.
export function merge(query: unknown, body: unknown): RequestParams | null {
  if (body !== undefined && body !== null) {
    if (typeof body !== 'object' || Array.isArray(body)) return null;
    return { ...withoutReserved(body as RequestParams), ...withoutReserved(flat(query)) };
  }
  return { ...withoutReserved(flat(query)) };
}

export function isStream(body: unknown): body is Readable {
  return body instanceof Readable;
}

// A file that nothing refers to is itself the parameter of its name, where that says nothing else: as for the
// platform, an empty text is no file's name, and any other stands before a part.
export function withAttached(given: RequestParams, files: Files): RequestParams {
  const referred = attachedTo(given);
  const params = { ...given };
  for (const name of Object.keys(files)) {
    const isSaid = (params[name] ?? '') !== '';
    if (!isSaid && !referred.has(name)) params[name] = `${ATTACH}${name}`;
  }
  return params;
}

function firsts(pairs: Iterable<[string, string]>): RequestParams {
  const params: RequestParams = {};
  for (const [name, value] of pairs) params[name] ??= value;
  return params;
}

function flat(query: unknown): RequestParams {
  const params: RequestParams = {};
  for (const [name, value] of Object.entries(query ?? {})) {
    params[name] = Array.isArray(value) ? value[0] : value;
  }
  return params;
}
