// Requests of the Bot API, by their paths: calls, files, and polls that wait.

import type { Clock } from '../../system/clock.ts';
import type { SimAsked, SimRequest, SimServing } from '../model.ts';
import { type SimParams, textOf } from '../params.ts';
import { parseAddress } from './address.ts';
import { badRequest, NOT_FOUND, refused } from './answers.ts';
import { fileOf } from './files.ts';
import { Polling } from './polling.ts';
import type { JudgedCall, TelegramModel } from './port.ts';
import { isPart } from './uploads.ts';

const UNREADABLE = refused(badRequest("can't parse the request's body"), false);
const NOWHERE = refused(NOT_FOUND, false);

export class TelegramServing implements SimServing<JudgedCall> {
  readonly #model: TelegramModel;
  readonly #polling: Polling;

  constructor(model: TelegramModel, clock: Clock) {
    this.#model = model;
    this.#polling = new Polling(model, clock);
  }

  receive({ url, headers, params: body }: SimRequest): SimAsked<JudgedCall> {
    const address = parseAddress(url);
    if (body === null) return { kind: 'plain', answer: UNREADABLE };
    if (address === null) return { kind: 'plain', answer: NOWHERE };
    if (address.kind === 'file') {
      const range = typeof headers.range === 'string' ? headers.range : undefined;
      return { kind: 'plain', answer: fileOf(address.path, range) };
    }
    const { token, query } = address;
    const params = joined(query, body);
    const method = address.method === '' ? textOf(params, 'method') : address.method;
    if (this.#polling.isLong(method, params)) {
      return { kind: 'held', answer: this.#polling.poll(token, params) };
    }
    const judge = (now: number) => this.#model.call(token, method, params, now);
    return { kind: 'call', token, method, chat: textOf(params, 'chat_id'), params, judge };
  }

  close(): void {
    this.#polling.close();
  }
}

// The query comes before the body, and the first of a name counts; but a file is no parameter, so that an empty value
// in the query leaves the part of that name.
function joined(query: SimParams, body: SimParams): SimParams {
  const params: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(query)) {
    if (value !== '' || !isPart(params[name])) params[name] = value;
  }
  return params;
}
