// Calls that send nothing, and downloads: straight through to the platform, the answer flowing back as it comes.
// They are not paced, but they keep what the platform said: a wait it named is told to whoever asks before it is
// over, and a bot it refuses is not asked for again at once. A caller who hangs up ends the call.

import { type Readable, Transform } from 'node:stream';
import type { Caller } from '../../accept/receipt.ts';
import { scalarNumber } from '../../domain/scalar.ts';
import type { Download, OutgoingCall, Passage } from '../../platforms/platform.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import { Shares } from '../../system/shares.ts';
import type { StreamedReply } from '../../system/transport.ts';
import { asAttachment, type ValueAnswer } from '../answer.ts';
import { type IntakeOptions, PASSING_MAX } from '../context.ts';
import { answerLater, answerNo } from './answer.ts';
import { masked, secretOf } from './mask.ts';
import { answerFromStore } from './polls.ts';
import type { Speaker } from './speaker.ts';

// Long polls answer after at most 50 s; this is what they may take beyond it.
const LONG_POLL_GRACE_MS = 10_000;
const LONG_POLL_S_MAX = 50;
const REFUSED_MS = 60_000;
const BANS_MAX = 10_000;
// A longer answer of getUpdates is passed on unread.
const UPDATES_BYTES_MAX = 8 * 1024 * 1024;

const LOST = 'Conflict: the answer was lost, it may have been carried out';

const HEADERS_PASSED = [
  ...['content-type', 'content-length', 'content-disposition', 'content-range', 'accept-ranges'],
  ...['etag', 'last-modified', 'cache-control', 'retry-after'],
];

export class Passing {
  readonly #options: Pick<IntakeOptions, 'clock' | 'accounts' | 'updates'>;
  readonly #passage: Passage;
  // By token, or token and method: a new token has nothing to answer for. Insertion order is age order.
  readonly #bans = new Map<string, number>();
  readonly #places = new Shares(PASSING_MAX);
  readonly #spends: (method: string) => boolean;

  constructor(
    options: Pick<IntakeOptions, 'clock' | 'accounts' | 'updates'>,
    passage: Passage,
    spends: (method: string) => boolean = () => false,
  ) {
    this.#options = options;
    this.#passage = passage;
    this.#spends = spends;
  }

  async call(
    speaker: Speaker,
    asked: Omit<OutgoingCall, 'credential'>,
    caller: Caller,
  ): Promise<ValueAnswer> {
    const { account, credential } = speaker;
    const call = { ...asked, credential };
    const kept = answerFromStore(this.#options.updates, account, call, caller);
    if (kept !== null) return kept;
    const name = `${call.credential} ${call.method.toLowerCase()}`;
    const refusal = this.#refusal(account, call.credential) ?? this.#wait(name);
    if (refusal !== null) return refusal;
    const answer = await this.#through(speaker, caller, (hangUp) =>
      this.#passage.pass(call, hangUp),
    );
    if (answer?.kind === 'answered') {
      const { status, headers } = answer;
      if (status === 401) this.#ban(call.credential, REFUSED_MS);
      if (status === 429) this.#ban(name, Number(headers['retry-after'] ?? 0) * 1000);
    }
    // Not a 5xx: clients repeat those on their own, and it may have been paid.
    if (answer?.kind === 'lost' && this.#spends(call.method)) return answerNo(409, LOST);
    const isPoll = name.endsWith(' getupdates');
    const read = isPoll ? (updates: string) => this.#saw(account, updates) : null;
    return this.#flow(hidden(speaker, answer), read);
  }

  async download(
    speaker: Speaker,
    asked: Omit<Download, 'credential'>,
    caller: Caller,
  ): Promise<ValueAnswer> {
    const { account, credential } = speaker;
    const refusal = this.#refusal(account, credential);
    if (refusal !== null) return refusal;
    const file = { ...asked, path: ownPath(speaker, asked.path), credential };
    const answer = await this.#through(speaker, caller, (hangUp) =>
      this.#passage.download(file, hangUp),
    );
    if (answer?.kind === 'answered') {
      const { 'content-disposition': given, ...headers } = answer.headers;
      const saved = { ...headers, 'content-disposition': asAttachment(given) };
      return this.#flow({ ...answer, headers: saved }, null);
    }
    return this.#flow(answer, null);
  }

  // null: too many are under way.
  async #through(
    speaker: Speaker,
    caller: Caller,
    ask: (hangUp: AbortSignal) => Promise<StreamedReply>,
  ): Promise<StreamedReply | null> {
    if (!this.#places.take(speaker)) return null;
    const leaving = new AbortController();
    caller.once('close', () => leaving.abort());
    try {
      const answer = await ask(leaving.signal);
      if (answer.kind !== 'answered') this.#places.give(speaker);
      else answer.body.once('close', () => this.#places.give(speaker));
      return answer;
    } catch (error) {
      // The platform's code failed; its place is free again.
      this.#places.give(speaker);
      throw error;
    }
  }

  #flow(answer: StreamedReply | null, read: ((body: string) => void) | null): ValueAnswer {
    if (answer === null) return answerLater(1);
    if (answer.kind !== 'answered') return answerNo(502, 'Bad Gateway');
    const { status, body } = answer;
    const headers: Record<string, string> = {};
    for (const name of HEADERS_PASSED) {
      const value = answer.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    const isRead = read !== null && status === 200;
    return { status, headers, body: isRead ? overheard(body, read) : body };
  }

  #saw(account: string, body: string): void {
    if (this.#options.updates === undefined) return;
    const updates = updatesOf(body);
    if (updates.length > 0) this.#options.updates.saw(account, updates);
  }

  // null: it may be asked for.
  #refusal(account: string, credential: string): ValueAnswer | null {
    const refused = this.#options.accounts.get(account)?.refused ?? null;
    if (refused === null && this.#leftMs(credential) <= 0) return null;
    return answerNo(401, 'Unauthorized');
  }

  #wait(name: string): ValueAnswer | null {
    const leftMs = this.#leftMs(name);
    return leftMs > 0 ? answerLater(Math.ceil(leftMs / 1000)) : null;
  }

  #leftMs(name: string): number {
    const until = this.#bans.get(name);
    if (until === undefined) return 0;
    const leftMs = until - this.#options.clock.now();
    if (leftMs <= 0) this.#bans.delete(name);
    return leftMs;
  }

  #ban(name: string, ms: number): void {
    if (!(ms > 0)) return;
    this.#bans.delete(name);
    this.#bans.set(name, this.#options.clock.now() + ms);
    if (this.#bans.size <= BANS_MAX) return;
    for (const oldest of this.#bans.keys()) {
      this.#bans.delete(oldest);
      return;
    }
  }
}

export function passDeadlineMs(params: Readonly<Record<string, unknown>>, leastMs: number): number {
  const seconds = scalarNumber(params.timeout);
  if (!(seconds > 0)) return leastMs;
  return Math.max(leastMs, Math.min(seconds, LONG_POLL_S_MAX) * 1000 + LONG_POLL_GRACE_MS);
}

// As whoever holds a virtual token may see it.
function hidden({ credential, virtual }: Speaker, answer: StreamedReply | null) {
  if (virtual === null || answer?.kind !== 'answered') return answer;
  const { 'content-length': _length, ...headers } = answer.headers;
  return { ...answer, headers, body: masked(answer.body, credential, virtual.token) };
}

// The other way round: a path that was told with the virtual secret in it.
function ownPath({ credential, virtual }: Speaker, path: string): string {
  if (virtual === null) return path;
  return path.replaceAll(secretOf(virtual.token), encodeURIComponent(secretOf(credential)));
}

// The same bytes; `read` is told them when all of them have gone on to the caller.
function overheard(body: Readable, read: (body: string) => void): Readable {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const ear = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= UPDATES_BYTES_MAX) chunks.push(chunk);
      done(null, chunk);
    },
    flush(done) {
      if (bytes <= UPDATES_BYTES_MAX) read(Buffer.concat(chunks).toString());
      done();
    },
  });
  body.once('error', (error) => ear.destroy(error));
  ear.once('close', () => body.destroy());
  return body.pipe(ear);
}

function updatesOf(body: string): readonly unknown[] {
  const answer = jsonOrUndefined(body);
  const isGiven = typeof answer === 'object' && answer !== null && 'result' in answer;
  return isGiven && Array.isArray(answer.result) ? answer.result : [];
}
