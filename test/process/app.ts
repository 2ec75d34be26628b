// An app as a bot's author would run it: takes updates by POST, answers as the test says, goes away and comes back.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { ownPort } from '../../scripts/own-port.ts';
import { bodyOf } from './body.ts';

export interface SeenUpdate {
  readonly update_id: number;
  readonly message: { readonly chat: { readonly id: number }; readonly text: string };
}

type Answer = { status: number; body?: object; headers?: Record<string, string> };

export class App {
  readonly taken: SeenUpdate[] = [];
  readonly secrets = new Set<unknown>();
  // Every post, taken or not.
  readonly posts: { headers: IncomingHttpHeaders; body: string }[] = [];
  answer: (update: SeenUpdate) => Answer | Promise<Answer> = () => ({ status: 200 });
  #server: Server | null = null;
  #port = 0;
  #waiting: { isThere: () => boolean; resolve: () => void }[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.#port}/updates?of=bot`;
  }

  async open(): Promise<void> {
    const server = createServer(async (request, response) => {
      const body = await bodyOf(request);
      if (body === null) return;
      this.posts.push({ headers: request.headers, body: body.toString() });
      const update = JSON.parse(body.toString()) as SeenUpdate;
      this.secrets.add(request.headers['x-telegram-bot-api-secret-token']);
      const { status, body: said, headers } = await this.answer(update);
      if (status === 200) this.#take(update);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(said === undefined ? '' : JSON.stringify(said));
    });
    if (this.#port === 0) this.#port = await ownPort();
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  until(isThere: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      if (isThere()) resolve();
      else this.#waiting.push({ isThere, resolve });
    });
  }

  #take(update: SeenUpdate): void {
    this.taken.push(update);
    this.#waiting = this.#waiting.filter(({ isThere, resolve }) => {
      if (!isThere()) return true;
      resolve();
      return false;
    });
  }
}
