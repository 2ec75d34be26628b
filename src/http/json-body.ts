// JSON bodies of requests, read within the bounds of system/json.ts for every route and dialect.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type ErrorCode, type Problem, problem } from '../domain/errors.ts';
import { faultOf, JSON_BOUNDS, type JsonFailure, parseJson } from '../system/json.ts';

// What Fastify's error handlers get of a body that cannot be read.
export class JsonBodyError extends Error {
  readonly statusCode = 400;
  readonly code: ErrorCode;

  constructor(failure: JsonFailure) {
    super(`The body is ${failure.detail}.`);
    this.code = codeOf(failure);
  }
}

export function codeOf({ fault }: JsonFailure): ErrorCode {
  return fault === 'syntax' || fault === 'prototype' ? 'invalid_json' : 'json_bounds';
}

// A list of recipients is handed over whole in process, and has a bound of its own.
const IN_PROCESS_BOUNDS = { ...JSON_BOUNDS, itemsMax: 10_000_000, valuesMax: 100_000_000 };

// What a library user hands over, judged as its JSON would be; null: it may pass.
export function valueProblem(value: unknown): Problem | null {
  const failure = faultOf(value, IN_PROCESS_BOUNDS);
  return failure === null ? null : problem(codeOf(failure), `It is ${failure.detail}.`);
}

// A body that is no JSON, and read as it arrives.
export function isStream(body: unknown): body is Readable {
  return body instanceof Readable;
}

export function addJsonParser(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    (_request, body: string, done) => {
      // Clients that set a JSON content type on every request also set it where there is no body.
      if (body.length === 0) return done(null, undefined);
      const parsed = parseJson(body);
      if (parsed.kind === 'value') done(null, parsed.value);
      else done(new JsonBodyError(parsed), undefined);
    },
  );
}
