// How the commands talk to a running gateway: its REST, with a key. The gateway is SLUICE_URL (or --url), else the
// host and port of the settings; the key is SLUICE_KEY, else the gateway's own admin key, which goes to that gateway
// only.

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { ErrorCode, Trouble } from '../domain/errors.ts';
import { request } from '../system/http/undici.ts';
import { Failed, type Io } from './io.ts';
import { type FoundKey, findKey } from './keys/found-key.ts';
import { configFrom } from './settings.ts';
import { type ServerEvent, serverEvents } from './terminal/server-events.ts';

export interface Client {
  readonly url: string;
  // Fails on an answer of 400 or more; `/health/details` says 503 and still has something to say.
  call(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown>;
  // A body that is sent as it comes; `type`: its content type, null when the gateway is to see for itself.
  pour(
    path: string,
    source: Readable,
    type: string | null,
    method?: 'POST' | 'PUT',
  ): Promise<unknown>;
  // Of an answer that is a text of any length, as they come.
  lines(path: string): AsyncGenerator<string>;
  // Until the gateway ends them or the signal does; fails as Unreachable when the line breaks.
  events(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent>;
}

// There is no gateway, or no more.
export class Unreachable extends Failed {}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

// A stream of events has a beat every 15 s: when several are missing, the line is dead.
const EVENTS_SILENCE_MS = 60_000;
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

// What to do about a refusal, from here. `list`: the command that lists the accounts.
const HINTS: Readonly<Partial<Record<ErrorCode, (list: string) => string>>> = {
  unknown_account: (list) => `${list} lists the accounts.`,
  account_refused: (list) =>
    `Is it a token of that platform? Guides in docs/use have the form of each; ${list} lists known ones.`,
  forbidden_role: () => 'Set SLUICE_KEY to a key of a role that may.',
  forbidden_scope: () => 'Set SLUICE_KEY to a key whose scope holds it.',
};

// A command of ours that asks the same gateway, as it can be typed where this one was.
export function commandLine(
  io: Pick<Io, 'env'>,
  words: string,
  options: Readonly<Record<string, unknown>>,
): string {
  const kept = HELD_BY_ENV.flatMap((name) => {
    const value = io.env[name];
    return value === undefined || value === '' ? [] : [`${name}=${quoted(value)}`];
  });
  const given = (['url', 'config'] as const).flatMap((name) => {
    const value = options[name];
    return typeof value === 'string' ? [`--${name} ${quoted(value)}`] : [];
  });
  return [...kept, 'npx sluice', words, ...given].join(' ');
}

export function commandFor(
  io: Pick<Io, 'env'>,
  words: string,
  options: Readonly<Record<string, unknown>>,
): string {
  return `\`${commandLine(io, words, options)}\``;
}

// What else finds the gateway and its key; the key itself is no one's to print.
const HELD_BY_ENV = ['SLUICE_DATA', 'SLUICE_URL', 'SLUICE_HOST', 'SLUICE_PORT'];

export function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

export function addClientOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the gateway (default: SLUICE_URL, else host and port of the settings)')
    .option('--config <file>', 'configuration file to find the gateway and its key by')
    .option('--json', 'for programs');
}

export function connect(io: Io, options: Readonly<Record<string, unknown>>): Client {
  const { config } = configFrom(io, { config: options.config });
  const given = typeof options.url === 'string' ? options.url : io.env.SLUICE_URL;
  const own = `http://${hostOf(config.host)}:${config.port}`;
  const url = (given ?? own).replace(/(?<!\/)\/+$/, '');
  const key = keyFor(io, findKey(config, own, url));
  const gateway = { url, key, list: commandFor(io, 'accounts', options) };
  return {
    url,
    call: (method, path, body, signal) =>
      call({
        ...gateway,
        method,
        path,
        ...jsonOf(body),
        ...(signal === undefined ? {} : { signal }),
      }),
    pour: (path, source, type, method = 'POST') =>
      call({ ...gateway, method, path, payload: source, type, isEndless: true }),
    lines: (path) => lines({ ...gateway, path }),
    events: (path, signal) => events({ ...gateway, path, signal }),
  };
}

function jsonOf(body: unknown) {
  if (body === undefined) return { payload: null, type: null };
  return { payload: JSON.stringify(body), type: 'application/json' };
}

// An address that means "all of them" is one to listen on, not one to call.
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function keyFor(io: Io, found: FoundKey): FoundKey {
  const given = io.env.SLUICE_KEY;
  return given === undefined || given === '' ? found : { key: given, keptFor: null };
}

interface Asked {
  readonly url: string;
  readonly key: FoundKey;
  readonly list: string;
}

interface Call extends Asked {
  readonly method: Method;
  readonly path: string;
  readonly payload: string | Readable | null;
  readonly type: string | null;
  // It may take as long as its sender likes.
  readonly isEndless?: true;
  readonly signal?: AbortSignal;
}

async function call(asked: Call): Promise<unknown> {
  const { url, key, method, path, payload, type, isEndless, signal = null } = asked;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (key.key !== null) headers.authorization = `Bearer ${key.key}`;
  if (type !== null) headers['content-type'] = type;
  const patience = isEndless ? { headersTimeout: 0, bodyTimeout: 0 } : {};
  const answer = await reach(url, () =>
    request(`${url}${path}`, { method, headers, body: payload, signal, ...patience }),
  );
  const text = await answer.body.text();
  const value = parsed(text);
  const isHealth = path === '/health/details' && answer.statusCode === 503;
  if (answer.statusCode < 400 || isHealth) return value;
  throw refusedBy(asked, answer.statusCode, value);
}

async function* lines(asked: Asked & { path: string }): AsyncGenerator<string> {
  const { url, key, path } = asked;
  const headers = key.key === null ? {} : { authorization: `Bearer ${key.key}` };
  const { statusCode, body } = await reach(url, () => request(`${url}${path}`, { headers }));
  if (statusCode >= 400) throw refusedBy(asked, statusCode, parsed(await body.text()));
  try {
    yield* createInterface({ input: body, crlfDelay: Infinity });
  } catch (error) {
    throw new Unreachable(`${url}: ${(error as Error).message}`);
  }
}

async function* events(
  asked: Asked & { path: string; signal: AbortSignal },
): AsyncGenerator<ServerEvent> {
  const { url, key, path, signal } = asked;
  const headers = key.key === null ? {} : { authorization: `Bearer ${key.key}` };
  const patience = { bodyTimeout: EVENTS_SILENCE_MS };
  const answer = await reach(url, () => request(`${url}${path}`, { headers, signal, ...patience }));
  const { statusCode, body } = answer;
  if (statusCode >= 400) throw refusedBy(asked, statusCode, parsed(await body.text()));
  try {
    yield* serverEvents(body);
  } catch (error) {
    if (error instanceof Failed) throw error;
    throw new Unreachable(`${url}: ${(error as Error).message}`);
  }
}

function refusedBy(asked: Asked, status: number, value: unknown): Failed {
  if (status !== 401) return new Failed(refusal(status, value, asked.list));
  const { key, keptFor } = asked.key;
  if (keptFor !== null) {
    return new Failed(
      `${asked.url} wants a key. The one found here belongs to ${keptFor} and was not sent; set SLUICE_KEY.`,
    );
  }
  const what = key === null ? 'wants a key, and none was found' : 'does not know this key';
  return new Failed(
    `${asked.url} ${what}. Set SLUICE_KEY, or run the command where the gateway’s data folder is.`,
  );
}

async function reach<T>(url: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!UNREACHABLE.includes(code ?? '')) throw new Unreachable(`${url}: ${message}`);
    throw new Unreachable(
      `no gateway answers at ${url}. Start it with \`npm start\` (or \`npx sluice serve\`), ` +
        'or name another with --url.',
    );
  }
}

// problem+json says what is wrong; its entries say where.
function refusal(status: number, value: unknown, list: string): string {
  const problem = (value ?? {}) as {
    code?: ErrorCode;
    detail?: string;
    problems?: Trouble[];
  };
  const where = (problem.problems ?? []).map(
    ({ path, expected, detail }) => `\n  ${path}: ${detail ?? expected}`,
  );
  const what = problem.detail ?? `the gateway answered ${status}`;
  const { code } = problem;
  const hint = code === undefined ? undefined : HINTS[code]?.(list);
  const named = code === undefined ? '' : ` (${code})`;
  return `${what}${named}${where.join('')}${hint === undefined ? '' : `\n  ${hint}`}`;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
