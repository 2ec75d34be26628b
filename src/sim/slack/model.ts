// Slack's Web API as a pure function of requests and time. Every answer has status 200 and says in its body whether it
// is a yes; only a wait has a status of its own. Written from the documents, never from our own limits.

import type { Clock } from '../../system/clock.ts';
import type {
  SimAnswer,
  SimAsked,
  SimCall,
  SimInjected,
  SimModel,
  SimPeople,
  SimRequest,
  SimServing,
  SimVerdict,
} from '../model.ts';
import { intOf, type SimParams, textOf } from '../params.ts';
import { ACTS } from './acts.ts';
import { type SimSlackMessage, SlackMessages } from './messages.ts';
import { type SimSlackOptions, slackOptions } from './options.ts';
import { SlackPace } from './pace.ts';

export interface SlackCall extends SimCall {
  readonly cause: 'flood' | 'forced' | null;
  // What was answered instead of a yes.
  readonly error: string | null;
  readonly text: string;
}

export interface SlackModel extends SimModel<SlackCall>, SimPeople {
  messagesOf(chat: string): SimSlackMessage[];
  revoke(token: string): void;
}

interface Said {
  readonly error: string | null;
  readonly answer: SimAnswer;
  readonly waitMs?: number;
  readonly cause?: SlackCall['cause'];
  readonly ids?: readonly string[];
}

const PATH = /^\/api\/([A-Za-z.]+)(?:\?(.*))?$/;
const BEARER = /^Bearer (\S+)$/i;
const TOKEN = /^xoxb-(\d+-\d+)-\w+$/;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const HTML = { 'content-type': 'text/html' };
const APPS_MAX = 10_000;

export function createSlackModel(given: {
  readonly options?: Partial<SimSlackOptions>;
  readonly onCall?: (call: SlackCall) => void;
}): SlackModel {
  return new Model(slackOptions(given.options ?? {}), given.onCall ?? (() => {}));
}

class Model implements SlackModel {
  readonly platform = 'slack';
  readonly pulledBy = 'the Events API';
  readonly broken = {
    badGateway: { status: 502, headers: HTML, body: '<html><body>Bad Gateway</body></html>' },
    internalError: { status: 500, headers: HTML, body: '' },
    tooLarge: { status: 413, headers: HTML, body: '' },
  };
  readonly #options: SimSlackOptions;
  readonly #onCall: (call: SlackCall) => void;
  readonly #messages = new SlackMessages();
  readonly #paces = new Map<string, SlackPace>();
  readonly #blocked = new Set<string>();
  readonly #frozen = new Map<string, number>();
  readonly #revoked = new Set<string>();
  #events = 0;
  #awayUntil = 0;

  constructor(options: SimSlackOptions, onCall: (call: SlackCall) => void) {
    this.#options = options;
    this.#onCall = onCall;
  }

  serve(_clock: Clock): SimServing<SlackCall> {
    return { receive: (request) => this.#receive(request), close() {} };
  }

  #receive({ url, headers, params }: SimRequest): SimAsked<SlackCall> {
    const [, method = '', query = ''] = PATH.exec(url) ?? [];
    if (method === '') return { kind: 'plain', answer: { status: 404, headers: HTML, body: '' } };
    if (params === null) return { kind: 'plain', answer: refused('invalid_json').answer };
    const given: SimParams = { ...Object.fromEntries(new URLSearchParams(query)), ...params };
    const token = BEARER.exec(String(headers.authorization ?? ''))?.[1] ?? textOf(given, 'token');
    const chat = textOf(given, 'channel');
    const judge = (now: number) => this.#judged(token, method, chat, given, now);
    return { kind: 'call', token, method, chat, params: given, judge };
  }

  #judged(
    token: string,
    method: string,
    chat: string,
    params: SimParams,
    now: number,
  ): SimVerdict<SlackCall> {
    const said = this.#answer(token, method, chat, params, now);
    const { answer, error, waitMs, cause = null, ids = [] } = said;
    const call: SlackCall = {
      ...{
        token,
        method,
        chat: chat === '' ? null : chat,
        arrivedAt: now,
        holdMs: 0,
        cause,
        error,
      },
      acceptedAt: error === null ? now : null,
      status: answer.status,
      retryAfterS: waitMs === undefined ? null : Math.ceil(waitMs / 1000),
      messageIds: ids,
      text: textOf(params, 'text') || textOf(params, 'markdown_text'),
    };
    this.#onCall(call);
    return { answer, holdMs: 0, call };
  }

  #answer(token: string, method: string, chat: string, params: SimParams, now: number): Said {
    if (now < this.#awayUntil) return refused('service_unavailable', 503);
    const bot = TOKEN.exec(token)?.[1];
    if (bot === undefined) return refused(token === '' ? 'not_authed' : 'invalid_auth');
    if (this.#revoked.has(token)) return refused('token_revoked');
    const act = ACTS[method];
    if (act === undefined) return refused('unknown_method');
    const thawsAt = this.#frozen.get(chat) ?? 0;
    if (thawsAt > now) return limited(thawsAt - now, 'forced');
    const isFree = this.#options.truth === Number.POSITIVE_INFINITY;
    const openAt = isFree ? now : this.#paceOf(bot).take(method, chat, now);
    if (openAt > now) return limited(openAt - now, 'flood');
    const isOfChannel = !['api.test', 'auth.test'].includes(method);
    if (isOfChannel && chat === '') return refused('channel_not_found');
    if (this.#blocked.has(chat)) return refused('not_in_channel');
    const ending = act({ bot, params, now, messages: this.#messages });
    if ('error' in ending) return refused(ending.error);
    const body = JSON.stringify({ ok: true, ...ending.result });
    return {
      error: null,
      answer: { status: 200, headers: JSON_TYPE, body },
      ids: ending.ids ?? [],
    };
  }

  #paceOf(bot: string): SlackPace {
    const pace = this.#paces.get(bot) ?? new SlackPace(this.#options);
    if (this.#paces.size >= APPS_MAX) this.#paces.clear();
    this.#paces.set(bot, pace);
    return pace;
  }

  restart(until: number): void {
    this.#awayUntil = Math.max(this.#awayUntil, until);
  }

  revoke(token: string): void {
    this.#revoked.add(token);
  }

  inject(token: string, chat: string, text: string, now: number): SimInjected {
    const bot = TOKEN.exec(token)?.[1];
    if (bot === undefined) throw new Error('the simulator has no such app');
    const id = this.#messages.nextTs(now);
    this.#messages.add({
      ...{ bot, chat, thread: null, id, date: now / 1000, fromBot: false, text },
      ...{ isDeleted: false, isStreaming: false, reactions: new Set<string>() },
    });
    this.#events += 1;
    const said = { type: 'message', channel: chat, user: 'U7', text, ts: id };
    const posted = {
      ...{ type: 'event_callback', team_id: `T${bot.split('-')[0]}`, api_app_id: 'A1' },
      event: { ...said, event_ts: id, channel_type: chat.startsWith('D') ? 'im' : 'channel' },
      event_id: `Ev${String(this.#events).padStart(8, '0')}`,
      event_time: Math.floor(now / 1000),
    };
    return { posted, messageId: id };
  }

  setChat(chat: string, { kind }: { kind: 'open' } | { kind: 'blocked' }): void {
    if (kind === 'open') this.#blocked.delete(chat);
    else this.#blocked.add(chat);
  }

  isBlocked(chat: string): boolean {
    return this.#blocked.has(chat);
  }

  freeze(_token: string, chat: string, seconds: number, now: number): void {
    this.#frozen.set(chat, now + seconds * 1000);
  }

  messagesOf(chat: string): SimSlackMessage[] {
    return this.#messages.ofChat(chat);
  }

  newestByChat(max: number): SimSlackMessage[] {
    return this.#messages.newestByChat(max);
  }

  control(route: string, params: SimParams, now: number): unknown {
    const [token, chat] = [textOf(params, 'token'), textOf(params, 'chat')];
    switch (route) {
      case 'GET /sim/messages':
        return this.messagesOf(chat);
      case 'POST /sim/update':
        return this.inject(token, chat, textOf(params, 'text'), now);
      case 'POST /sim/chats': {
        const state = textOf(params, 'state');
        if (state === 'open' || state === 'blocked') this.setChat(chat, { kind: state });
        const seconds = intOf(params, 'freezeSeconds');
        if (seconds !== null) this.freeze(token, chat, seconds, now);
        return { ok: true };
      }
      case 'POST /sim/revoke':
        this.revoke(token);
        return { ok: true };
      default:
        return null;
    }
  }
}

function refused(error: string, status = 200): Said {
  const body = JSON.stringify({ ok: false, error });
  return { error, answer: { status, headers: JSON_TYPE, body } };
}

function limited(waitMs: number, cause: SlackCall['cause']): Said {
  const headers = { ...JSON_TYPE, 'retry-after': String(Math.ceil(waitMs / 1000)) };
  const { answer, error } = refused('ratelimited', 429);
  return { error, answer: { ...answer, headers }, waitMs, cause };
}
