// The same simulated Telegram over real HTTP, for tests of whole processes, benchmarks and `sluice sim`.
// Made to be fast: a call without latency, hold or fault is answered in the turn its body ends.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../system/clock.ts';
import { type Random, systemRandom } from '../system/random.ts';
import { parseAddress } from './address.ts';
import { paramsOf, readBody } from './body.ts';
import { Control } from './control.ts';
import { type Fate, type Faults, NO_FAULTS, undergo } from './faults.ts';
import { fileOf } from './files.ts';
import { Polling } from './polling.ts';
import { badRequest, NOT_FOUND, refused, type SimAnswer, TOO_LARGE } from './telegram/answers.ts';
import { createTelegramModel, type JudgedCall, type TelegramModel } from './telegram/model.ts';
import type { SimTelegramOptions } from './telegram/options.ts';
import { type SimParams, textOf } from './telegram/params.ts';
import { type Network, wayMs } from './transport.ts';

export interface ServedSim {
  readonly url: string;
  // What it simulates, and the setting by which a gateway finds it.
  readonly platform: string;
  readonly setting: string;
  readonly model: TelegramModel;
  close(): Promise<void>;
}

export interface ServeSimOptions {
  readonly host: string;
  // 0: any free one.
  readonly port: number;
  readonly options?: Partial<SimTelegramOptions>;
  // Left out: the machine's own.
  readonly clock?: Clock;
  readonly random?: Random;
  readonly network?: Network;
  readonly faults?: Faults;
  // Told of every call as it is judged.
  readonly onCall?: (call: JudgedCall) => void;
}

// As the real server's: longer than any long poll.
const IDLE_MS_MAX = 500_000;
const INSTANT: Network = { latencyMs: 0, jitterMs: 0 };
const UNREADABLE = refused(badRequest("can't parse the request's body"), false);

export async function serveSim(given: ServeSimOptions): Promise<ServedSim> {
  const { clock = systemClock(), random = systemRandom(), network = INSTANT } = given;
  const control = new Control(clock, random, given.faults ?? NO_FAULTS);
  const onCall = (call: JudgedCall) => {
    control.record(call);
    given.onCall?.(call);
  };
  const model = createTelegramModel({ options: given.options ?? {}, onCall });
  const desk = new Desk({ clock, random, network }, model, control);
  const server = createServer({ keepAliveTimeout: IDLE_MS_MAX, requestTimeout: 0 }, desk.receive);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(given.port, given.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = given.host.includes(':') ? `[${given.host}]` : given.host;
  return {
    url: `http://${host}:${port}`,
    platform: 'Telegram',
    setting: 'SLUICE_TELEGRAM_API',
    model,
    close: () => close(server, desk),
  };
}

async function close(server: Server, desk: Desk): Promise<void> {
  desk.close();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}

interface DeskPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
}

class Desk {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #network: Network;
  readonly #model: TelegramModel;
  readonly #control: Control;
  readonly #polling: Polling;

  constructor(ports: DeskPorts, model: TelegramModel, control: Control) {
    this.#clock = ports.clock;
    this.#random = ports.random;
    this.#network = ports.network;
    this.#model = model;
    this.#control = control;
    this.#polling = new Polling(model, ports.clock);
  }

  readonly receive = (request: IncomingMessage, response: ServerResponse): void => {
    readBody(request, (body) => {
      const params = body && paramsOf(request.headers['content-type'] ?? '', body);
      if (body === null) answer(response, TOO_LARGE);
      else if (params === null) answer(response, UNREADABLE);
      else this.#route(request, response, params);
    });
  };

  close(): void {
    this.#polling.close();
  }

  #route(request: IncomingMessage, response: ServerResponse, body: SimParams): void {
    const url = request.url ?? '/';
    const address = parseAddress(url);
    if (url.startsWith('/sim/')) this.#controlled(request.method ?? 'GET', url, response, body);
    else if (address === null) answer(response, refused(NOT_FOUND, false));
    else if (address.kind === 'file') {
      answer(response, fileOf(address.path, request.headers.range));
    } else {
      const params = { ...address.query, ...body };
      const method = address.method === '' ? textOf(params, 'method') : address.method;
      if (this.#polling.isLong(method, params)) {
        void this.#polling.poll(address.token, params).then((reply) => answer(response, reply));
      } else this.#call(response, { token: address.token, method, params });
    }
  }

  #call(
    response: ServerResponse,
    sent: { token: string; method: string; params: SimParams },
  ): void {
    const { token, method, params } = sent;
    const chat = textOf(params, 'chat_id');
    const fault = this.#control.faults.next({ token, method, chat }, this.#clock.now());
    if (fault?.kind === 'reset_before') {
      response.socket?.destroy();
      return;
    }
    this.#after(this.#way(), () => {
      const fate = undergo(fault, this.#model, sent, this.#clock.now());
      this.#after(fate.holdMs + this.#wayBack(), () => meet(response, fate));
    });
  }

  #controlled(verb: string, url: string, response: ServerResponse, body: SimParams): void {
    const { pathname, searchParams } = new URL(url, 'http://sim');
    const params = { ...Object.fromEntries(searchParams), ...body };
    const said = this.#control.handle(this.#model, `${verb} ${pathname}`, params);
    const headers = { 'content-type': 'application/json' };
    const status = said === null ? 404 : 200;
    answer(response, { status, headers, body: JSON.stringify(said ?? { ok: false }) });
  }

  #way(): number {
    return wayMs(this.#network, this.#random, this.#network.jitterMs);
  }

  #wayBack(): number {
    const { jitterMs, jitterBackMs = jitterMs } = this.#network;
    return wayMs(this.#network, this.#random, jitterBackMs);
  }

  #after(ms: number, run: () => void): void {
    if (ms <= 0) run();
    else this.#clock.schedule(this.#clock.now() + ms, run);
  }
}

// A request that meets silence stays open until the caller gives up.
function meet(response: ServerResponse, fate: Fate): void {
  if (fate.kind === 'answer') answer(response, fate.answer);
  else if (fate.kind === 'cut') response.socket?.destroy();
}

function answer(response: ServerResponse, { status, headers, body }: SimAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
