// Requests from this node to the internal listeners of others. What became of a request that got no answer decides
// whether it may go again: one that never left may, one that may have been read may not, unless it is harmless.
// Requests take as long as their owner lets them; but a network that swallows everything, or a node that stands still,
// is found out by asking it besides whether it is there. What callers wait for, what nodes ask each other and that
// question go over connections apart: those that are held for long take none from those that must be answered soon.

import { Readable } from 'node:stream';
import { FLEET_HEADERS, FLEET_PATHS, MOVED_STATUS } from '../domain/fleet.ts';
import type { Clock, Timer } from '../system/clock.ts';
import { undiciTransport } from '../system/http/http.ts';
import type { HttpRequest, Transport } from '../system/http/transport.ts';
import { jsonOrUndefined } from '../system/json.ts';
import type { FleetNode } from './coordination.ts';

export interface PeerRequest extends Pick<HttpRequest, 'method' | 'path' | 'headers'> {
  // A stream is as long as the header `content-length` says.
  readonly body: Buffer | Readable | null;
  readonly signal: AbortSignal;
}

export type PeerAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Readable;
    }
  // The account is not owned there; `to`: the incarnation that has it, if that is known.
  | { readonly kind: 'moved'; readonly to: string | null }
  | { readonly kind: 'unsent' }
  | { readonly kind: 'lost' };

export type ForwardOutcome = PeerAnswer['kind'];

export type PeerValue =
  | { readonly kind: 'answered'; readonly value: unknown }
  | Exclude<PeerAnswer, { kind: 'answered' }>;

type Address = Pick<FleetNode, 'url'>;

// Nodes are near each other: who takes longer to connect to is away.
const CONNECT_MS_MAX = 1_000;
// To one node. Requests of callers have as many as there are callers, so none waits for another.
const QUESTIONS_AT_ONCE_MAX = 256;
const PROBES_AT_ONCE_MAX = 1;
// Of a question of the fleet's own; requests of callers take as long as their owner lets them.
const ASK_MS_MAX = 5_000;
const ASK_BYTES_MAX = 16 * 1024 * 1024;
// How often a node that owes an answer is asked whether it is there, and how long it has to say so.
const PROBE_EVERY_MS = 1_500;
const PROBE_MS_MAX = 1_000;
// Who could not be reached is not tried again for so long: a crowd must not wait for one try each.
const UNREACHED_MS = 1_000;

// The connections to one node, by what they carry.
interface Lines {
  readonly callers: Transport;
  readonly questions: Transport;
  readonly probe: Transport;
}

export interface FleetPeersOptions {
  readonly secret: string;
  readonly clock: Clock;
  // As many callers as this process may have at once.
  readonly forwardsMax: number;
  readonly count: (outcome: ForwardOutcome) => void;
}

export class FleetPeers {
  readonly #secret: string;
  readonly #count: (outcome: ForwardOutcome) => void;
  readonly #clock: Clock;
  readonly #forwardsMax: number;
  readonly #lines = new Map<string, Lines>();
  readonly #probes = new Map<string, Promise<boolean>>();
  readonly #unreachedUntil = new Map<string, number>();

  constructor({ secret, clock, forwardsMax, count }: FleetPeersOptions) {
    this.#secret = secret;
    this.#clock = clock;
    this.#forwardsMax = forwardsMax;
    this.#count = count;
  }

  async forward(node: Address, request: PeerRequest): Promise<PeerAnswer> {
    const answer = await this.#send(node, 'callers', request);
    this.#count(answer.kind);
    return answer;
  }

  // A question of the fleet's own, in JSON.
  async ask(node: Address, path: string, question: object): Promise<PeerValue> {
    const answer = await this.#send(node, 'questions', {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(question)),
      signal: AbortSignal.timeout(ASK_MS_MAX),
    });
    return valueIn(answer);
  }

  // What a route of its own would answer there, in JSON, within so long.
  async read(
    node: Address,
    path: string,
    headers: PeerRequest['headers'],
    msMax: number,
  ): Promise<PeerValue> {
    const signal = AbortSignal.timeout(msMax);
    const request = { method: 'GET', path, headers, body: null, signal } as const;
    return valueIn(await this.#send(node, 'questions', request));
  }

  // Of nodes that are gone.
  closeOthers(members: readonly Address[]): void {
    const urls = new Set(members.map(({ url }) => url));
    for (const url of this.#lines.keys()) if (!urls.has(url)) void this.#hangUp(url);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#lines.keys(), (url) => this.#hangUp(url)));
  }

  async #send({ url }: Address, by: keyof Lines, request: PeerRequest): Promise<PeerAnswer> {
    if (this.#clock.now() < (this.#unreachedUntil.get(url) ?? 0)) return { kind: 'unsent' };
    const watch = this.#watch(url);
    const signal = AbortSignal.any([request.signal, watch.signal]);
    const sent = this.#sendOver(url, by, { ...request, signal });
    const answer = await sent.finally(() => watch.end());
    if (answer.kind === 'unsent') {
      // Who left by itself says nothing of the node.
      if (request.signal.aborted) return answer;
      this.#unreachedUntil.set(url, this.#clock.now() + UNREACHED_MS);
    } else if (answer.kind === 'answered') this.#unreachedUntil.delete(url);
    return answer;
  }

  // Aborts when the node is found not to be there.
  #watch(url: string): { readonly signal: AbortSignal; end(): void } {
    const silent = new AbortController();
    let isOver = false;
    const arm = (): Timer =>
      this.#clock.schedule(this.#clock.now() + PROBE_EVERY_MS, () => {
        void this.#isThere(url).then((isThere) => {
          if (isOver) return;
          if (isThere) timer = arm();
          else silent.abort();
        });
      });
    let timer = arm();
    return {
      signal: silent.signal,
      end() {
        isOver = true;
        timer.cancel();
      },
    };
  }

  #isThere(url: string): Promise<boolean> {
    const known = this.#probes.get(url);
    if (known !== undefined) return known;
    const request = {
      method: 'POST',
      path: FLEET_PATHS.alive,
      headers: {},
      body: null,
      signal: AbortSignal.timeout(PROBE_MS_MAX),
    } as const;
    const probe = this.#sendOver(url, 'probe', request).then((answer) => {
      this.#probes.delete(url);
      if (answer.kind === 'answered') answer.body.resume();
      else void this.#hangUp(url);
      return answer.kind === 'answered';
    });
    this.#probes.set(url, probe);
    return probe;
  }

  // What is asked next is asked over new connections.
  async #hangUp(url: string): Promise<void> {
    const lines = this.#lines.get(url);
    this.#lines.delete(url);
    if (lines === undefined) return;
    const { callers, questions, probe } = lines;
    await Promise.all([callers, questions, probe].map((line) => line.close()));
  }

  async #sendOver(url: string, by: keyof Lines, request: PeerRequest): Promise<PeerAnswer> {
    const { method, path, headers, body, signal } = request;
    const isBuffer = Buffer.isBuffer(body);
    const length = isBuffer ? { 'content-length': String(body.length) } : null;
    const proven = { ...headers, ...length, [FLEET_HEADERS.secret]: this.#secret };
    const content = isBuffer ? Readable.from([body]) : body;
    const sent = await this.#linesTo(url)[by].stream(
      { method, path, headers: proven, body: content, deadlineMs: 0 },
      signal,
    );
    if (sent.kind !== 'answered') return { kind: sent.kind };
    // The node's own refusal, and not an answer for the caller. A body that streams may be read in part by then.
    if (sent.headers[FLEET_HEADERS.stranger] !== undefined) {
      sent.body.resume();
      return { kind: body === null || isBuffer ? 'unsent' : 'lost' };
    }
    const moved = sent.headers[FLEET_HEADERS.moved];
    if (sent.status !== MOVED_STATUS || moved === undefined) return sent;
    sent.body.resume();
    return { kind: 'moved', to: moved === '' ? null : moved };
  }

  #linesTo(url: string): Lines {
    const known = this.#lines.get(url);
    if (known !== undefined) return known;
    const line = (connectionsMax: number) =>
      undiciTransport({ baseUrl: url, connectionsMax, connectTimeoutMs: CONNECT_MS_MAX });
    const lines: Lines = {
      callers: line(this.#forwardsMax),
      questions: line(QUESTIONS_AT_ONCE_MAX),
      probe: line(PROBES_AT_ONCE_MAX),
    };
    this.#lines.set(url, lines);
    return lines;
  }
}

// That this node has at most to one other.
export function connectionsTo(forwardsMax: number): number {
  return forwardsMax + QUESTIONS_AT_ONCE_MAX + PROBES_AT_ONCE_MAX;
}

async function valueIn(answer: PeerAnswer): Promise<PeerValue> {
  if (answer.kind !== 'answered') return answer;
  const value = jsonOrUndefined((await textOf(answer.body)) ?? '');
  if (answer.status !== 200 || value === undefined) return { kind: 'lost' };
  return { kind: 'answered', value };
}

// null: it broke off, or is more than any answer of the fleet.
async function textOf(body: Readable): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > ASK_BYTES_MAX) return null;
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}
