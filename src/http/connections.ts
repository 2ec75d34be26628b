// Bounds on connections and on what comes over them, before anything is known of it: connections per address,
// bytes of bodies being read, and bodies that nobody will read. In each of them no
// address and no account may hold more than is still free (see system/shares.ts).

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { BlockList, isIP, Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FLEET_HEADERS } from '../domain/fleet.ts';
import type { Clock } from '../system/clock.ts';
import { createServer } from '../system/http/server.ts';
import { Rate } from '../system/rate.ts';
import { isSameSecret } from '../system/same-secret.ts';
import { type Claimant, Shares } from '../system/shares.ts';
import { accessOf } from './auth/access.ts';
import type { HttpParts } from './context.ts';
import type { Deny } from './edge.ts';

// Of bodies that are being read into memory, all together.
const READING_BYTES_MAX = 268_435_456;
// How long one that is no stream may take to arrive.
const BODY_MS_MAX = 300_000;
// A smaller body is bounded by the number of connections.
const SMALL_BODY_BYTES = 16_384;
// What a form with files takes of the memory: the files go to the disk.
const FORM_BYTES = 65_536;
// What is read and thrown away of a body that was refused, so that its sender hears why.
const DISCARDED_BYTES_MAX = 4_194_304;
const DISCARDED_MS_MAX = 10_000;
// Of all of them together, so that throwing away what strangers send takes no time from those who are served.
const DISCARDED_BYTES_PER_MS_MAX = 8_192;
// Refusals that one address is told at once, and then one in each such time: what it sends costs as much to refuse as
// to serve, and it sends the next when it has its answer.
const REFUSALS = { burst: 100, everyMs: 20, keysMax: 10_000 };
const REFUSAL_MS_MAX = 5_000;

declare module 'fastify' {
  interface FastifyRequest {
    // In whose name its body is read, where that is neither a speaker of a dialect nor the holder of a key.
    bodyOf: Claimant | null;
  }
}

export function boundLines(app: FastifyInstance, options: HttpParts, deny: Deny): void {
  const { clock, settings } = options;
  const peers = peersOf(options);
  app.decorateRequest('bodyOf', null);
  boundConnections(app, peers, settings.connectionsMax);
  boundBodies(app, peers, settings.bodyBytesMax, clock, deny);
  paceRefusals(app, peers, clock);
  const pace = { freeAt: 0 };
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    if (reply.statusCode >= 400 && isUnread(raw)) {
      // Whether the body still comes cannot be told when its sender waits to be asked for it.
      if (raw.headers.expect !== undefined) reply.header('connection', 'close');
      discard(raw, reply.raw, clock, pace);
    }
    done(null, payload);
  });
}

// Who is refused again and again waits for its answers, and its bodies wait in its own machine. Only of those that have
// not shown whose they are: behind one address there may be others.
function paceRefusals(app: FastifyInstance, peers: Peers, clock: Clock): void {
  const refusals = new Rate(REFUSALS);
  app.addHook('onSend', (request, reply, payload, done) => {
    const { speaker = null, holder = null, raw } = request;
    // A node paces its callers itself; that an account is elsewhere is no refusal.
    if (reply.statusCode < 400 || speaker !== null || holder !== null || peers.isNode(raw)) {
      done(null, payload);
      return;
    }
    const address = peers.addressOf(raw);
    const now = clock.now();
    const waitMs = address === '' ? 0 : Math.min(refusals.waitMs(address, now), REFUSAL_MS_MAX);
    if (address !== '' && waitMs < REFUSAL_MS_MAX) refusals.count(address, now);
    if (waitMs === 0) done(null, payload);
    else clock.schedule(now + waitMs, () => done(null, payload));
  });
}

// What does not fit is closed without a word: there is no request yet to answer.
function boundConnections(app: FastifyInstance, peers: Peers, connectionsMax: number): void {
  const places = new Shares(connectionsMax, connectionsMax);
  app.server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    const isMany = peers.isProxy(remoteAddress);
    const address = isMany ? '' : peers.addressOf({ socket, headers: {} });
    // Each is its own account: only the address counts.
    const claimant = { account: `${address} ${socket.remotePort}`, address, isStranger: true };
    if (!places.take(claimant)) {
      socket.destroy();
      return;
    }
    socket.once('close', () => places.give(claimant));
  });
}

// After the hooks that ask who it is, and before anything of the body is read.
function boundBodies(
  app: FastifyInstance,
  peers: Peers,
  bodyBytesMax: number,
  clock: Clock,
  deny: Deny,
): void {
  const bytesRead = new Shares(READING_BYTES_MAX);
  // Until somebody wants the body, its sender waits.
  const asked = new WeakSet<IncomingMessage>();
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    asked.add(request);
    // In its turn on its connection, like any other.
    app.server.emit('request', request, response);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = bytesOf(request.raw, bodyBytesMax);
    if (bytes > SMALL_BODY_BYTES) {
      const claimant = claimantOf(request, peers);
      if (!bytesRead.take(claimant, bytes)) {
        deny(request, reply, 'bodies_full');
        return;
      }
      const timer = isLasting(request)
        ? null
        : clock.schedule(clock.now() + BODY_MS_MAX, () => request.raw.socket.destroy());
      whenOver(request.raw, reply.raw, () => {
        timer?.cancel();
        bytesRead.give(claimant, bytes);
      });
    }
    if (request.headers.expect !== undefined && asked.delete(request.raw)) {
      reply.raw.writeContinue();
    }
    done(null, payload);
  });
}

// The server's own bound on the time of a request is a long one while any body is a stream.
function isLasting({ routeOptions }: FastifyRequest): boolean {
  return accessOf(routeOptions.config).lasting === true;
}

// Once: the body was read, or it never will be.
function whenOver(request: IncomingMessage, response: ServerResponse, done: () => void): void {
  let isOver = false;
  const over = () => {
    if (!isOver) done();
    isOver = true;
  };
  request.once('end', over).once('close', over);
  response.once('finish', over).once('close', over);
}

function bytesOf({ headers }: IncomingMessage, bodyBytesMax: number): number {
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) return 0;
  // A packed one may come to any length.
  const isKnown = length !== undefined && headers['content-encoding'] === undefined;
  const bytes = isKnown ? Math.min(Number(length), bodyBytesMax) : bodyBytesMax;
  const isForm = headers['content-type']?.startsWith('multipart/') === true;
  return isForm ? Math.min(bytes, FORM_BYTES) : bytes;
}

function claimantOf({ speaker, holder, bodyOf, raw }: FastifyRequest, peers: Peers): Claimant {
  if (bodyOf !== null) return bodyOf;
  if (speaker !== null && speaker !== undefined) return speaker;
  const address = peers.addressOf(raw);
  // What a node asks for itself is nobody's; for a caller, that caller's.
  if (holder === null)
    return { account: '', address, isStranger: address !== '' || !peers.isNode(raw) };
  return { account: `key ${holder.name}`, address, isStranger: false };
}

function isUnread(request: IncomingMessage): boolean {
  return !request.complete && request.socket instanceof Socket;
}

// `pace`: when the next byte of any body may be thrown away. Whose turn it is not yet waits in its sender's machine.
function discard(
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
  pace: { freeAt: number },
): void {
  const cutOff = () => request.socket.destroy();
  const timer = clock.schedule(clock.now() + DISCARDED_MS_MAX, cutOff);
  let left = DISCARDED_BYTES_MAX;
  response.once('close', () => timer.cancel());
  request.once('close', () => timer.cancel());
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) {
      cutOff();
      return;
    }
    const now = clock.now();
    pace.freeAt = Math.max(now, pace.freeAt) + chunk.length / DISCARDED_BYTES_PER_MS_MAX;
    if (pace.freeAt - now < 1) return;
    request.pause();
    clock.schedule(pace.freeAt, () => request.resume());
  });
}

// Where a request comes from, as far as bounds are counted by it: the peer of its connection, or what a trusted proxy
// says of it. Nobody else's X-Forwarded-For is believed: with it a stranger would have as many addresses as it likes.

// The machine itself: whatever runs on it is not bounded by where it comes from. So is a proxy on it that is not
// trusted: bounding that would bound everybody.
const OWN = ['127.0.0.1', '::1', ''];
const MAPPED = '::ffff:';
// What one line of an IPv6 provider's customer has.
const IPV6_GROUPS_KEPT = 4;
const IPV6_GROUPS = 8;

export function peersOf({ settings, fleet }: Pick<HttpParts, 'settings' | 'fleet'>): Peers {
  return new Peers(settings.trustedProxies, fleet?.side === 'inner' ? fleet.port.secret : null);
}

export class Peers {
  // null: none is trusted.
  readonly #proxies: BlockList | null;
  // null: no nodes come here.
  readonly #fleetSecret: string | null;

  constructor(trustedProxies: readonly string[], fleetSecret: string | null = null) {
    this.#proxies = trustedProxies.length === 0 ? null : blockListOf(trustedProxies);
    this.#fleetSecret = fleetSecret;
  }

  // A node of this fleet asks, for a caller or for itself.
  isNode({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
    const given = headers[FLEET_HEADERS.secret];
    if (this.#fleetSecret === null || typeof given !== 'string') return false;
    return isSameSecret(given, this.#fleetSecret);
  }

  // '': the machine itself, which is not counted.
  addressOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    if (this.isNode({ headers })) return String(headers[FLEET_HEADERS.client] ?? '');
    const peer = plain(socket.remoteAddress ?? '');
    if (this.#proxies === null || !this.#isProxy(peer)) return counted(peer);
    const forwarded = headers['x-forwarded-for'];
    const hops = typeof forwarded === 'string' ? forwarded.split(',') : [];
    for (const hop of hops.reverse()) {
      const address = plain(hop.trim());
      if (isIP(address) === 0) break;
      if (!this.#isProxy(address)) return counted(address);
    }
    return counted(peer);
  }

  // Its connections carry the requests of many.
  isProxy(remoteAddress: string | undefined): boolean {
    return this.#proxies !== null && this.#isProxy(plain(remoteAddress ?? ''));
  }

  #isProxy(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#proxies!.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function plain(address: string): string {
  return address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
}

function counted(address: string): string {
  if (OWN.includes(address)) return '';
  return address.includes(':') ? networkOf(address) : address;
}

// The first half of an IPv6 address, written out.
function networkOf(address: string): string {
  const [before = '', after = ''] = address.split('%', 1)[0]!.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === '' ? [] : after.split(':');
  const zeros = Math.max(0, IPV6_GROUPS - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail];
  return `${groups.slice(0, IPV6_GROUPS_KEPT).join(':')}::/64`;
}

// The HTTP server beneath the routes. Requests sent ahead on one connection are taken one after the other: the next
// begins when the one before has its answer, which no other could overtake anyway. So a connection costs one request
// at a time, however many are sent; one that sends too many ahead is cut before anything of them is looked at.

// Requests that wait behind another one on the same connection.
const PIPELINED_MAX = 64;
// Longer than proxies and clients keep a connection, so that it is they who close it.
const KEEP_ALIVE_MS = 72_000;

interface Pipeline {
  last: ServerResponse;
  waiting: number;
}

export function createPipelineServer(listener: RequestListener, requestMsMax: number): Server {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const options = { requestTimeout: requestMsMax, keepAliveTimeout: KEEP_ALIVE_MS };
  return createServer(options, (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket);
    // A response that has no connection yet waits for the one before it.
    if (response.socket !== null || pipeline === undefined) {
      if (pipeline === undefined) pipelines.set(socket, { last: response, waiting: 0 });
      else pipeline.last = response;
      listener(request, response);
      return;
    }
    if (socket.destroyed) return;
    if (pipeline.waiting >= PIPELINED_MAX) {
      // Thousands more may lie in the same packet.
      cut(socket);
      return;
    }
    const { last } = pipeline;
    pipeline.last = response;
    pipeline.waiting += 1;
    last.once('close', () => {
      pipeline.waiting -= 1;
      if (!socket.destroyed) listener(request, response);
    });
  });
}

// Node makes an error, with its stack, of every request that a closed connection leaves behind: hundreds of them at
// once cost more than all else about them.
function cut(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.on('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}
