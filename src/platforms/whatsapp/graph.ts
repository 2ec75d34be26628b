// Makes the call over the Graph API: the number in the path, the token in a header. Tokens that begin with `sandbox`
// reach the built-in simulator and never Meta; where the sandbox is off they reach nothing.

import { Readable } from 'node:stream';
import { hasFiles, readBody, withoutReserved } from '../../domain/body.ts';
import type { HttpRequest, Reply, StreamedReply, Transport } from '../../system/http/transport.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import { formOf } from '../form.ts';
import type { FileSource, Host, Identified, OutgoingCall } from '../platform.ts';
import { hostFor, type Wires, wireFor } from '../sandbox.ts';
import { marked } from './callback-data.ts';
import { readError } from './classify.ts';
import { isCredential, isSandboxToken, numberOf, tokenOf } from './credentials.ts';
import { fieldsOf, isOfMessages, isPassed, MESSAGES, PRODUCT } from './describe.ts';
import { handlingOf } from './error-codes.ts';

export interface GraphRoutes extends Wires {
  readonly files: FileSource | null;
  // Of messages: `v23.0`.
  readonly version: string;
}

// A caller waits for it before its first message is taken.
const IDENTIFY_DEADLINE_MS = 5_000;
// A line slower than this is taken for a dead one.
const UPLOAD_BYTES_PER_S_MIN = 64 * 1024;
// Messages that its statuses are told of.
const TOLD = [MESSAGES, 'reaction'];

export function send(routes: GraphRoutes, call: OutgoingCall): Promise<Reply> {
  const wire = wireOf(routes, call.credential);
  if (!isOfMessages(call.method)) {
    const request = passed(routes, call);
    return request === null ? Promise.resolve(FILE_GONE) : wire.request(request);
  }
  const { params: given } = readBody(call.body);
  const params = withoutReserved(given);
  const mark =
    call.key === undefined || !TOLD.includes(call.method)
      ? null
      : { biz_opaque_callback_data: marked(params.biz_opaque_callback_data, call.key) };
  return wire.request({
    method: 'POST',
    path: `/${routes.version}/${numberOf(call.credential)}/messages`,
    headers: { ...authorized(call.credential), ...JSON_TYPE },
    body: JSON.stringify({ ...PRODUCT, ...params, ...mark }),
    deadlineMs: call.deadlineMs,
  });
}

export async function pass(
  routes: GraphRoutes,
  call: OutgoingCall,
  hangUp: AbortSignal,
): Promise<StreamedReply> {
  const request = passed(routes, call);
  if (request !== null) return wireOf(routes, call.credential).stream(request, hangUp);
  return { ...FILE_GONE, body: Readable.from([FILE_GONE.body]) };
}

// `GET /v23.0/1234?fields=…`: parameters of a POST are its body, of the others its query. Null: a file is not at hand
// any more.
function passed(routes: GraphRoutes, call: OutgoingCall): HttpRequest | null {
  const { credential, method, deadlineMs } = call;
  const [verb, path] = isPassed(method) ? method.split(' ') : ['GET', '/'];
  const { params: given, files } = readBody(call.body);
  const params = withoutReserved(given);
  const headers = authorized(credential);
  if (verb !== 'POST') {
    const query = new URLSearchParams(Object.entries(params).map(asField)).toString();
    const asked = query === '' ? path! : `${path}?${query}`;
    return { method: verb as 'GET' | 'DELETE', path: asked, headers, body: null, deadlineMs };
  }
  const request = { method: 'POST', path: path!, deadlineMs } as const;
  if (!hasFiles(call.body)) {
    return { ...request, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(params) };
  }
  const source = routes.files;
  if (source === null || !Object.values(files).every(({ id }) => source.has(id))) return null;
  const form = formOf(params, files, source);
  const slowestMs = (form.bytes / UPLOAD_BYTES_PER_S_MIN) * 1000;
  const uploaded = { headers: { ...headers, ...form.headers }, body: form.open() };
  return { ...request, ...uploaded, deadlineMs: deadlineMs + slowestMs };
}

function asField([name, value]: [string, unknown]): [string, string] {
  return [name, typeof value === 'string' ? value : JSON.stringify(value)];
}

const JSON_TYPE = Object.freeze({ 'content-type': 'application/json' });

function authorized(credential: string): Record<string, string> {
  return { authorization: `Bearer ${tokenOf(credential)}` };
}

export async function identify(routes: GraphRoutes, credential: string): Promise<Identified> {
  if (!isCredential(credential) || hostOf(routes, credential).isOff) {
    return { kind: 'refused', status: 401, detail: 'Invalid OAuth access token' };
  }
  const number = numberOf(credential);
  const reply = await wireOf(routes, credential).request({
    method: 'GET',
    path: `/${routes.version}/${number}?fields=id`,
    headers: authorized(credential),
    body: null,
    deadlineMs: IDENTIFY_DEADLINE_MS,
  });
  if (reply.kind !== 'answered') {
    return { kind: 'unreachable', detail: `${reply.reason}: ${reply.detail}` };
  }
  const answer = fieldsOf(jsonOrUndefined(reply.body));
  if (reply.status === 200 && answer.id === number) return { kind: 'known', id: number };
  if (!('error' in answer)) return { kind: 'unreachable', detail: `HTTP ${reply.status}` };
  const { code, detail, isTransient } = readError(answer.error);
  const handling = handlingOf(code)?.kind;
  if (isTransient || reply.status >= 500 || handling === 'wait' || handling === 'retry') {
    return { kind: 'unreachable', detail };
  }
  return { kind: 'refused', status: reply.status, detail };
}

export function hostOf(routes: GraphRoutes, credential: string): Host {
  return hostFor(routes, isSandboxToken(credential));
}

// No credential at all, or one of the simulator in this process.
export function isLocal(credential: string): boolean {
  return !isCredential(credential) || isSandboxToken(credential);
}

function wireOf(routes: GraphRoutes, credential: string): Transport {
  return wireFor(routes, isSandboxToken(credential));
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
