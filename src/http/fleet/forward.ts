// One request on its way to the owner of its account. A small body is read first, so that the request can be sent again
// where the account has moved to; a large one, or one that is a stream, goes only to who has said that the account is
// its own. Nothing that an owner may have read is sent twice, unless it changes nothing.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Where } from '../../cluster/accounts.ts';
import type { PeerAnswer, PeerRequest } from '../../cluster/peers.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { FLEET_HEADERS, FLEET_PATHS } from '../../domain/fleet.ts';
import type { AccountId } from '../../domain/ids.ts';
import { hasBody } from '../bodies.ts';
import type { Peers } from '../connections.ts';
import { holderHeader } from './holder.ts';
import type { FleetPort } from './port.ts';

export type Refuse = (reply: FastifyReply, code: ErrorCode) => unknown;

export interface OwnerForwardParts {
  readonly port: FleetPort;
  readonly peers: Peers;
  readonly account: AccountId;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  // Answers it here; only while nothing of its body was read.
  readonly proceed: () => void;
  readonly deny: Refuse;
}

declare module 'fastify' {
  interface FastifyRequest {
    // Another node answers it, and notes what was done.
    isForwarded: boolean;
  }
}

// Read before it is forwarded.
const BUFFERED_BYTES_MAX = 1_048_576;
export const TRIES_MAX = 12;
const TRY_AGAIN_MS = 50;
const HARMLESS = ['GET', 'HEAD', 'OPTIONS'];
// Of one line, and so not the next one's; and what is meant for this node only.
const NOT_FORWARDED = new Set([
  ...[
    'connection',
    'host',
    'keep-alive',
    'transfer-encoding',
    'upgrade',
    'expect',
    'te',
    'trailer',
  ],
  ...['content-length', 'proxy-authorization', 'proxy-connection', 'cookie', 'origin', 'referer'],
  ...['x-csrf-token', 'x-forwarded-for', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'],
  ...Object.values(FLEET_HEADERS),
]);
const NOT_HANDED_BACK = ['connection', 'keep-alive', 'transfer-encoding', 'date'];

export class OwnerForward {
  readonly #p: OwnerForwardParts;
  readonly #hangUp = new AbortController();
  // Whether this node may still answer by itself.
  #isUnread = true;

  constructor(parts: OwnerForwardParts) {
    this.#p = parts;
  }

  go(): void {
    const { reply } = this.#p;
    const left = () => this.#hangUp.abort();
    reply.raw.once('close', left);
    this.#go().catch((error: unknown) => void reply.send(error));
  }

  async #go(): Promise<void> {
    const { port, account, request } = this.#p;
    let where: Where = await port.whereIs(account);
    if (where.kind === 'here') return this.#p.proceed();
    request.isForwarded = true;
    const body = await this.#body();
    if (body instanceof Readable) where = await this.#confirmed(where);
    for (let n = 1; n <= TRIES_MAX; n++) {
      if (where.kind === 'here') return this.#here(body, null);
      const asked = new Set<string>();
      let node = where.kind === 'there' ? where.node : port.next(account, null, asked);
      while (node !== null) {
        asked.add(node.incarnation);
        const answer = await port.forward(node, this.#asked(body, null));
        if (answer.kind === 'answered') return this.#handBack(answer);
        if (answer.kind === 'lost' && (body instanceof Readable || !this.#isHarmless())) {
          return this.#refuse('owner_silent');
        }
        if (body instanceof Readable && answer.kind === 'moved') return this.#refuse('not_owner');
        if (answer.kind === 'unsent' && !port.isStoreAway()) return this.#here(body, 'anyway');
        node = port.next(account, answer.kind === 'moved' ? answer.to : null, asked);
      }
      await port.pause(TRY_AGAIN_MS * n);
      where = await port.whereIs(account);
    }
    // The road writes it down without an owner.
    return this.#here(body, 'anyway');
  }

  #refuse(code: ErrorCode): void {
    if (!this.#hangUp.signal.aborted) this.#p.deny(this.#p.reply, code);
  }

  // Whoever has the account says so before the body leaves; nobody: it is answered without an owner.
  async #confirmed(first: Where): Promise<Where> {
    const { port, account } = this.#p;
    let where = first;
    const asked = new Set<string>();
    for (let n = 1; n <= TRIES_MAX && where.kind === 'there'; n++) {
      asked.add(where.node.incarnation);
      const said = await port.ask(where.node, FLEET_PATHS.claim, { account });
      if (said.kind === 'answered') return where;
      if (said.kind === 'unsent' || said.kind === 'lost') break;
      const next = port.next(account, said.to, asked);
      if (next !== null) {
        where = { kind: 'there', node: next };
        continue;
      }
      asked.clear();
      await port.pause(TRY_AGAIN_MS * n);
      where = await port.whereIs(account);
    }
    return where;
  }

  // By this node after all: what was read of it goes to its own internal listener.
  async #here(body: Buffer | Readable | null, anyway: 'anyway' | null): Promise<void> {
    const { port, request, proceed } = this.#p;
    if (this.#isUnread) {
      request.isForwarded = false;
      proceed();
      return;
    }
    const answer = await port.forward(port.self, this.#asked(body, anyway));
    if (answer.kind === 'answered') this.#handBack(answer);
    else this.#refuse(answer.kind === 'lost' ? 'owner_silent' : 'not_owner');
  }

  #isHarmless(): boolean {
    const { method, headers } = this.#p.request;
    return HARMLESS.includes(method) || headers['idempotency-key'] !== undefined;
  }

  // What was parsed is written again; what was not is read here, or streams.
  async #body(): Promise<Buffer | Readable | null> {
    const { request } = this.#p;
    const { body, raw, headers } = request;
    if (body instanceof Readable) return body;
    if (body !== undefined && body !== null) return Buffer.from(JSON.stringify(body));
    if (raw.readableEnded || !hasBody(headers)) return null;
    this.#isUnread = false;
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (!(length <= BUFFERED_BYTES_MAX)) return raw;
    const chunks: Buffer[] = [];
    for await (const chunk of raw) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  #asked(body: Buffer | Readable | null, anyway: 'anyway' | null): PeerRequest {
    const { request, peers } = this.#p;
    const { method, url, headers: given, speaker } = request;
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined || NOT_FORWARDED.has(name)) continue;
      headers[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    // A dialect's call proves itself there as it did here.
    if (speaker === null || speaker === undefined) delete headers.authorization;
    if (body instanceof Readable) {
      const length = given['content-length'];
      if (length !== undefined) headers['content-length'] = length;
    } else if (request.body !== undefined && body !== null) {
      headers['content-type'] = 'application/json';
      delete headers['content-encoding'];
    }
    const holder = holderHeader(request.holder);
    if (holder !== null) headers[FLEET_HEADERS.holder] = holder;
    if (anyway !== null) headers[FLEET_HEADERS.anyway] = '1';
    const client = peers.addressOf(request.raw);
    if (client !== '') headers[FLEET_HEADERS.client] = client;
    const signal = this.#hangUp.signal;
    return { method: method as PeerRequest['method'], path: url, headers, body, signal };
  }

  #handBack({ status, headers, body }: Extract<PeerAnswer, { kind: 'answered' }>): void {
    const { reply } = this.#p;
    reply.code(status);
    for (const [name, value] of Object.entries(headers)) {
      if (!NOT_HANDED_BACK.includes(name)) reply.header(name, value);
    }
    reply.send(body);
  }
}
