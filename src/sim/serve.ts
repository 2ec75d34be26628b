// A simulated platform over real HTTP, for tests of whole processes, benchmarks and `sluice sim`.
// Made to be fast: a call without latency, hold or fault is answered in the turn its body ends.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../system/clock.ts';
import { createServer } from '../system/http/server.ts';
import { type Random, systemRandom } from '../system/random.ts';
import { paramsOf, readBody } from './body.ts';
import { Control } from './control.ts';
import { type Fate, type Faults, NO_FAULTS, undergo } from './faults.ts';
import type {
  SimAnswer,
  SimAskedCall,
  SimCall,
  SimModel,
  SimServing,
  SimulatorKind,
} from './model.ts';
import type { SimParams } from './params.ts';
import { type Network, wayMs } from './transport.ts';

export interface ServedModel<Model> {
  readonly url: string;
  // What it simulates, and the setting by which a gateway finds it.
  readonly platform: string;
  readonly setting: string;
  readonly model: Model;
  // Another address of the same model, on a free port: who came by which is told with every call.
  door(host: string): Promise<string>;
  close(): Promise<void>;
}

export interface ServeOptions<Options, Call> {
  readonly host: string;
  // 0: any free one.
  readonly port: number;
  readonly options?: Partial<Options>;
  // Left out: the machine's own.
  readonly clock?: Clock;
  readonly random?: Random;
  readonly network?: Network;
  readonly faults?: Faults;
  // Told of every call as it is judged, and the address it came by, as in `door`.
  readonly onCall?: (call: Call, address: string) => void;
}

// As the real server's: longer than any long poll.
const IDLE_MS_MAX = 500_000;
const INSTANT: Network = { latencyMs: 0, jitterMs: 0 };

export async function serveModel<Options, Call extends SimCall, Model extends SimModel<Call>>(
  kind: SimulatorKind<Options, Call, Model>,
  given: ServeOptions<Options, Call>,
): Promise<ServedModel<Model>> {
  const { clock = systemClock(), random = systemRandom(), network = INSTANT } = given;
  const control = new Control(clock, random, given.faults ?? NO_FAULTS);
  const onCall = (call: Call) => {
    control.record(call);
    given.onCall?.(call, desk.address);
  };
  const model = kind.create({ options: given.options ?? {}, onCall });
  const desk = new Desk<Call>({ clock, random, network }, model, control);
  const servers: Server[] = [];
  const open = async (host: string, port: number) => {
    const server = createServer({ keepAliveTimeout: IDLE_MS_MAX, requestTimeout: 0 }, desk.receive);
    const url = await listening(server, host, port);
    servers.push(server);
    return url;
  };
  return {
    url: await open(given.host, given.port),
    platform: kind.title,
    setting: kind.setting,
    model,
    door: (host) => open(host, 0),
    async close() {
      desk.close();
      await Promise.all(servers.map(close));
    },
  };
}

async function listening(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${own}`;
}

async function close(server: Server): Promise<void> {
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

class Desk<Call extends SimCall> {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #network: Network;
  readonly #model: SimModel<Call>;
  readonly #control: Control;
  readonly #serving: SimServing<Call>;
  // By which the call that is judged just now came.
  address = '';

  constructor(ports: DeskPorts, model: SimModel<Call>, control: Control) {
    this.#clock = ports.clock;
    this.#random = ports.random;
    this.#network = ports.network;
    this.#model = model;
    this.#control = control;
    this.#serving = model.serve(ports.clock);
  }

  readonly receive = (request: IncomingMessage, response: ServerResponse): void => {
    readBody(request, (body) => {
      if (body === null) answer(response, this.#model.broken.tooLarge);
      else this.#route(request, response, paramsOf(request.headers['content-type'] ?? '', body));
    });
  };

  close(): void {
    this.#serving.close();
  }

  #route(request: IncomingMessage, response: ServerResponse, params: SimParams | null): void {
    const { method: verb = 'GET', url = '/', headers } = request;
    if (url.startsWith('/sim/')) {
      this.#controlled(verb, url, response, params ?? {});
      return;
    }
    const asked = this.#serving.receive({ verb, url, headers, params });
    if (asked.kind === 'plain') answer(response, asked.answer);
    else if (asked.kind === 'call') this.#call(response, asked, `http://${headers.host}`);
    else void asked.answer.then((reply) => answer(response, reply));
  }

  #call(response: ServerResponse, asked: SimAskedCall<Call>, address: string): void {
    const fault = this.#control.faults.next(asked, this.#clock.now());
    if (fault?.kind === 'reset_before') {
      response.socket?.destroy();
      return;
    }
    this.#after(this.#way(), () => {
      this.address = address;
      const fate = undergo(fault, this.#model, asked, this.#clock.now());
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
