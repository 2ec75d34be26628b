// Public pages of channels that a gateway follows: one that is well, one whose pages come slowly, one whose pages
// fail. Both faults begin when they are asked for.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SimPages } from '../../src/sim/pages.ts';
import { sleep, systemClock } from '../../src/system/clock.ts';
import type { GatewayProcess } from '../process/gateway.ts';

const SLOW_MS = 2500;

export class Channels {
  isBad = false;
  readonly #pages = new SimPages({ clock: systemClock() });
  readonly #server = createServer((request, response) => {
    void this.#answer(request.url ?? '').then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end(body),
    );
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async follow(gateway: GatewayProcess, name: string): Promise<void> {
    const order = { source: name, kind: 'page' };
    const { status, body } = await gateway.ask('POST', '/v1/ingest/sources', order);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }

  async #answer(path: string): Promise<{ status: number; body: string }> {
    if (this.isBad && path.includes('/failing_news')) return { status: 502, body: '' };
    if (this.isBad && path.includes('/slow_news')) await sleep(systemClock(), SLOW_MS);
    return this.#pages.page(path) ?? { status: 404, body: '' };
  }
}
