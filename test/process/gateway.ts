// A real gateway process on a folder of its own, before a simulated Telegram: started, killed, started again.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from '../../src/system/http/undici.ts';
import { Sluice } from './sluice.ts';

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export class GatewayProcess {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-gateway-'));
  readonly data = join(this.folder, 'data');
  readonly #flags: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #process: Sluice | null = null;
  readonly #before: string[] = [];
  #agent = new Agent();
  url = '';
  umask: string | null = null;
  // A command that becomes it.
  under: readonly string[] = [];

  constructor(
    telegramApi: string,
    flags: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ) {
    this.#env = env;
    this.#flags = ['--telegram-api', telegramApi, '--log', 'error', ...flags];
  }

  async start(more: readonly string[] = []): Promise<void> {
    if (this.#process !== null) this.#before.push(this.#process.output);
    const args = ['serve', '--port', '0', '--data', this.data, ...this.#flags];
    this.#process = new Sluice([...args, ...more], this.#env, {
      ...{ umask: this.umask, under: this.under },
    });
    this.url = /http:[^\s;]+/.exec(await this.#process.said('listens on'))![0];
  }

  // Also in its log; there is no event for it.
  async hasSaid(text: string): Promise<void> {
    while (!this.output.includes(text)) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  // What it has said since it was started, each time.
  get output(): string {
    return [...this.#before, this.#process?.output ?? ''].join('');
  }

  // Nobody reads any more what it says.
  hangUp(): void {
    this.#process!.hangUp();
  }

  signal(signal: NodeJS.Signals): void {
    this.#process!.kill(signal);
  }

  async end(signal: 'SIGKILL' | 'SIGTERM') {
    this.signal(signal);
    const ended = await this.#process!.ended;
    await this.#agent.destroy();
    this.#agent = new Agent();
    return ended;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  get key(): string {
    const given = this.#env.SLUICE_ADMIN_KEY;
    return given ?? readFileSync(join(this.data, 'admin-key'), 'utf8').trim();
  }

  async ask(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await request(`${this.url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as Answer['body'] };
  }

  // Every delivery there is a record of.
  async records(query = ''): Promise<Record<string, unknown>[]> {
    const all: Record<string, unknown>[] = [];
    let next: string | null = null;
    do {
      const cursor: string = next === null ? '' : `&cursor=${next}`;
      const { body } = await this.ask('GET', `/v1/messages?limit=1000${query}${cursor}`);
      all.push(...(body.items as Record<string, unknown>[]));
      next = body.next as string | null;
    } while (next !== null);
    return all;
  }
}
