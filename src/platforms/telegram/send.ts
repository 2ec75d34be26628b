// Makes the call: the token goes into the path, and from here on nobody may show the path.
// Tokens of the form `<digits>:sandbox…` reach the built-in simulator and never Telegram; where the sandbox is off they
// reach nothing. One that ends in `/test` means the same bot id among Telegram's test servers, which is another bot.

import { Readable } from 'node:stream';
import { type Files, hasFiles, readBody, withoutExact } from '../../domain/body.ts';
import { SANDBOX } from '../../domain/ids.ts';
import { lineInWords } from '../../system/http/http-words.ts';
import type { HttpRequest, Reply, StreamedReply, Transport } from '../../system/http/transport.ts';
import type {
  Download,
  FileSource,
  Host,
  Identified,
  OutgoingCall,
  Passage,
  Wire,
} from '../platform.ts';
import { formOf } from '../shared/form.ts';
import { classify, readAnswer } from './classify.ts';
import { isOfTestServers, isSandboxToken, isToken } from './credentials.ts';
import type { FileIds } from './file-ids.ts';
import { PARTS_MARK, withoutProgress } from './parts.ts';

export interface Routes {
  readonly transport: Transport;
  // Null: the sandbox is off.
  readonly sandbox: Transport | null;
  // Null: no call has files.
  readonly files: FileSource | null;
  // Null: every file is sent, however often.
  readonly fileIds: FileIds | null;
}

// A caller waits for it before its first message is taken.
const IDENTIFY_DEADLINE_MS = 5_000;
// A line slower than this is taken for a dead one.
const UPLOAD_BYTES_PER_S_MIN = 64 * 1024;

const JSON_HEADERS = Object.freeze({ 'content-type': 'application/json' });
const WRONG_FILE_ID = /wrong (remote )?file[ _]id|file[ _]reference|FILE_ID_INVALID/i;

// As Telegram gets it.
function plainBody(body: string): string {
  return withoutExact(body.startsWith(PARTS_MARK) ? withoutProgress(body) : body);
}

export function createWire(routes: Routes): Wire {
  return {
    hostOf: (credential) => hostOf(routes, credential),
    isLocal,
    identify: (credential) => identify(routes, credential),
    send: (call) => send(routes, { ...call, body: plainBody(call.body) }),
    classify,
    timeAt: (credential) => timeAt(routes, credential),
    async close() {
      await Promise.all([routes.transport.close(), routes.sandbox?.close()]);
    },
  };
}

export function createPassage(routes: Routes): Passage {
  return {
    pass: (call, hangUp) => pass(routes, call, hangUp),
    download: (file, hangUp) => download(routes, file, hangUp),
  };
}

function send(routes: Routes, call: OutgoingCall): Promise<Reply> {
  if (hasFiles(call.body)) return sendFiles(routes, call);
  return wireOf(routes, call.credential).request(plain(call));
}

async function pass(
  routes: Routes,
  call: OutgoingCall,
  hangUp: AbortSignal,
): Promise<StreamedReply> {
  const wire = wireOf(routes, call.credential);
  if (!hasFiles(call.body)) return wire.stream(plain(call), hangUp);
  const { params, files } = readBody(call.body);
  const request = withFiles(routes, call, params, files);
  if (request !== null) return wire.stream(request, hangUp);
  return { ...FILE_GONE, body: Readable.from([FILE_GONE.body]) };
}

function download(routes: Routes, file: Download, hangUp: AbortSignal): Promise<StreamedReply> {
  const { credential, headers, deadlineMs } = file;
  const method = file.isHead === true ? 'HEAD' : 'GET';
  const path = `/file/bot${credential}/${file.path}`;
  const request: HttpRequest = { method, path, headers, body: null, deadlineMs };
  return wireOf(routes, credential).stream(request, hangUp);
}

// Known files by their id; when Telegram does not know it any more, once more with the bytes.
async function sendFiles(routes: Routes, call: OutgoingCall): Promise<Reply> {
  const { fileIds } = routes;
  const { params, files } = readBody(call.body);
  const bot = botOf(call.credential);
  const given = { bot, method: call.method, params, files };
  const upload = fileIds?.reuse(given) ?? { params, files, isReused: false };
  const reply = await sendForm(routes, call, upload.params, upload.files);
  if (reply.kind !== 'answered') return reply;
  const answer = readAnswer(reply.body);
  if (answer?.ok === true) fileIds?.learn(given, answer.result);
  if (!upload.isReused || answer?.ok !== false || !WRONG_FILE_ID.test(answer.description)) {
    return reply;
  }
  fileIds?.forget(given);
  return sendForm(routes, call, params, files);
}

async function sendForm(
  routes: Routes,
  call: OutgoingCall,
  params: Readonly<Record<string, unknown>>,
  files: Files,
): Promise<Reply> {
  const request = withFiles(routes, call, params, files);
  return request === null ? FILE_GONE : wireOf(routes, call.credential).request(request);
}

// Null: a file is not at hand any more.
function withFiles(
  routes: Routes,
  call: OutgoingCall,
  params: Readonly<Record<string, unknown>>,
  files: Files,
): HttpRequest | null {
  const all = Object.values(files);
  if (all.length === 0) return plain({ ...call, body: JSON.stringify(params) });
  const source = routes.files;
  if (source === null || !all.every(({ id }) => source.has(id))) return null;
  const form = formOf(params, files, source);
  const deadlineMs = call.deadlineMs + (form.bytes / UPLOAD_BYTES_PER_S_MIN) * 1000;
  return { ...plain(call), headers: form.headers, body: form.open(), deadlineMs };
}

function plain({ credential, method, body, deadlineMs }: OutgoingCall): HttpRequest {
  const path = `/bot${credential}/${method}`;
  return { method: 'POST', path, headers: JSON_HEADERS, body, deadlineMs };
}

// Without its secret: ids of files stay valid when the token changes. The simulator's bot of that number is another.
function botOf(credential: string): string {
  const bot = credential.replace(/:[\w-]+/, '');
  return isSandboxToken(credential) ? `${SANDBOX}-${bot}` : bot;
}

const REAL: Host = Object.freeze({ name: '', vouches: true, isOff: false });
const SANDBOX_ON: Host = Object.freeze({ name: SANDBOX, vouches: false, isOff: false });
const SANDBOX_OFF: Host = Object.freeze({ name: SANDBOX, vouches: false, isOff: true });

function hostOf({ sandbox }: Routes, credential: string): Host {
  if (!isSandboxToken(credential)) return REAL;
  // The simulator knows one bot by each number, and no test servers beside it.
  return sandbox === null || isOfTestServers(credential) ? SANDBOX_OFF : SANDBOX_ON;
}

function wireOf({ transport, sandbox }: Routes, credential: string): Transport {
  return isSandboxToken(credential) ? (sandbox ?? NOWHERE) : transport;
}

// Behind all that refuses sandbox tokens while the sandbox is off: none of them is ever shown to the platform.
const NOWHERE: Transport = {
  request: async () => UNSERVED,
  stream: async () => UNSERVED,
  close: async () => {},
};
const UNSERVED = {
  kind: 'unsent' as const,
  reason: 'refused' as const,
  detail: 'the sandbox is off',
};

// A restored snapshot has no spool: nothing will bring the file back, so it is refused once and for all.
const FILE_GONE = {
  kind: 'answered' as const,
  status: 400,
  headers: JSON_HEADERS,
  body: JSON.stringify({
    ok: false,
    error_code: 400,
    description: 'Bad Request: the uploaded file is no longer at hand',
  }),
};

// No token at all, or one of the simulator in this process.
function isLocal(credential: string): boolean {
  return !isToken(credential) || isSandboxToken(credential);
}

async function identify(routes: Routes, credential: string): Promise<Identified> {
  // The cloud's own answer to what cannot be a token; a stranger's text goes into no path.
  if (!isToken(credential)) return { kind: 'refused', status: 404, detail: 'Not Found' };
  if (hostOf(routes, credential).isOff) {
    return { kind: 'refused', status: 401, detail: 'Unauthorized' };
  }
  const deadlineMs = IDENTIFY_DEADLINE_MS;
  const reply = await send(routes, { credential, method: 'getMe', body: '{}', deadlineMs });
  if (reply.kind !== 'answered') {
    return { kind: 'unreachable', detail: lineInWords(reply) };
  }
  const answer = readAnswer(reply.body);
  if (answer === null)
    return { kind: 'unreachable', detail: `HTTP ${reply.status}, not from the Bot API` };
  if (answer.ok) return knownAs(answer.result, isOfTestServers(credential));
  const { code, description } = answer;
  if (code === 429 || code >= 500) return { kind: 'unreachable', detail: description };
  return { kind: 'refused', status: code, detail: description };
}

async function timeAt(routes: Routes, credential: string): Promise<string | null> {
  const deadlineMs = IDENTIFY_DEADLINE_MS;
  const reply = await send(routes, { credential, method: 'getMe', body: '{}', deadlineMs });
  return reply.kind === 'answered' ? (reply.headers.date ?? null) : null;
}

function knownAs(result: unknown, isTest: boolean): Identified {
  const id =
    typeof result === 'object' && result !== null && 'id' in result ? result.id : undefined;
  if (!Number.isSafeInteger(id)) return { kind: 'unreachable', detail: 'getMe named no bot' };
  return { kind: 'known', id: isTest ? `${id}:test` : String(id) };
}
