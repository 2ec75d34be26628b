// A call of Telegram's dialect, whoever makes it: read once, in whatever form it comes, and sent its way, over the road
// if it sends, straight through if not. Calls come over HTTP (routes.ts) and from inside the process (in-process.ts);
// both get the same answer, as a value.
// Refusals here are the platform's own, to the byte where its words are known.

import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { identityProblem } from '../../accept/draft.ts';
import { permitted } from '../../accept/permit.ts';
import { tooOften } from '../../accept/problems.ts';
import type { Caller, WaitingCallers } from '../../accept/receipt.ts';
import { journalProblem } from '../../accept/submit.ts';
import { problem } from '../../domain/errors.ts';
import { scalarText } from '../../domain/scalar.ts';
import { bodyOf, type Files, NO_FILES } from '../../domain/upload.ts';
import type { Download, Passage, Platform } from '../../platforms/platform.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import type { ValueAnswer } from '../answer.ts';
import type { IntakeOptions } from '../context.ts';
import { type Form, readForm } from '../multipart.ts';
import { type CallAddress, METHOD } from './address.ts';
import { answerNo, answerProblem, answerTooLarge } from './answer.ts';
import { type AskedCall, Dialect } from './dialect.ts';
import { isStream, merge, type RequestParams, withAttached } from './params.ts';
import { Passing, passDeadlineMs } from './pass.ts';
import { readPatience } from './send-options.ts';
import { type FoundSpeaker, type Speaker, speakerOf } from './speaker.ts';

const PLATFORM = 'telegram';
// What a caller may say about which part of a file it wants.
const HEADERS_ASKED = ['range', 'if-range', 'if-none-match', 'if-modified-since'];

const UNKNOWN_ENCODING = 'Unsupported Media Type: unsupported Content-Encoding';
const NOT_MADE_FOR_IT = 'this token is not made for this call';

// A call whose token was admitted.
export interface DoorCall {
  readonly speaker: Speaker;
  readonly address: CallAddress;
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
  // A stream: a form, read as it arrives.
  readonly body: unknown;
}

// null: the gateway does not serve Telegram.
export function openTelegram(options: IntakeOptions, waiting: WaitingCallers): TelegramDoor | null {
  const platform = options.platforms.get(PLATFORM);
  if (platform?.passage === undefined) return null;
  return new TelegramDoor(options, platform, platform.passage, waiting);
}

export class TelegramDoor {
  readonly #options: IntakeOptions;
  readonly #platform: Platform;
  readonly #waiting: WaitingCallers;
  readonly #dialect: Dialect;
  readonly #passing: Passing;

  constructor(
    options: IntakeOptions,
    platform: Platform,
    passage: Passage,
    waiting: WaitingCallers,
  ) {
    this.#options = options;
    this.#platform = platform;
    this.#waiting = waiting;
    this.#dialect = new Dialect(options, waiting);
    this.#passing = new Passing(options, passage, platform.calls.spends);
  }

  get platform(): string {
    return this.#platform.name;
  }

  // A call that would hold the line could not be answered any more.
  isStoppingFor({ prefer }: IncomingHttpHeaders): boolean {
    if (!this.#waiting.isStopping) return false;
    return readPatience(prefer, this.#options.settings).kind !== 'async';
  }

  get bodyBytesMax(): number {
    return this.#options.settings.bodyBytesMax;
  }

  // With its files.
  get formBytesMax(): number {
    return this.bodyBytesMax + this.#options.settings.uploadBytesMax;
  }

  // Whose token is it? `from`: the address it comes from; '' is the machine itself.
  speaker(credential: string, from: string): FoundSpeaker | Promise<FoundSpeaker> {
    return speakerOf(this.#options, credential, from);
  }

  call(made: DoorCall, caller: Caller): Promise<ValueAnswer> | ValueAnswer {
    const { body } = made;
    if (isStream(body)) return this.#form(made, body, caller);
    const params = merge(made.query, body);
    if (params === null) return answerNo(400, 'Bad Request: JSON object expected');
    return this.#described(made, params, NO_FILES, caller);
  }

  async file(
    speaker: Speaker,
    file: Pick<Download, 'isHead' | 'path'>,
    asked: IncomingHttpHeaders,
    caller: Caller,
  ): Promise<ValueAnswer> {
    const judged = this.#judged(speaker, { method: 'getFile', params: {}, files: NO_FILES });
    if (judged.kind === 'refused') return judged.answer;
    const headers: Record<string, string> = {};
    for (const name of HEADERS_ASKED) {
      const value = asked[name];
      if (typeof value === 'string') headers[name] = value;
    }
    const { deadlineMs } = this.#options.settings;
    return this.#passing.download(speaker, { ...file, headers, deadlineMs }, caller);
  }

  // What a call that could not be finished is answered.
  failed(error: Error & { readonly statusCode?: number; readonly code?: string }): ValueAnswer {
    if (error instanceof JournalUnavailable) return answerProblem(journalProblem(error));
    const status = error.statusCode ?? 500;
    if (status === 413) return answerTooLarge();
    if (status === 415) return answerNo(415, UNKNOWN_ENCODING);
    if (error.code === 'json_bounds') return answerNo(400, `Bad Request: ${error.message}`);
    if (status < 500) return answerNo(400, "Bad Request: can't parse the request's body");
    this.#options.log.error({ err: error, route: '/bot…' }, 'request failed');
    return answerProblem(problem('internal', ''));
  }

  async #form(made: DoorCall, source: Readable, caller: Caller): Promise<ValueAnswer> {
    const { spool, settings } = this.#options;
    const { speaker, query, headers } = made;
    // A form that says that nothing follows is no broken one.
    if (headers['content-length'] === '0') return this.call({ ...made, body: undefined }, caller);
    const bounds = {
      fieldBytesMax: settings.bodyBytesMax,
      fileBytesMax: settings.uploadBytesMax,
    };
    const form = await readForm(source, headers, spool, bounds, speaker);
    if (form.kind !== 'read') return answerForm(form);
    const { files } = form;
    try {
      const params = withAttached(merge(query, form.fields)!, files);
      return await this.#described(made, params, files, caller);
    } finally {
      for (const { id } of Object.values(files)) spool.unpin(id);
    }
  }

  #described(
    { speaker, address, headers }: DoorCall,
    params: RequestParams,
    files: Files,
    caller: Caller,
  ): Promise<ValueAnswer> | ValueAnswer {
    const method = address.method === '' ? scalarText(params.method) : address.method;
    if (!METHOD.test(method)) return answerNo(404, 'Not Found');
    const call = this.#platform.calls.describe(method, params);
    if (call.kind === 'invalid') return answerNo(400, call.detail);
    const permit = this.#judged(speaker, { method: call.method, params, files });
    if (permit.kind === 'refused') return permit.answer;
    const { params: sent } = permit;
    // As it was judged, where it was.
    const judged = sent === params ? call : this.#platform.calls.describe(method, sent);
    if (judged.kind === 'invalid') return answerNo(400, judged.detail);
    const asked: AskedCall = { speaker, headers, params: sent, files };
    return judged.kind === 'pass'
      ? this.#pass(asked, judged.method, caller)
      : this.#dialect.deliver(asked, judged, caller);
  }

  #pass(asked: AskedCall, method: string, caller: Caller): Promise<ValueAnswer> {
    const { speaker, params } = asked;
    const body = bodyOf(params, asked.files);
    const deadlineMs = passDeadlineMs(params, this.#options.settings.deadlineMs);
    return this.#passing.call(speaker, { method, body, deadlineMs }, caller);
  }

  // The parameters to send: where bounds apply, as they were judged.
  #judged(
    speaker: Speaker,
    call: { method: string; params: RequestParams; files: Files },
  ):
    | { kind: 'permitted'; params: Readonly<RequestParams> }
    | { kind: 'refused'; answer: ValueAnswer } {
    const bounds = speaker.virtual?.bounds ?? null;
    if (bounds === null) return { kind: 'permitted', params: call.params };
    const waitMs = bounds.takeMs(this.#options.clock.now());
    if (waitMs > 0) return { kind: 'refused', answer: answerProblem(tooOften(waitMs)) };
    const permit = permitted(this.#platform.calls, bounds, call);
    if (permit.kind === 'permitted') return permit;
    const refusal = problem('forbidden_scope', permit.detail || NOT_MADE_FOR_IT);
    return { kind: 'refused', answer: answerProblem(refusal) };
  }
}

export function answerUnknown(found: Exclude<FoundSpeaker, Speaker>): ValueAnswer {
  if (found.kind === 'refused') return answerNo(found.status, found.detail);
  return answerProblem(identityProblem(found));
}

function answerForm(form: Exclude<Form, { kind: 'read' }>): ValueAnswer {
  switch (form.kind) {
    case 'too_large':
      return answerTooLarge();
    case 'full':
      return answerProblem(problem('spool_full', ''));
    case 'failed':
      return answerProblem(problem(form.code, ''));
    case 'broken':
      return answerNo(400, `Bad Request: ${form.detail}`);
  }
}
