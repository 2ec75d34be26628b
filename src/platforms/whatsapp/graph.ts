// Makes the call over the Graph API: the number in the path, the token in a header.

import { hasFiles, readBody, withoutExact, withoutReserved } from '../../domain/body.ts';
import { fieldsOf } from '../../domain/scalar.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { FileSource, Identified, OutgoingCall } from '../platform.ts';
import type { Question } from '../sandbox.ts';
import { fieldsAsText, formOf } from '../shared/form.ts';
import type { WebCalls } from '../shared/web-wire.ts';
import { marked } from './callback-data.ts';
import { readError } from './classify.ts';
import { numberOf, tokenOf } from './credentials.ts';
import { isOfMessages, isPassed, MESSAGES, PRODUCT } from './describe.ts';
import { handlingOf } from './error-codes.ts';

export interface GraphParts {
  readonly files: FileSource | null;
  // Of messages: `v23.0`.
  readonly version: string;
}

// A line slower than this is taken for a dead one.
const UPLOAD_BYTES_PER_S_MIN = 64 * 1024;
// Messages that its statuses are told of.
const TOLD = [MESSAGES, 'reaction'];

type Made = ReturnType<WebCalls['requestOf']>;

export function requestOf(parts: GraphParts, call: OutgoingCall): Made {
  if (!isOfMessages(call.method)) return passed(parts, call);
  const { params: given } = readBody(withoutExact(call.body));
  const params = withoutReserved(given);
  const mark =
    call.key === undefined || !TOLD.includes(call.method)
      ? null
      : { biz_opaque_callback_data: marked(params.biz_opaque_callback_data, call.key) };
  return {
    method: 'POST',
    path: `/${parts.version}/${numberOf(call.credential)}/messages`,
    headers: { ...authorized(call.credential), ...JSON_TYPE },
    body: JSON.stringify({ ...PRODUCT, ...params, ...mark }),
    deadlineMs: call.deadlineMs,
  };
}

// `GET /v23.0/1234?fields=…`: parameters of a POST are its body, of the others its query.
function passed(parts: GraphParts, call: OutgoingCall): Made {
  const { credential, method, deadlineMs } = call;
  const [verb, path] = isPassed(method) ? method.split(' ') : ['GET', '/'];
  const { params: given, files } = readBody(withoutExact(call.body));
  const params = withoutReserved(given);
  const headers = authorized(credential);
  if (verb !== 'POST') {
    const query = new URLSearchParams(fieldsAsText(params)).toString();
    const asked = query === '' ? path! : `${path}?${query}`;
    return { method: verb as 'GET' | 'DELETE', path: asked, headers, body: null, deadlineMs };
  }
  const request = { method: 'POST', path: path!, deadlineMs } as const;
  if (!hasFiles(call.body)) {
    return { ...request, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(params) };
  }
  const source = parts.files;
  if (source === null || !Object.values(files).every(({ id }) => source.has(id))) return FILE_GONE;
  const form = formOf(params, files, source);
  const slowestMs = (form.bytes / UPLOAD_BYTES_PER_S_MIN) * 1000;
  const uploaded = { headers: { ...headers, ...form.headers }, body: form.open() };
  return { ...request, ...uploaded, deadlineMs: deadlineMs + slowestMs };
}

const JSON_TYPE = Object.freeze({ 'content-type': 'application/json' });

function authorized(credential: string): Record<string, string> {
  return { authorization: `Bearer ${tokenOf(credential)}` };
}

export function questionOf({ version }: GraphParts, credential: string): Question {
  const number = numberOf(credential);
  const path = `/${version}/${number}?fields=id`;
  return {
    refusal: 'Invalid OAuth access token',
    request: { method: 'GET', path, headers: authorized(credential), body: null },
    read({ status, body }): Identified {
      const answer = fieldsOf(jsonOrUndefined(body));
      if (status === 200 && answer.id === number) return { kind: 'known', id: number };
      if (!('error' in answer))
        return { kind: 'unreachable', detail: `HTTP ${status}, not from the Graph API` };
      const { code, detail, isTransient } = readError(answer.error);
      const handling = handlingOf(code)?.kind;
      if (isTransient || status >= 500 || handling === 'wait' || handling === 'retry') {
        return { kind: 'unreachable', detail };
      }
      return { kind: 'refused', status, detail };
    },
  };
}

// A restored snapshot has no spool: nothing will bring the file back, so it is refused once and for all.
const FILE_GONE = {
  kind: 'answered' as const,
  status: 400,
  headers: JSON_TYPE,
  body: JSON.stringify({
    error: {
      message: '(#131053) The uploaded file is no longer at hand',
      type: 'OAuthException',
      code: 131053,
    },
  }),
};
