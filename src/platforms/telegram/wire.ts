// The shape of the Bot API's answers: {ok, result} or {ok, error_code, description, parameters}.
// Nothing is believed before it is checked; what has not this shape is not from the Bot API.

import { jsonOrUndefined } from '../../system/json.ts';

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

export function soundsLikeFlood(description: string): boolean {
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
