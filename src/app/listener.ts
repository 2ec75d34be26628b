// The HTTP server, made when it is asked to listen, because the host it listens on decides who
// needs a key.

import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { WaitingCallers } from '../accept/callers.ts';
import { removeAddress, writeAddress } from '../accounts/accounts.ts';
import type { Config } from '../config/config.ts';
import { openPage } from '../dashboard/dashboard.ts';
import type { HttpParts } from '../http/context.ts';
import type { Dialects } from '../http/dialects/dialects.ts';
import { addPageRoutes } from '../http/page.ts';
import { createServer } from '../http/server.ts';
import { drained } from '../system/service.ts';
import { requireChosenKey } from './auth.ts';
import type { Resources } from './resources.ts';

/** Where to listen; what is left out is as the options of the gateway say. */
export interface ListenOptions {
  /** Elsewhere than on loopback only with an `adminKey` that was chosen. */
  readonly host?: string;
  /** 0: one that is free. */
  readonly port?: number;
}

interface ListenerParts {
  readonly config: Config;
  readonly resources: Resources;
  readonly options: HttpParts;
  readonly waiting: WaitingCallers;
  readonly dialects: Dialects;
}

export class HttpListener {
  readonly #p: ListenerParts;
  #server: FastifyInstance | null = null;
  #host = '';
  #url: string | null = null;

  constructor(parts: ListenerParts) {
    this.#p = parts;
  }

  // null until it listens.
  get url(): string | null {
    return this.#url;
  }

  async listen(where: ListenOptions): Promise<string> {
    const { config, resources, options, waiting, dialects } = this.#p;
    const { host = config.host, port = config.port } = where;
    if (host !== config.host) requireChosenKey(host, config.adminKey);
    // The host is one for the server's whole life; another port may be tried.
    if (this.#server !== null && host !== this.#host) {
      throw new TypeError(`it is served at ${this.#host}`);
    }
    this.#host = host;
    this.#server ??= openServer(at(options, host), waiting, dialects);
    this.#url = await listenAt({ host, port }, this.#server);
    noteAddress(config, resources, this.#url);
    return this.#url;
  }

  async close(graceMs: number): Promise<void> {
    await closeServer(this.#p.resources, this.#server, graceMs);
  }

  // When there is no gateway any more that a command could ask.
  forgetAddress(): void {
    if (this.#url !== null) removeAddress(this.#p.config.data);
  }
}

function at<O extends HttpParts>(options: O, host: string): O {
  return { ...options, settings: { ...options.settings, host } };
}

function openServer(
  options: HttpParts,
  waiting: WaitingCallers,
  dialects: Dialects,
): FastifyInstance {
  const server = createServer(options, waiting, dialects);
  addPageRoutes(server, openPage({ log: options.log }));
  return server;
}

// Answers where it listens.
export async function listenAt(
  { host, port: asked }: Required<ListenOptions>,
  server: FastifyInstance,
): Promise<string> {
  await server.listen({ host, port: asked });
  const { address, port, family } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

// For the commands, which find it beside the admin key. Without it they ask for a key.
function noteAddress({ data }: Config, { log }: Resources, url: string): void {
  try {
    writeAddress(data, url);
  } catch (error) {
    log.warn({ err: error }, 'could not write the address file in the data folder');
  }
}

const LAST_ANSWERS_MS = 1_000;

// A long poll, or a platform that hangs, must not hold the end up: what the grace does not finish is cut off, and a
// call that was cut off is settled as in doubt.
async function closeServer(
  resources: Resources,
  server: FastifyInstance | null,
  graceMs: number,
): Promise<void> {
  const { clock, engine } = resources;
  const closed = server?.close() ?? Promise.resolve();
  await drained(clock, [closed], graceMs);
  await resources.hangUp();
  await engine.dispatch.stop(graceMs);
  // Now waiting callers get their results; a slow machine must not cut that off.
  await drained(clock, [closed], Math.max(graceMs, LAST_ANSWERS_MS));
  server?.server.closeAllConnections();
  await closed;
}
