// The only reader of what comes back from Telegram: a reply in, an outcome out.
// The hard thing is a 5xx. A front server says 502 when no server took the call, but also when one
// took it, carried it out and broke off before answering; 504 says no more. A message is not
// idempotent, so both are `uncertain`: edits and deletes are repeated all the same, messages as the
// account's policy says, and the record shows the doubt. `failed` is kept for what was surely not
// carried out: the server's own "restart", and 503 (nobody took the call). Only answers of the Bot
// API's own shape are quoted: a stranger's page may quote our URL, and with it the token.

import { messageIdIn } from '../../domain/ids.ts';
import { ACCOUNT_REFUSED, type Cure, type Outcome } from '../../domain/outcome.ts';
import { unreachable } from '../../system/assert.ts';
import { lineInWords } from '../../system/http/http-words.ts';
import type { Reply } from '../../system/http/transport.ts';
import { jsonOrUndefined, parseJson } from '../../system/json.ts';
import { deliveryMethod } from './methods.ts';
import type { Reason } from './reasons.ts';
import { ALREADY_DONE, REFUSALS } from './refusals.ts';

const DETAIL_CHARS_MAX = 500;
const SAYS_YES = '{"ok":true,';
const YES = '{"ok":true,"result":true}';

type Answered = Extract<Reply, { kind: 'answered' }>;

export function classify(method: string, reply: Reply): Outcome {
  switch (reply.kind) {
    case 'unsent':
      // Shutting down, and waiting in vain for a free connection, say nothing about the host.
      return failed('unsent', lineInWords(reply), !['shut_down', 'timeout'].includes(reply.reason));
    case 'lost':
      return uncertain(
        reply.reason === 'timeout' ? 'answer_timeout' : 'answer_lost',
        lineInWords(reply),
      );
    case 'answered': {
      const answer = readAnswer(reply.body);
      return answer === null ? ofStranger(method, reply) : ofTelegram(method, reply, answer);
    }
    default:
      return unreachable(reply);
  }
}

function ofTelegram(method: string, reply: Answered, answer: BotApiAnswer): Outcome {
  if (answer.ok) return { kind: 'sent', messageId: messageIdOf(answer.result), result: reply.body };
  const { code, description } = answer;
  // Also inside the 400 of an album: the wait is law, whatever wraps it.
  if (code === 429 || soundsLikeFlood(description)) return limited(method, reply, answer);
  if (code >= 500) return broken(code, description);
  const no = (reason: Reason, cure: Cure | null = null) =>
    refused(reason, description, reply.body, cure);
  if (answer.migrateTo !== null) {
    return no('chat_migrated', { kind: 'move_chat', chat: answer.migrateTo });
  }
  const done = ALREADY_DONE.find(({ words }) => words.test(description));
  if (done !== undefined) {
    const result = done.isTrue ? asTrue(description) : reply.body;
    return { kind: 'sent', messageId: null, result };
  }
  if (isAboutTheBot(code, description)) return no(ACCOUNT_REFUSED);
  if (code === 404) return no('method_not_found');
  if (code === 409) return failed('conflict', description, false);
  if (code === 413) return no('too_large');
  const known = REFUSALS.find(({ words }) => words.test(description));
  if (known !== undefined) return no(known.reason, known.cure);
  return no(code === 403 ? 'forbidden' : 'bad_request');
}

// No Bot API answer: a front server, a proxy, or an answer cut short.
function ofStranger(method: string, reply: Answered): Outcome {
  const { status } = reply;
  if (status === 429) return limited(method, reply, null);
  if (status === 413) return refused('too_large', 'Request Entity Too Large', tooLarge(), null);
  if (status >= 200 && status < 300) {
    // It says yes, in more levels or values than are read here: repeating it would be a duplicate for certain.
    if (saysYesAtLength(reply.body)) return { kind: 'sent', messageId: null, result: YES };
    return uncertain('answer_unreadable', `HTTP ${status}, not an answer of the Bot API`);
  }
  if (status >= 500) return broken(status, `HTTP ${status}, not from the Bot API`);
  return saidDown('not_telegram', `HTTP ${status}, not from the Bot API`);
}

function saysYesAtLength(body: string): boolean {
  if (!body.startsWith(SAYS_YES)) return false;
  const parsed = parseJson(body);
  return parsed.kind === 'failure' && parsed.fault !== 'syntax';
}

function broken(status: number, detail: string): Outcome {
  if (status === 503) return { ...saidDown('unavailable', detail), status };
  if (/internal server error: restart/i.test(detail)) {
    return { ...saidDown('restarting', detail), status };
  }
  return { ...uncertain('upstream_broken', detail), status };
}

// The cloud answers 404 `Not Found` to a wrong token; 421 comes from a server for other bots.
function isAboutTheBot(code: number, description: string): boolean {
  if (code === 401 || code === 421) return true;
  if (code === 404) return /^not found$/i.test(description);
  return /^(bad request: )?logged out$/i.test(description);
}

// What an answer proves: for messages and edits the chat; the rest have windows of their own.
function limited(method: string, reply: Answered, answer: BotApiAnswer | null): Outcome {
  const { family } = deliveryMethod(method);
  const scope = family === 'send' || family === 'edit' ? 'chat' : 'family';
  const waitMs = retryAfterMs(reply.headers, answer);
  const result = answer === null ? flood(waitMs) : reply.body;
  const count = answer?.ok === false ? itemsBefore(answer.description) : 0;
  const cure: { cure?: Cure } = count === 0 ? {} : { cure: { kind: 'drop_sent', count } };
  return { kind: 'limited', retryAfterMs: waitMs, scope, result, ...cure };
}

// "failed to send message #4 …": three of the album are in the chat.
function itemsBefore(description: string): number {
  const position = /failed to send message #(\d+)/i.exec(description)?.[1];
  return position === undefined ? 0 : Math.max(0, Number(position) - 1);
}

function refused(reason: Reason, detail: string, result: string, cure: Cure | null): Outcome {
  return { kind: 'refused', reason, detail: cut(detail), result, cure };
}

function failed(reason: Reason, detail: string, hostDown: boolean) {
  return { kind: 'failed' as const, reason, detail: cut(detail), hostDown };
}

function saidDown(reason: Reason, detail: string) {
  const hostDown = true;
  return { kind: 'failed' as const, reason, detail: cut(detail), hostDown, isAnswered: true };
}

function uncertain(reason: Reason, detail: string) {
  return { kind: 'uncertain' as const, reason, detail: cut(detail) };
}

function messageIdOf(result: unknown): string | null {
  // An album is known by its first message.
  const first: unknown = Array.isArray(result) ? result[0] : result;
  if (typeof first !== 'object' || first === null) return null;
  // A topic is known by the message that announces it.
  const { message_id: id, message_thread_id: topic } = first as Record<string, unknown>;
  if (id === undefined && typeof topic === 'number') return String(topic);
  return messageIdIn(id);
}

// What the caller is told when Telegram's front said it without words.
function tooLarge(): string {
  return JSON.stringify({ ok: false, error_code: 413, description: 'Request Entity Too Large' });
}

// As Telegram answers a success that has words to it.
function asTrue(description: string): string {
  return JSON.stringify({ ok: true, result: true, description });
}

function flood(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  const description = `Too Many Requests: retry after ${seconds}`;
  const parameters = { retry_after: seconds };
  return JSON.stringify({ ok: false, error_code: 429, description, parameters });
}

const cut = (detail: string) => detail.slice(0, DETAIL_CHARS_MAX);

// One chat, several ids: a group that becomes a supergroup gets a new one, a channel has a name beside its number.
// Telegram tells both in its answers.

export function chatAfter(chat: string, outcome: Outcome): { chat: string; moved: boolean } | null {
  if (outcome.kind === 'refused' && outcome.cure?.kind === 'move_chat') {
    return { chat: outcome.cure.chat, moved: true };
  }
  if (outcome.kind !== 'sent' || !chat.startsWith('@')) return null;
  const id = chatIdIn(outcome.result);
  return id === null ? null : { chat: id, moved: false };
}

function chatIdIn(answer: string): string | null {
  const { result } = JSON.parse(answer) as { result?: unknown };
  const first: unknown = Array.isArray(result) ? result[0] : result;
  if (typeof first !== 'object' || first === null || !('chat' in first)) return null;
  const id = (first.chat as { id?: unknown } | null)?.id;
  return Number.isSafeInteger(id) ? String(id) : null;
}

// The shape of the Bot API's answers: {ok, result} or {ok, error_code, description, parameters}.
// Nothing is believed before it is checked; what has not this shape is not from the Bot API.

export type BotApiAnswer =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      readonly code: number;
      readonly description: string;
      readonly retryAfterS: number | null;
      readonly migrateTo: string | null;
    };

// Each flood wait of the Bot API names its seconds: a 429 without any is from a front server.
// Five seconds is what the Bot API names when it is itself the trouble (a restart).
export const RETRY_AFTER_MS_DEFAULT = 5_000;
// `retry_after: 0` must not become a loop.
export const RETRY_AFTER_MS_MIN = 1_000;

export function readAnswer(body: string): BotApiAnswer | null {
  const parsed = parse(body);
  if (!isObject(parsed)) return null;
  if (parsed.ok === true) return 'result' in parsed ? { ok: true, result: parsed.result } : null;
  if (parsed.ok !== false || typeof parsed.error_code !== 'number') return null;
  const parameters = isObject(parsed.parameters) ? parsed.parameters : {};
  const moved = parameters.migrate_to_chat_id;
  return {
    ok: false,
    code: parsed.error_code,
    description: typeof parsed.description === 'string' ? parsed.description : '',
    retryAfterS: secondsOf(parameters.retry_after),
    migrateTo: Number.isSafeInteger(moved) ? String(moved) : null,
  };
}

function soundsLikeFlood(description: string): boolean {
  return /too many requests/i.test(description);
}

// The longest of what body, header and words say, to the second: shorter would break someone's law.
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  answer: BotApiAnswer | null,
): number {
  const said = [secondsOf(headers['retry-after'])];
  if (answer?.ok === false) {
    said.push(answer.retryAfterS, secondsOf(/retry after (\d+)/i.exec(answer.description)?.[1]));
  }
  const seconds = said.filter((value) => value !== null);
  if (seconds.length === 0) return RETRY_AFTER_MS_DEFAULT;
  return Math.max(RETRY_AFTER_MS_MIN, Math.ceil(Math.max(...seconds) * 1000));
}

function secondsOf(value: unknown): number | null {
  if (typeof value === 'string' && !/^\s*\d+(\.\d+)?\s*$/.test(value)) return null;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}

function parse(body: string): unknown {
  return jsonOrUndefined(body) ?? null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
