// Discord as a pure function of requests and time: who may, what its buckets say, what is done. No clock inside.
// Written from its documents, never from our own limits: a simulator that shares code with what it tests shares its
// mistakes.

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
import { SimWindow } from '../window.ts';
import { ACTS, hookOf } from './acts.ts';
import {
  BAD_GATEWAY,
  banned,
  type DiscordLimitScope,
  granted,
  INTERNAL,
  INVALID_JSON,
  limited,
  METHOD_NOT_ALLOWED,
  MISSING_ACCESS,
  MISSING_PERMISSIONS,
  NOT_FOUND,
  refused,
  type SimDiscordError,
  TOO_LARGE,
  UNAUTHORIZED,
  UNAVAILABLE,
  UNKNOWN_CHANNEL,
} from './answers.ts';
import { SimBucket } from './bucket.ts';
import { incoming } from './incoming.ts';
import { DiscordMessages, type SimDiscordMessage } from './messages.ts';
import { discordOptions, type SimDiscordOptions } from './options.ts';
import { pathOf, type SimPath } from './paths.ts';
import type { DiscordChannel, DiscordScene, Interaction, Webhook } from './scene.ts';
import { botOf, interactionOf, Snowflakes, secretFor } from './snowflake.ts';

export interface DiscordCall extends SimCall {
  readonly bucket: string;
  readonly cause: 'flood' | 'forced' | 'hidden' | 'ban' | null;
  readonly text: string;
}

export interface DiscordModel extends SimModel<DiscordCall>, SimPeople {
  request(request: SimRequest, now: number): SimVerdict<DiscordCall>;
  messagesOf(chat: string): SimDiscordMessage[];
  revoke(token: string): void;
  // What bots may do in a channel; null: everything.
  setAccess(chat: string, access: ChannelAccess | null): void;
  // A note of the platform in the channel: it takes an id, and nobody wrote it.
  note(chat: string, now: number): string;
  // How many answers were of those that lead to a ban.
  readonly invalidCount: number;
}

// `gone`: the channel was deleted; `hidden`: they cannot see it; `past_hidden`: nor what was written before.
export type ChannelAccess = 'gone' | 'hidden' | 'past_hidden';

const JOINED = 7;

type Said = {
  answer: SimAnswer;
  cause?: DiscordCall['cause'];
  waitMs?: number;
  ids?: readonly string[];
};

const BUCKETS_MAX = 200_000;

export function createDiscordModel(given: {
  options?: Partial<SimDiscordOptions>;
  onCall?: (call: DiscordCall) => void;
}): DiscordModel {
  return new Model(discordOptions(given.options ?? {}), given.onCall ?? (() => {}));
}

class Model implements DiscordModel {
  readonly platform = 'discord';
  readonly pulledBy = 'the gateway connection';
  readonly broken = { badGateway: BAD_GATEWAY, internalError: INTERNAL, tooLarge: TOO_LARGE };
  invalidCount = 0;
  readonly #options: SimDiscordOptions;
  readonly #onCall: (call: DiscordCall) => void;
  readonly #messages = new DiscordMessages();
  readonly #snowflakes = new Snowflakes();
  readonly #channels = new Map<string, DiscordChannel>();
  readonly #webhooks = new Map<string, Webhook>();
  readonly #interactions = new Map<string, Interaction>();
  readonly #nonces = new Map<string, { id: string; until: number }>();
  readonly #buckets = new Map<string, SimBucket>();
  readonly #globals = new Map<string, SimWindow>();
  readonly #hidden = new Map<string, SimWindow>();
  readonly #invalid: SimWindow;
  readonly #blocked = new Set<string>();
  readonly #access = new Map<string, ChannelAccess>();
  readonly #frozen = new Map<string, number>();
  readonly #revoked = new Set<string>();
  #bannedUntil = 0;
  #awayUntil = 0;

  constructor(options: SimDiscordOptions, onCall: (call: DiscordCall) => void) {
    this.#options = options;
    this.#onCall = onCall;
    this.#invalid = new SimWindow(options.invalid);
  }

  serve(_clock: Clock): SimServing<DiscordCall> {
    return { receive: (request) => this.#receive(request), close() {} };
  }

  request(request: SimRequest, now: number): SimVerdict<DiscordCall> {
    const asked = this.#receive(request);
    if (asked.kind !== 'call') throw new Error('the simulator has no such path');
    return asked.judge(now);
  }

  #receive(request: SimRequest): SimAsked<DiscordCall> {
    const { verb, url, headers, params } = request;
    const path = pathOf(verb, url);
    if (params === null) return { kind: 'plain', answer: refused(INVALID_JSON, {}) };
    const { authorization } = headers;
    const token = /^Bot (\S+)$/.exec(String(authorization ?? ''))?.[1] ?? '';
    const ids = path === null || path === 405 ? {} : path.ids;
    const chat = ids.channel ?? ids.webhook ?? ids.interaction ?? '';
    const name = path === null || path === 405 ? `${verb} ?` : path.route.name;
    const judge = (now: number) => this.#judged({ token, name, chat, path, params }, now);
    return { kind: 'call', token, method: name, chat, params, judge };
  }

  #judged(
    asked: {
      token: string;
      name: string;
      chat: string;
      path: SimPath | 405 | null;
      params: SimParams;
    },
    now: number,
  ): SimVerdict<DiscordCall> {
    const { token, name, chat, path, params } = asked;
    const said = this.#answer(path, token, params, now);
    this.#countInvalid(said, now);
    const { status } = said.answer;
    const waitMs = said.waitMs ?? null;
    const call: DiscordCall = {
      token,
      method: name,
      chat: chat === '' ? null : chat,
      arrivedAt: now,
      acceptedAt: status < 300 ? now : null,
      holdMs: 0,
      status,
      cause: said.cause ?? null,
      retryAfterS: waitMs === null ? null : waitMs / 1000,
      messageIds: said.ids ?? [],
      bucket: path === null || path === 405 ? '' : path.route.bucket,
      text: textOf(params, 'content'),
    };
    this.#onCall(call);
    return { answer: said.answer, holdMs: 0, call };
  }

  #answer(path: SimPath | 405 | null, token: string, params: SimParams, now: number): Said {
    if (now < this.#bannedUntil) {
      const waitMs = this.#bannedUntil - now;
      return { answer: banned(Math.ceil(waitMs / 1000)), cause: 'ban', waitMs };
    }
    if (now < this.#awayUntil) return { answer: UNAVAILABLE };
    if (path === null) return { answer: refused(NOT_FOUND, {}) };
    if (path === 405) return { answer: refused(METHOD_NOT_ALLOWED, {}) };
    const bot = this.#revoked.has(token) ? null : botOf(token);
    if (bot === null && path.route.open === undefined) return { answer: refused(UNAUTHORIZED, {}) };
    const bucket = this.#bucketOf(path);
    const wait = this.#waitOf(path, bot, bucket, now);
    const headers = bucket.headers(now);
    if (wait !== null) {
      const { scope, waitMs, cause } = wait;
      return { answer: limited(scope, waitMs, headers), cause, waitMs };
    }
    const barred = this.#barredFrom(path.ids.channel ?? '');
    if (barred !== null) return { answer: refused(barred, headers) };
    const ending = ACTS[path.route.name]!(this.#scene({ id: bot ?? '', token }, path, params, now));
    if (ending.kind === 'refused') return { answer: refused(ending.error, headers) };
    return { answer: granted(ending.result, headers), ids: ending.ids };
  }

  #barredFrom(chat: string): SimDiscordError | null {
    const access = this.#access.get(chat);
    if (access === 'gone') return UNKNOWN_CHANNEL;
    if (access === 'hidden') return MISSING_ACCESS;
    return this.#blocked.has(chat) ? MISSING_PERMISSIONS : null;
  }

  // null: it may go.
  #waitOf(
    path: SimPath,
    bot: string | null,
    bucket: SimBucket,
    now: number,
  ): { scope: DiscordLimitScope; waitMs: number; cause: DiscordCall['cause'] } | null {
    if (this.#options.truth === Number.POSITIVE_INFINITY) return null;
    const { ids } = path;
    const global = bot === null || isOfInteraction(path) ? null : this.#globalOf(bot);
    const freeAt = global?.earliest(now, 1) ?? now;
    if (freeAt > now) return { scope: 'global', waitMs: freeAt - now, cause: 'flood' };
    const thawsAt = this.#frozen.get(ids.channel ?? ids.webhook ?? '') ?? 0;
    if (thawsAt > now) return { scope: 'shared', waitMs: thawsAt - now, cause: 'forced' };
    const hidden = path.route.bucket === 'webhook' ? this.#hiddenOf(path) : null;
    const shownAt = hidden?.earliest(now, 1) ?? now;
    if (shownAt > now) return { scope: 'shared', waitMs: shownAt - now, cause: 'hidden' };
    const waitMs = bucket.take(now);
    if (waitMs > 0) return { scope: 'user', waitMs, cause: 'flood' };
    global?.add(now, 1);
    hidden?.add(now, 1);
    return null;
  }

  #bucketOf({ route, ids }: SimPath): SimBucket {
    const major = ids.channel ?? (ids.webhook === undefined ? '' : `${ids.webhook}/${ids.token}`);
    const key = `${route.bucket} ${major}`;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= BUCKETS_MAX) this.#buckets.clear();
      // Creating and editing have counters of their own under one name.
      const name = route.bucket === 'edit' ? 'create' : route.bucket;
      const id = Buffer.from(`simulated ${name}`).toString('hex');
      bucket = new SimBucket(id, this.#options.buckets[route.bucket], this.#options.shape);
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  #globalOf(bot: string): SimWindow {
    return made(this.#globals, bot, () => new SimWindow(this.#options.global));
  }

  // Answers to interactions have no such limit. A webhook that is not there is told so, and counts for nobody.
  #hiddenOf({ ids }: SimPath): SimWindow | null {
    if (interactionOf(ids.token!) !== null) return null;
    const hook = hookOf({ ids, webhooks: this.#webhooks });
    if (hook === null) return null;
    return made(this.#hidden, hook.channel, () => new SimWindow(this.#options.hiddenWebhook));
  }

  #countInvalid({ answer, cause }: Said, now: number): void {
    const { status, headers } = answer;
    if (![401, 403, 429].includes(status) || cause === 'ban') return;
    if (headers['x-ratelimit-scope'] === 'shared') return;
    this.invalidCount += 1;
    const isOver = this.#invalid.earliest(now, 1) > now;
    if (isOver) this.#bannedUntil = now + this.#options.banMs;
    else this.#invalid.add(now, 1);
  }

  #scene(
    bot: { id: string; token: string },
    { ids, query }: SimPath,
    params: SimParams,
    now: number,
  ): DiscordScene {
    return {
      ...{ bot: bot.id, secret: secretFor(bot.token), ids, query, params, now },
      options: this.#options,
      messages: this.#messages,
      isPastHidden: this.#access.get(ids.channel ?? '') === 'past_hidden',
      snowflakes: this.#snowflakes,
      channels: this.#channels,
      webhooks: this.#webhooks,
      interactions: this.#interactions,
      nonces: this.#nonces,
    };
  }

  restart(until: number): void {
    this.#awayUntil = Math.max(this.#awayUntil, until);
  }

  revoke(token: string): void {
    this.#revoked.add(token);
  }

  inject(token: string, chat: string, text: string, now: number): SimInjected {
    const bot = botOf(token);
    if (bot === null) throw new Error('the simulator has no such bot');
    const { message, interaction, posted } = incoming(
      this.#snowflakes,
      { id: bot, token },
      chat,
      text,
      now,
    );
    this.#messages.add(message);
    this.#interactions.set(interaction, { bot, channel: chat, isAnswered: false });
    return { posted, messageId: message.id };
  }

  setChat(chat: string, { kind }: { kind: 'open' } | { kind: 'blocked' }): void {
    if (kind === 'open') this.#blocked.delete(chat);
    else this.#blocked.add(chat);
  }

  isBlocked(chat: string): boolean {
    return this.#blocked.has(chat);
  }

  setAccess(chat: string, access: ChannelAccess | null): void {
    if (access === null) this.#access.delete(chat);
    else this.#access.set(chat, access);
  }

  note(chat: string, now: number): string {
    const id = this.#snowflakes.next(now);
    this.#messages.add({
      ...{ bot: '7', chat, thread: null, id, type: JOINED, text: '', webhook: null, nonce: null },
      ...{ date: now / 1000, fromBot: false, isDeleted: false, editedAt: null, parts: {} },
      reactions: new Map(),
    });
    return id;
  }

  freeze(_token: string, chat: string, seconds: number, now: number): void {
    this.#frozen.set(chat, now + seconds * 1000);
  }

  messagesOf(chat: string): SimDiscordMessage[] {
    return this.#messages.ofChat(chat);
  }

  newestByChat(max: number): SimDiscordMessage[] {
    return this.#messages.newestByChat(max);
  }

  control(route: string, params: SimParams, now: number): unknown {
    const chat = textOf(params, 'chat');
    const token = textOf(params, 'token');
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
        const access = textOf(params, 'access');
        if (access === 'all') this.setAccess(chat, null);
        if (isAccess(access)) this.setAccess(chat, access);
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

function isAccess(text: string): text is ChannelAccess {
  return ['gone', 'hidden', 'past_hidden'].includes(text);
}

function isOfInteraction({ route, ids }: SimPath): boolean {
  return route.name === 'respond' || (ids.token !== undefined && interactionOf(ids.token) !== null);
}

function made<V>(all: Map<string, V>, key: string, make: () => V): V {
  const value = all.get(key) ?? make();
  all.set(key, value);
  return value;
}
