// WhatsApp's Cloud API as Meta's documents describe it: numbers that send, users who read and write, the limits between
// them, media, and the statuses that follow. It takes any token that was not revoked. Time is an argument.

import type { Clock } from '../../system/clock.ts';
import type {
  SimAnswer,
  SimInjected,
  SimMessage,
  SimModel,
  SimPeople,
  SimServing,
  SimVerdict,
} from '../model.ts';
import { objectOf, type SimParams, textOf } from '../params.ts';
import { bearerOf, numberOf, type SimAction, type WhatsappCall } from './calls.ts';
import { recipientOf, shownOf, troubleOf, typeOf } from './content.ts';
import { answered, ERRORS, invalid, missing, refused, type SimGraphError } from './errors.ts';
import { type SimWhatsappOptions, WHATSAPP_DEFAULTS } from './options.ts';
import { DAY_MS, NumberPace } from './pace.ts';
import { WhatsappServing } from './serving.ts';
import { messageBody, postTo, statusesOf, type WebhookPost } from './webhooks.ts';

const MESSAGES_MAX = 100_000;
const MEDIA_MAX = 10_000;

export type UserState =
  | { readonly kind: 'open' }
  // Messages are taken, and a status says that they cannot be delivered.
  | { readonly kind: 'blocked' }
  // A number that is not on the list of a test account: refused at once.
  | { readonly kind: 'unlisted' };

const UNLISTED: SimGraphError = {
  code: 131030,
  status: 400,
  title: 'Recipient phone number not in allowed list',
  details:
    'Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again.',
};

export class WhatsappModel implements SimModel<WhatsappCall>, SimPeople {
  readonly platform = 'whatsapp';
  readonly pulledBy = 'a webhook';
  readonly options: SimWhatsappOptions;
  readonly #onCall: (call: WhatsappCall) => void;
  readonly #paces = new Map<string, NumberPace>();
  readonly #wroteAt = new Map<string, number>();
  readonly #states = new Map<string, UserState>();
  readonly #frozen = new Map<string, number>();
  readonly #revoked = new Set<string>();
  readonly #messages: SimMessage[] = [];
  readonly #media = new Map<string, { readonly type: string; readonly bytes: number }>();
  readonly #listeners = new Set<(post: WebhookPost) => void>();
  #posts: WebhookPost[] = [];
  #made = 0;
  #awayUntil = 0;
  #lockedUntil = 0;

  constructor(options: SimWhatsappOptions, onCall: (call: WhatsappCall) => void) {
    this.options = options;
    this.#onCall = onCall;
  }

  serve(clock: Clock): SimServing<WhatsappCall> {
    return new WhatsappServing(this, clock);
  }

  // What is posted from now on.
  listen(listener: (post: WebhookPost) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  post(post: WebhookPost): void {
    for (const tell of this.#listeners) tell(post);
  }

  takePosts(): WebhookPost[] {
    const posts = this.#posts;
    this.#posts = [];
    return posts;
  }

  call(token: string, action: SimAction, params: SimParams, now: number): SimVerdict<WhatsappCall> {
    const made = this.#act(token, action, params, now);
    const failure = 'code' in made ? made : null;
    const answer = failure === null ? (made as Taken).answer : refused(failure, this.#trace());
    const { messageIds = [] } = failure === null ? (made as Taken) : {};
    const isRate =
      failure === ERRORS.throughput || failure === ERRORS.pair || failure === ERRORS.spam;
    const call: WhatsappCall = {
      token,
      method: action.kind,
      chat: recipientOf(params) || null,
      arrivedAt: now,
      acceptedAt: failure === null ? now : null,
      holdMs: 0,
      status: answer.status,
      cause: isRate ? 'flood' : null,
      retryAfterS: isRate ? 0 : null,
      messageIds,
      code: failure?.code ?? null,
      text: action.kind === 'send' ? shownOf(params) : '',
      isTyping: 'typing_indicator' in params,
    };
    this.#onCall(call);
    return { answer, holdMs: 0, call };
  }

  #act(token: string, action: SimAction, params: SimParams, now: number): Taken | SimGraphError {
    const bearer = bearerOf(token);
    if (bearer === '' || this.#revoked.has(bearer)) return ERRORS.token;
    if (now < this.#awayUntil) return ERRORS.unavailable;
    switch (action.kind) {
      case 'send':
        return params.status === 'read' ? read(params) : this.#send(action.number, params, now);
      case 'upload':
        return this.#upload(params);
      case 'look':
        return this.#look(action.id);
      case 'erase':
        return this.#media.delete(action.id) ? SUCCESS : ERRORS.unknownObject;
    }
  }

  #send(number: string, params: SimParams, now: number): Taken | SimGraphError {
    const trouble = troubleOf(params) ?? this.#unknownMedia(params);
    if (trouble !== null) return trouble;
    const input = recipientOf(params);
    const isNumber = textOf(params, 'to') !== '';
    const to = (isNumber && input.replace(/\D/g, '')) || input;
    if (now < this.#lockedUntil) return ERRORS.locked;
    if (now < (this.#frozen.get(`${number} ${to}`) ?? 0)) return ERRORS.pair;
    const state = this.#states.get(to) ?? { kind: 'open' };
    if (state.kind === 'unlisted') return UNLISTED;
    const isOpen = this.#isWindowOpen(number, to, now);
    const isFree = typeOf(params) !== 'template';
    const refusal = this.#paceOf(number).take(to, !isOpen, now);
    if (refusal !== null) return refusal;
    const n = this.#made++;
    const id = `wamid.SIM${String(n).padStart(20, '0')}`;
    const opaque = textOf(params, 'biz_opaque_callback_data');
    const failure =
      state.kind === 'blocked' ? ERRORS.undeliverable : isFree && !isOpen ? ERRORS.window : null;
    const taken = { number, id, to, isNumber, opaque, n };
    this.#posts.push(...statusesOf(taken, failure, this.options, now));
    this.#keep({ bot: number, chat: to, id, fromBot: true, text: shownOf(params) }, now);
    const contacts = [isNumber ? { input, wa_id: to } : { input, user_id: to }];
    const messages = [{ id }];
    const answer = answered({ messaging_product: 'whatsapp', contacts, messages });
    return { answer, messageIds: [id] };
  }

  #unknownMedia(params: SimParams): SimGraphError | null {
    const id = textOf(objectOf(params, typeOf(params)), 'id');
    if (id === '' || this.#media.has(id)) return null;
    return invalid(`Media ID ${id} does not exist`);
  }

  #upload(params: SimParams): Taken | SimGraphError {
    if (params.messaging_product !== 'whatsapp') return missing('messaging_product');
    // As the reader of forms leaves a file: `file:<name>:<bytes>`.
    const bytes = /^file:.*:(\d+)$/s.exec(textOf(params, 'file'))?.[1];
    if (bytes === undefined) return missing('file');
    const id = String(900_000_000_000 + this.#made++);
    this.#media.set(id, { type: textOf(params, 'type'), bytes: Number(bytes) });
    if (this.#media.size > MEDIA_MAX) this.#media.delete(this.#media.keys().next().value!);
    return { answer: answered({ id }) };
  }

  // Of a file, or of a number: any digits are one.
  #look(id: string): Taken | SimGraphError {
    const file = this.#media.get(id);
    if (file === undefined) {
      if (id.startsWith('9000')) return ERRORS.unknownObject;
      const named = { verified_name: 'Simulated number', display_phone_number: id, id };
      return { answer: answered({ ...named, quality_rating: 'GREEN' }) };
    }
    const url = `https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=${id}`;
    const about = { mime_type: file.type, sha256: '', file_size: file.bytes, id };
    return { answer: answered({ messaging_product: 'whatsapp', url, ...about }) };
  }

  #isWindowOpen(number: string, user: string, now: number): boolean {
    if (this.options.serviceWindow === 'open') return true;
    return now - (this.#wroteAt.get(`${number} ${user}`) ?? Number.NEGATIVE_INFINITY) < DAY_MS;
  }

  #paceOf(number: string): NumberPace {
    let pace = this.#paces.get(number);
    if (pace === undefined) {
      pace = new NumberPace(this.options);
      this.#paces.set(number, pace);
    }
    return pace;
  }

  #keep(message: Pick<SimMessage, 'bot' | 'chat' | 'id' | 'fromBot' | 'text'>, now: number): void {
    const date = Math.floor(now / 1000);
    this.#messages.push({ ...message, thread: null, date, isDeleted: false });
    if (this.#messages.length > MESSAGES_MAX) this.#messages.splice(0, MESSAGES_MAX / 10);
  }

  #trace(): string {
    return `Asim${(this.#made++).toString(36).padStart(18, '0')}`;
  }

  newestByChat(max: number): SimMessage[] {
    const newest = new Map<string, SimMessage>();
    for (const message of this.#messages) {
      const key = `${message.bot} ${message.chat}`;
      newest.delete(key);
      newest.set(key, message);
    }
    return [...newest.values()].reverse().slice(0, max);
  }

  messagesOf(chat: string): SimMessage[] {
    return this.#messages.filter((message) => message.chat === chat);
  }

  inject(token: string, chat: string, text: string, now: number): SimInjected {
    const number = numberOf(token);
    const id = `wamid.USER${String(this.#made++).padStart(20, '0')}`;
    this.#wroteAt.set(`${number} ${chat}`, now);
    this.#paceOf(number).received(now);
    this.#keep({ bot: number, chat, id, fromBot: false, text }, now);
    const body = messageBody(number, chat, id, text, now);
    this.post({ at: now, number, body });
    return { posted: body, messageId: id };
  }

  setChat(chat: string, state: UserState): void {
    this.#states.set(chat, state);
  }

  isBlocked(chat: string): boolean {
    return this.#states.get(chat)?.kind === 'blocked';
  }

  // The pair is refused for so long.
  freeze(token: string, chat: string, seconds: number, now: number): void {
    const number = numberOf(token);
    this.#frozen.set(`${number} ${chat}`, now + seconds * 1000);
  }

  // All numbers are, for what their messages were like.
  lock(until: number): void {
    this.#lockedUntil = until;
  }

  revoke(token: string): void {
    this.#revoked.add(bearerOf(token));
  }

  restart(until: number): void {
    this.#awayUntil = until;
  }

  readonly broken = BROKEN;

  control(route: string, params: SimParams, now: number): unknown {
    const [token, chat] = [textOf(params, 'token'), textOf(params, 'chat')];
    switch (route) {
      case 'GET /sim/messages':
        return this.messagesOf(chat);
      case 'POST /sim/update':
        return this.inject(token, chat, textOf(params, 'text'), now);
      case 'POST /sim/chats': {
        const kind = textOf(params, 'state');
        if (kind !== 'open' && kind !== 'blocked' && kind !== 'unlisted') return { ok: false };
        this.setChat(chat, { kind });
        return { ok: true };
      }
      case 'POST /sim/webhook': {
        const [url, secret] = [textOf(params, 'url'), textOf(params, 'secret')];
        this.listen((post) => void postTo(url, secret, post));
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

interface Taken {
  readonly answer: SimAnswer;
  readonly messageIds?: readonly string[];
}

const SUCCESS: Taken = { answer: answered({ success: true }) };

function read(params: SimParams): Taken | SimGraphError {
  if (textOf(params, 'message_id') === '') return missing('message_id');
  return SUCCESS;
}

const HTML = Object.freeze({ 'content-type': 'text/html' });
const BROKEN = {
  badGateway: { status: 502, headers: HTML, body: '<html><body>Bad Gateway</body></html>' },
  internalError: refused(
    { code: 1, status: 500, title: 'An unknown error occurred', details: '' },
    'Asim0',
  ),
  tooLarge: { status: 413, headers: HTML, body: '' },
};

export function createWhatsappModel(given: {
  readonly options?: Partial<SimWhatsappOptions>;
  readonly onCall?: (call: WhatsappCall) => void;
}): WhatsappModel {
  return new WhatsappModel({ ...WHATSAPP_DEFAULTS, ...given.options }, given.onCall ?? (() => {}));
}
