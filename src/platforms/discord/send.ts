// Makes the call: ids into the path, what is left of the parameters into the body, the credential into a header, or
// into the path where it belongs to a webhook. From here on nobody may show the path.

import { Readable } from 'node:stream';
import { type Files, readBody, withoutExact } from '../../domain/body.ts';
import { scalarText } from '../../domain/scalar.ts';
import { lineInWords } from '../../system/http/http-words.ts';
import type { HttpRequest, Reply, StreamedReply } from '../../system/http/transport.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { FileSource, Identified, OutgoingCall } from '../platform.ts';
import { type HostedWires, IDENTIFY_DEADLINE_MS } from '../sandbox.ts';
import { formOf } from '../shared/form.ts';
import { claimedId, isSandboxCredential, speakerOf, UNKNOWN_INTERACTIONS } from './credentials.ts';
import type { DiscordParams } from './describe.ts';
import type { InvalidRequests } from './invalid-requests.ts';
import { type DiscordRoute, idsIn, pathFor, routeOf } from './routes.ts';

export interface DiscordWires {
  readonly wires: HostedWires;
  readonly files: FileSource | null;
  // Null: nobody counts them.
  readonly invalid: InvalidRequests | null;
}

export const API = '/api/v10';
// A line slower than this is taken for a dead one.
const UPLOAD_BYTES_PER_S_MIN = 64 * 1024;
// As Discord asks of all its clients.
const AGENT = { 'user-agent': 'DiscordBot (https://www.npmjs.com/package/sluice, 1)' };
const NONCE_CHARS_MAX = 25;

type Params = Readonly<Record<string, unknown>>;

export async function send(lines: DiscordWires, call: OutgoingCall): Promise<Reply> {
  const asked = routeOf(call.method);
  if (asked === null) return NO_METHOD;
  const { params: given, files } = readBody(withoutExact(call.body));
  const route = ofSpeaker(asked, call.credential);
  const request = requestOf(lines, route, { ...call, params: given, files });
  if (request === null) return FILE_GONE;
  const channel = scalarText(given.channel_id ?? given.webhook_id);
  const place = `${claimedId(call.credential)} ${channel}`;
  const invalid = isSandboxCredential(call.credential) ? null : lines.invalid;
  // What one interaction is refused says nothing of another.
  const isAlone = route.kind === 'interaction';
  const known = (isAlone ? invalid?.spent() : invalid?.instead(place)) ?? null;
  if (known !== null) return known;
  const reply = await lines.wires.of(call.credential).request(request);
  if (isAlone) invalid?.count(reply);
  else invalid?.answered(place, reply);
  return reply;
}

// A webhook has ways of its own to do the same.
const OF_WEBHOOK: Readonly<Record<string, string>> = {
  createMessage: 'executeWebhook',
  editMessage: 'editWebhookMessage',
  deleteMessage: 'deleteWebhookMessage',
};

function ofSpeaker(route: DiscordRoute, credential: string): DiscordRoute {
  if (speakerOf(credential)?.kind !== 'webhook') return route;
  return routeOf(OF_WEBHOOK[route.name] ?? '') ?? route;
}

interface Outgoing extends OutgoingCall {
  readonly params: Params;
  readonly files: Files;
}

// Null: a file is not at hand any more.
function requestOf(lines: DiscordWires, route: DiscordRoute, call: Outgoing): HttpRequest | null {
  const { credential, params: given, files, deadlineMs, key } = call;
  const params = withNonce(route, given, key);
  const ids = idsIn(route);
  const speaker = speakerOf(credential);
  const hook =
    speaker?.kind === 'webhook' ? { webhook_id: speaker.id, webhook_token: speaker.token } : {};
  const named = Object.fromEntries(ids.map((name) => [name, scalarText(params[name])]));
  const path = `${API}${pathFor(route, { ...named, ...hook })}${queryOf(route, params)}`;
  const apart = [...ids, ...route.query, 'channel_id', 'webhook_id'];
  const rest = Object.entries(params).filter(([name]) => !apart.includes(name));
  const fields = Object.fromEntries(rest);
  const base = { method: route.verb, path, deadlineMs };
  // An interaction's own token is all it needs; with the bot's it would count for the bot's limit.
  const headers = route.kind === 'interaction' ? AGENT : headersFor(credential);
  if (Object.keys(files).length === 0) {
    const isBare = rest.length === 0 && route.verb !== 'POST' && route.verb !== 'PATCH';
    if (isBare) return { ...base, headers, body: null };
    const type = { 'content-type': 'application/json' };
    return { ...base, headers: { ...headers, ...type }, body: JSON.stringify(fields) };
  }
  const source = lines.files;
  if (source === null || !Object.values(files).every(({ id }) => source.has(id))) return null;
  const form = formOf({ payload_json: JSON.stringify(fields) }, files, source);
  const uploadMs = (form.bytes / UPLOAD_BYTES_PER_S_MIN) * 1000;
  return {
    ...base,
    headers: { ...headers, ...form.headers },
    body: form.open(),
    deadlineMs: deadlineMs + uploadMs,
  };
}

// The delivery's own key: a repeat finds the message that is there. What the caller gave is left as it is.
function withNonce({ name }: DiscordRoute, params: Params, key: string | undefined): Params {
  if (name !== 'createMessage' || key === undefined || key.length > NONCE_CHARS_MAX) return params;
  if ((params.nonce ?? null) !== null) return params;
  return { ...params, nonce: key, enforce_nonce: true };
}

// A webhook tells the message it has made only when asked to.
function queryOf({ name, query }: DiscordRoute, params: Params): string {
  const all: [string, string][] = name === 'executeWebhook' ? [['wait', 'true']] : [];
  for (const each of query) {
    const value = scalarText(params[each]);
    if (value !== '' && each !== 'wait') all.push([each, value]);
  }
  const text = new URLSearchParams(all).toString();
  return text === '' ? '' : `?${text}`;
}

function headersFor(credential: string): Record<string, string> {
  const isBot = speakerOf(credential)?.kind === 'bot';
  return isBot ? { ...AGENT, authorization: `Bot ${credential}` } : { ...AGENT };
}

// Straight through: the method is the verb and the path as they came, the body as it was read.
export async function pass(
  lines: DiscordWires,
  call: OutgoingCall,
  hangUp: AbortSignal,
): Promise<StreamedReply> {
  const request = passedRequest(lines, call);
  if (request === null) return flowing(FILE_GONE);
  const invalid = isSandboxCredential(call.credential) ? null : lines.invalid;
  const spent = invalid?.spent() ?? null;
  if (spent !== null) return flowing(spent);
  const reply = await lines.wires.of(call.credential).stream(request, hangUp);
  invalid?.count(reply);
  return reply;
}

// Null: a file is not at hand any more.
function passedRequest(lines: DiscordWires, call: OutgoingCall): HttpRequest | null {
  const space = call.method.indexOf(' ');
  const method = call.method.slice(0, space) as HttpRequest['method'];
  const { params, files } = readBody(call.body);
  const base = { method, path: call.method.slice(space + 1), deadlineMs: call.deadlineMs };
  const headers = { ...headersFor(call.credential), ...reasonHeader(params) };
  if (Object.keys(files).length > 0) {
    const source = lines.files;
    if (source === null) return null;
    const form = formOf(params.form as DiscordParams, files, source);
    return { ...base, headers: { ...headers, ...form.headers }, body: form.open() };
  }
  if (params.json === undefined) return { ...base, headers, body: null };
  const type = { 'content-type': 'application/json' };
  return { ...base, headers: { ...headers, ...type }, body: JSON.stringify(params.json) };
}

function flowing(reply: Extract<Reply, { kind: 'answered' }>): StreamedReply {
  return { ...reply, body: Readable.from([Buffer.from(reply.body)]) };
}

function reasonHeader({ reason }: Params): Record<string, string> {
  return typeof reason === 'string' ? { 'x-audit-log-reason': reason } : {};
}

const said = (status: number, message: string) => ({
  kind: 'answered' as const,
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message, code: 0 }),
});
const NO_METHOD = said(404, 'no such method');
// A restored snapshot has no spool: nothing will bring the file back.
const FILE_GONE = said(400, 'the uploaded file is no longer at hand');

const UNAUTHORIZED = { kind: 'refused', status: 401, detail: '401: Unauthorized' } as const;
const UNKNOWN_INTERACTION =
  'This interaction was not posted to the gateway: send the token of its bot in Authorization, or let the gateway ' +
  'take all of them (SLUICE_DISCORD_INTERACTIONS=on).';

export async function identify(lines: DiscordWires, credential: string): Promise<Identified> {
  if (credential === UNKNOWN_INTERACTIONS) return { ...UNAUTHORIZED, detail: UNKNOWN_INTERACTION };
  const speaker = speakerOf(credential);
  if (speaker === null) return UNAUTHORIZED;
  if (lines.wires.hostOf(credential).isOff) {
    return UNAUTHORIZED;
  }
  if (speaker.kind === 'interactions') return { kind: 'known', id: claimedId(credential) };
  const isBot = speaker.kind === 'bot';
  const path = isBot ? '/users/@me' : `/webhooks/${speaker.id}/${speaker.token}`;
  const reply = await get(lines, credential, `${API}${path}`);
  if (reply.kind !== 'answered') {
    return { kind: 'unreachable', detail: lineInWords(reply) };
  }
  const answer = jsonOrUndefined(reply.body);
  const { id, message } = Object(answer) as { id?: unknown; message?: unknown };
  if (reply.status === 200 && typeof id === 'string') {
    return { kind: 'known', id: isBot ? id : `webhook-${id}` };
  }
  if (typeof message !== 'string' || reply.status === 429 || reply.status >= 500) {
    const said = typeof message === 'string' ? `: ${message}` : ', not from Discord';
    return { kind: 'unreachable', detail: `HTTP ${reply.status}${said}` };
  }
  return { kind: 'refused', status: reply.status, detail: message };
}

export async function timeAt(lines: DiscordWires, credential: string): Promise<string | null> {
  const reply = await get(lines, credential, `${API}/gateway`);
  return reply.kind === 'answered' ? (reply.headers.date ?? null) : null;
}

// What changes nothing; `path` as Discord has it.
export async function get(
  lines: DiscordWires,
  credential: string,
  path: string,
  deadlineMs = IDENTIFY_DEADLINE_MS,
): Promise<Reply> {
  const invalid = isSandboxCredential(credential) ? null : lines.invalid;
  const spent = invalid?.spent() ?? null;
  if (spent !== null) return spent;
  const headers = headersFor(credential);
  const request: HttpRequest = { method: 'GET', path, headers, body: null, deadlineMs };
  const reply = await lines.wires.of(credential).request(request);
  invalid?.count(reply);
  return reply;
}
