// Calls that send nothing, and downloads: straight through to the platform, the answer flowing back as it comes.
// They are not paced, but they keep what the platform said: a wait it named is told to whoever asks before it is
// over, also by the next process, and an account whose token it refuses, also when it is asked for that alone, is not
// asked for again at once. A caller who hangs up ends the call.

import { type Readable, Transform } from 'node:stream';
import type { Caller } from '../../accept/callers.ts';
import { type AccountId, platformOf } from '../../domain/ids.ts';
import type {
  Download,
  OutgoingCall,
  UpdatePolling,
  ValueAnswer,
} from '../../platforms/platform.ts';
import type { StreamedReply } from '../../system/http/transport.ts';
import { Shares } from '../../system/shares.ts';
import { type HttpParts, PASSING_MAX } from '../context.ts';
import { asAttachment } from '../edge.ts';
import { answerUnauthorized, type ServedPlatform } from './answers.ts';
import type { Speaker } from './caller.ts';
import { masked } from './mask.ts';
import { answerFromStore } from './polls.ts';

// What a call that the platform holds open may take beyond that.
const HELD_GRACE_MS = 10_000;
// What is known of a token after a 401 holds so long.
const CHECKED_MS = 60_000;
const CHECKED_MAX = 10_000;
// Tokens that the platform is asked about at once; a 401 beyond that is passed on and forgotten.
const CHECKING_MAX = 16;
export const LIMITED_LOG_EVERY_MS = 60_000;
// Beyond so many methods of accounts the oldest is told anew.
const LOGGED_MAX = 10_000;
const METHOD_LENGTH_MAX = 64;
// A longer answer to a poll is passed on unread.
const UPDATES_BYTES_MAX = 8 * 1024 * 1024;

const LOST = 'Conflict: the answer was lost, it may have been carried out';

const HEADERS_PASSED = [
  ...['content-type', 'content-length', 'content-disposition', 'content-range', 'accept-ranges'],
  ...['etag', 'last-modified', 'cache-control', 'retry-after'],
];

type PassingOptions = Pick<
  HttpParts,
  'clock' | 'road' | 'accounts' | 'updates' | 'log' | 'settings' | 'metrics'
>;
interface CheckedToken {
  readonly isRefused: boolean;
  readonly until: number;
}
type PassingPlatform = Pick<ServedPlatform, 'calls' | 'dialect' | 'passage' | 'polling'>;

export class Passing {
  readonly #options: PassingOptions;
  readonly #platform: PassingPlatform;
  readonly #headersPassed: readonly string[];
  // By token: a new one has nothing to answer for. Insertion order is age order.
  readonly #checked = new Map<string, CheckedToken>();
  readonly #checking = new Shares(CHECKING_MAX);
  readonly #places: Shares;
  // By account and method: when a limited call was last told, and how many came since. Insertion order is age order.
  readonly #logged = new Map<string, { at: number; since: number }>();

  constructor(options: PassingOptions, platform: PassingPlatform) {
    this.#options = options;
    this.#platform = platform;
    this.#places = new Shares(options.settings.passingMax ?? PASSING_MAX);
    this.#headersPassed = [...HEADERS_PASSED, ...(platform.dialect.headersPassed ?? [])];
  }

  // `heldMs`: how long the platform itself may take to answer.
  async call(
    speaker: Speaker,
    asked: Omit<OutgoingCall, 'credential' | 'deadlineMs'> & { readonly heldMs: number },
    caller: Caller,
  ): Promise<ValueAnswer> {
    const { account, credential } = speaker;
    const { method, body, heldMs } = asked;
    const call = { credential, method, body, deadlineMs: this.#deadlineMs(heldMs) };
    const { passage, polling } = this.#platform;
    const kept = answerFromStore(this.#options.updates, polling, account, call, caller);
    if (kept !== null) return kept;
    const refusal = this.#refusal(account, call.credential) ?? this.#wait(account, call.method);
    if (refusal !== null) return refusal;
    const charge = passage.chargeOf?.(method) ?? null;
    if (charge !== null) this.#options.road.passed(account, charge);
    const answer = await this.#through(speaker, caller, (hangUp) => passage.pass(call, hangUp));
    if (answer?.kind === 'answered') {
      const { status, headers } = answer;
      if (status === 401) void this.#check(speaker);
      if (status === 429) this.#limited(account, call.method, headers['retry-after']);
    }
    // Not a 5xx: clients repeat those on their own, and it may have been paid.
    const isSpent = answer?.kind === 'lost' && this.#platform.calls.spends?.(call.method) === true;
    if (isSpent) return this.#platform.dialect.conflict(LOST);
    const isPoll = polling?.asked(call.method, {})?.kind === 'poll';
    const read = isPoll ? (updates: string) => this.#saw(account, polling, updates) : null;
    return this.#flow(this.#hidden(speaker, answer), read);
  }

  async download(
    speaker: Speaker,
    asked: Omit<Download, 'credential' | 'deadlineMs'>,
    caller: Caller,
  ): Promise<ValueAnswer> {
    const { account, credential } = speaker;
    const refusal = this.#refusal(account, credential);
    if (refusal !== null) return refusal;
    const deadlineMs = this.#deadlineMs(0);
    const file = { ...asked, deadlineMs, path: this.#ownPath(speaker, asked.path), credential };
    const answer = await this.#through(speaker, caller, (hangUp) =>
      this.#platform.passage.download(file, hangUp),
    );
    if (answer?.kind === 'answered') {
      const { 'content-disposition': given, ...headers } = answer.headers;
      const saved = { ...headers, 'content-disposition': asAttachment(given) };
      return this.#flow({ ...answer, headers: saved }, null);
    }
    return this.#flow(answer, null);
  }

  #deadlineMs(heldMs: number): number {
    const { deadlineMs } = this.#options.settings;
    return heldMs > 0 ? Math.max(deadlineMs, heldMs + HELD_GRACE_MS) : deadlineMs;
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
      const status = answer.kind === 'answered' ? answer.status : null;
      this.#options.metrics.countPassed(speaker.account, status);
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
    const { dialect } = this.#platform;
    if (answer === null) return dialect.later(1);
    if (answer.kind !== 'answered') return dialect.refused(502, 'Bad Gateway');
    const { status, body } = answer;
    const headers: Record<string, string> = {};
    for (const name of this.#headersPassed) {
      const value = answer.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    const isRead = read !== null && status === 200;
    return { status, headers, body: isRead ? observed(body, read) : body };
  }

  #saw(account: AccountId, polling: UpdatePolling, body: string): void {
    const { updates, log } = this.#options;
    if (updates === undefined) return;
    try {
      const seen = polling.updatesIn(body);
      if (seen.length > 0) updates.saw(account, seen);
    } catch (error) {
      // The caller has them already.
      log.error(
        { err: error, platform: platformOf(account), account },
        'could not read the updates of a poll',
      );
    }
  }

  // As whoever holds a virtual token may see it.
  #hidden({ credential, virtual }: Speaker, answer: StreamedReply | null): StreamedReply | null {
    if (virtual === null || answer?.kind !== 'answered') return answer;
    const { secretOf } = this.#platform.dialect;
    const { 'content-length': _length, ...headers } = answer.headers;
    const body = masked(answer.body, secretOf(credential), secretOf(virtual.token));
    return { ...answer, headers, body };
  }

  // The other way round: a path that was told with the virtual secret in it.
  #ownPath({ credential, virtual }: Speaker, path: string): string {
    if (virtual === null) return path;
    const { secretOf } = this.#platform.dialect;
    return path.replaceAll(secretOf(virtual.token), encodeURIComponent(secretOf(credential)));
  }

  // null: it may be asked for.
  #refusal(account: AccountId, credential: string): ValueAnswer | null {
    const refused = this.#options.accounts.get(account)?.refused ?? null;
    if (refused === null && this.#checkedOf(credential)?.isRefused !== true) return null;
    return answerUnauthorized(this.#platform.dialect);
  }

  #limited(account: AccountId, method: string, retryAfter: string | undefined): void {
    const { road, clock } = this.#options;
    const ms = Number(retryAfter ?? 0) * 1000;
    this.#logLimited(account, method, ms > 0 ? ms : null);
    if (ms > 0) road.limitPassed(account, method, clock.now() + ms);
  }

  // The first of an account's method at once, then at most one a minute with how many there were.
  #logLimited(account: AccountId, method: string, retryAfterMs: number | null): void {
    const { log, clock } = this.#options;
    const key = `${account} ${method.toLowerCase().slice(0, METHOD_LENGTH_MAX)}`;
    const [last, now] = [this.#logged.get(key), clock.now()];
    if (last !== undefined && now - last.at < LIMITED_LOG_EVERY_MS) {
      last.since += 1;
      return;
    }
    this.#logged.delete(key);
    if (this.#logged.size >= LOGGED_MAX) this.#logged.delete(this.#logged.keys().next().value!);
    this.#logged.set(key, { at: now, since: 0 });
    const until = retryAfterMs === null ? {} : { retryAfterMs };
    const times = (last?.since ?? 0) + 1;
    log.warn({ platform: platformOf(account), account, method, ...until, times }, 'Rate limited');
  }

  #wait(account: AccountId, method: string): ValueAnswer | null {
    const { road, clock } = this.#options;
    const leftMs = road.passWait(account, method) - clock.now();
    return leftMs > 0 ? this.#platform.dialect.later(Math.ceil(leftMs / 1000)) : null;
  }

  // A single 401 may be a proxy's: only when the platform refuses the token itself, nothing more of it is passed for a
  // while. However many calls are answered so, the platform is asked once in that time.
  async #check(speaker: Speaker): Promise<void> {
    const { account, credential } = speaker;
    if (this.#checkedOf(credential) !== null || !this.#checking.take(speaker)) return;
    this.#remember(credential, false);
    try {
      if (await this.#options.road.isTokenRefused(account)) this.#remember(credential, true);
    } catch (error) {
      this.#options.log.error(
        { err: error, platform: platformOf(account), account },
        'could not ask the platform about a token',
      );
    } finally {
      this.#checking.give(speaker);
    }
  }

  // null: the platform has not been asked about it lately.
  #checkedOf(credential: string): CheckedToken | null {
    const checked = this.#checked.get(credential);
    if (checked === undefined) return null;
    if (checked.until > this.#options.clock.now()) return checked;
    this.#checked.delete(credential);
    return null;
  }

  #remember(credential: string, isRefused: boolean): void {
    this.#checked.delete(credential);
    this.#checked.set(credential, { isRefused, until: this.#options.clock.now() + CHECKED_MS });
    if (this.#checked.size <= CHECKED_MAX) return;
    for (const oldest of this.#checked.keys()) {
      this.#checked.delete(oldest);
      return;
    }
  }
}

// The same bytes; `read` is told them when all of them have gone on to the caller.
function observed(body: Readable, read: (body: string) => void): Readable {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const observer = new Transform({
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
  body.once('error', (error) => observer.destroy(error));
  observer.once('close', () => body.destroy());
  return body.pipe(observer);
}
