// Where a load runs: a real gateway process with its bots in its file, before the simulator over HTTP in a process of
// its own, with the limits that the platform is known to have.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { Priority } from '../../src/domain/priority.ts';
import { GatewayProcess } from '../../test/process/gateway.ts';
import { type Child, startChild } from '../engine/child.ts';

const NETWORK = { latencyMs: 20, jitterMs: 20, jitterBackMs: 0 };
// As many as the route takes at once.
const BATCH_MAX = 100;
const LOOK_AGAIN_MS = 50;
const FIRST_BOT = 1001;
const FIRST_PERSON = 700_001;

export interface LoadMessage {
  // Which of the bots.
  readonly bot: number;
  readonly chat: string;
  readonly priority: Priority;
  readonly text: string;
}

// What the ledger says of one delivery.
export interface Told {
  readonly account: string;
  readonly priority: Priority;
  readonly state: string;
  readonly final: boolean;
  readonly acceptedAt: string;
  readonly settledAt: string | null;
}

export interface Reading {
  readonly queued: number;
  readonly sent: number;
  readonly rssBytes: number;
}

export class Stage {
  readonly #gateway: GatewayProcess;
  readonly #sim: Child<{ url: string }>;
  readonly #flags: readonly string[];
  readonly #agent = new Agent();
  readonly bots: number;
  // How long each hand-over took until it was on disk, in milliseconds.
  readonly acceptMs: number[] = [];

  private constructor(sim: Child<{ url: string }>, bots: number) {
    this.#sim = sim;
    this.bots = bots;
    this.#gateway = new GatewayProcess(sim.ready.url);
    const file = join(this.#gateway.folder, 'sluice.yaml');
    const platform = 'telegram';
    const accounts = Array.from({ length: bots }, (_, bot) => ({ platform, token: tokenOf(bot) }));
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify({ accounts }));
    this.#flags = ['--config', file];
  }

  static async open(bots: number): Promise<Stage> {
    const sim = await startChild<{ url: string }>('../pacing/sim.ts', [JSON.stringify(NETWORK)]);
    const stage = new Stage(sim, bots);
    try {
      await stage.startAgain();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  async close(): Promise<void> {
    await this.#gateway.end('SIGTERM');
    this.#gateway.remove();
    await this.#agent.destroy();
    await this.#sim.stop();
  }

  kill(): Promise<unknown> {
    return this.#gateway.end('SIGKILL');
  }

  // Resolves when it listens and has asked the platform who its bots are.
  async startAgain(): Promise<void> {
    await this.#gateway.start(this.#flags);
    let known = 0;
    while (known < this.bots) {
      const { accounts } = await this.ask<{ accounts: unknown[] }>('GET', '/v1/accounts');
      known = accounts.length;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  async send(messages: readonly LoadMessage[]): Promise<void> {
    for (let i = 0; i < messages.length; i += BATCH_MAX) {
      const batch = messages.slice(i, i + BATCH_MAX).map(({ bot, chat, priority, text }) => ({
        to: { platform: 'telegram', account: accountOf(bot), chat },
        body: { text },
        priority,
      }));
      const began = performance.now();
      const answers = await this.ask<{ status: number }[]>('POST', '/v1/messages', batch);
      this.acceptMs.push(performance.now() - began);
      const refused = answers.find(({ status }) => status !== 202);
      if (refused !== undefined) throw new Error(`not accepted: ${JSON.stringify(refused)}`);
    }
  }

  async setPaused(isPaused: boolean): Promise<void> {
    const action = isPaused ? 'pause' : 'resume';
    for (let bot = 0; bot < this.bots; bot++) {
      await this.ask('POST', `/v1/accounts/${accountOf(bot)}/${action}`, {});
    }
  }

  async ask<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<T> {
    const { status, body: said } = await this.#gateway.ask(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(said)}`);
    return said as T;
  }

  async read(): Promise<Reading> {
    const [{ total_queued: queued }, metrics, { accepted: sent }] = await Promise.all([
      this.ask<{ total_queued: number }>('GET', '/queue/stats'),
      this.#text(`${this.#gateway.url}/metrics`),
      this.simStats(),
    ]);
    const rss = /^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1];
    return { queued, sent, rssBytes: Number(rss ?? 0) };
  }

  // What the platform has taken, and what it refused for its rate.
  async simStats(): Promise<{ accepted: number; limited: number }> {
    return JSON.parse(await this.#text(`${this.#sim.ready.url}/sim/stats`));
  }

  async told(): Promise<Told[]> {
    return (await this.#gateway.records()) as unknown as Told[];
  }

  async #text(url: string): Promise<string> {
    const answer = await request(url, { dispatcher: this.#agent });
    return answer.body.text();
  }
}

export function tokenOf(bot: number): string {
  return `${FIRST_BOT + bot}:loadloadloadloadloadloadloadloadloa`;
}

export function accountOf(bot: number): string {
  return `telegram:${FIRST_BOT + bot}`;
}

// A private chat; nobody has two.
export function personOf(number: number): string {
  return String(FIRST_PERSON + number);
}
