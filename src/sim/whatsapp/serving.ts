// Requests of the Graph API, by their paths: /v<nn>.0/<id> and below it. The token is in a header.

import type { Clock, Timer } from '../../system/clock.ts';
import type { SimAsked, SimRequest, SimServing, SimVerdict } from '../model.ts';
import type { SimParams } from '../params.ts';
import type { SimAction, WhatsappCall } from './calls.ts';
import { recipientOf } from './content.ts';
import { ERRORS, invalid, refused } from './errors.ts';
import type { WebhookPost } from './webhooks.ts';

const PATH = /^\/v\d{1,3}\.\d{1,2}\/(\d{1,30})(?:\/(messages|media))?\/?$/;
const BEARER = /^Bearer (\S+)$/i;

export interface ServedWhatsapp {
  call(token: string, action: SimAction, params: SimParams, now: number): SimVerdict<WhatsappCall>;
  // What is to be posted since the last call, each at its time.
  takePosts(): WebhookPost[];
  post(post: WebhookPost): void;
}

export class WhatsappServing implements SimServing<WhatsappCall> {
  readonly #model: ServedWhatsapp;
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();

  constructor(model: ServedWhatsapp, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
  }

  receive({ verb, url, headers, params }: SimRequest): SimAsked<WhatsappCall> {
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const action = actionOf(verb, path);
    if (action === null) return { kind: 'plain', answer: refused(ERRORS.unknownObject, 'Asim0') };
    if (params === null) return { kind: 'plain', answer: refused(invalid('no JSON'), 'Asim0') };
    const query = mark < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(mark + 1)));
    const given: SimParams = { ...query, ...params };
    const bearer = BEARER.exec(String(headers.authorization ?? ''))?.[1] ?? '';
    const token = `${'number' in action ? action.number : action.id}:${bearer}`;
    const chat = recipientOf(given);
    const judge = (now: number) => {
      const verdict = this.#model.call(token, action, given, now);
      for (const post of this.#model.takePosts()) this.#later(post);
      return verdict;
    };
    return { kind: 'call', token, method: action.kind, chat, params: given, judge };
  }

  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #later(post: WebhookPost): void {
    const timer = this.#clock.schedule(post.at, () => {
      this.#timers.delete(timer);
      this.#model.post(post);
    });
    this.#timers.add(timer);
  }
}

function actionOf(verb: string, path: string): SimAction | null {
  const match = PATH.exec(path);
  if (match === null) return null;
  const [, id = '', edge] = match;
  if (edge === 'messages') return verb === 'POST' ? { kind: 'send', number: id } : null;
  if (edge === 'media') return verb === 'POST' ? { kind: 'upload', number: id } : null;
  if (verb === 'DELETE') return { kind: 'erase', id };
  return verb === 'GET' ? { kind: 'look', id } : null;
}
