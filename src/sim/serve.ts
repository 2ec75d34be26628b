// A simulated platform over real HTTP, for tests of whole processes, benchmarks and `sluice sim`.
// Made to be fast: a call without latency, hold or fault is answered in the turn its body ends.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../system/clock.ts';
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
  // Told of every call as it is judged.
  readonly onCall?: (call: Call) => void;
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
    given.onCall?.(call);
  };
  const model = kind.create({ options: given.options ?? {}, onCall });
  const desk = new Desk<Call>({ clock, random, network }, model, control);
  const server = createServer({ keepAliveTimeout: IDLE_MS_MAX, requestTimeout: 0 }, desk.receive);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(given.port, given.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = given.host.includes(':') ? `[${given.host}]` : given.host;
  return {
    url: `http://${host}:${port}`,
    platform: kind.title,
    setting: kind.setting,
    model,
    close: () => close(server, desk),
  };
}

async function close(server: Server, desk: { close(): void }): Promise<void> {
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

class Desk<Call extends SimCall> {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #network: Network;
  readonly #model: SimModel<Call>;
  readonly #control: Control;
  readonly #serving: SimServing<Call>;

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
    else if (asked.kind === 'call') this.#call(response, asked);
    else void asked.answer.then((reply) => answer(response, reply));
  }

  #call(response: ServerResponse, asked: SimAskedCall<Call>): void {
    const fault = this.#control.faults.next(asked, this.#clock.now());
    if (fault?.kind === 'reset_before') {
      response.socket?.destroy();
      return;
    }
    this.#after(this.#way(), () => {
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
