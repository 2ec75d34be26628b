// Messages for a fleet under trial: every chat's one after the other, to whichever node answers. What is not answered
// goes again with its key, as a caller's would.

import type { FleetCall, FleetProcesses } from '../process/fleet.ts';
import type { GatewayProcess } from '../process/gateway.ts';
import { aMoment } from '../process/look.ts';

export interface LoadSize {
  readonly accounts: number;
  // Of each account.
  readonly chats: number;
  // Between two messages of a chat, which takes one a second.
  readonly betweenMs: number;
}

export const tokenOf = (account: number) => `${7000 + account}:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;
export const accountOf = (account: number) => `telegram:${7000 + account}`;

// Of a request to a node that is there and says nothing.
const ANSWER_MS_MAX = 30_000;

export class FleetLoad {
  readonly name: string;
  readonly size: LoadSize;
  readonly fleet: FleetProcesses;
  readonly accepted: string[] = [];
  // Not asked at the moment.
  readonly down = new Set<GatewayProcess>();
  // By their place: those that stood still for a time.
  readonly frozen = new Set<number>();
  // Answers that were no receipt.
  readonly refused: string[] = [];
  acceptMsMax = 0;
  readonly #ends: Promise<void>[] = [];
  #isOver = false;
  #turn = 0;
  #taken = Promise.withResolvers<void>();

  constructor(name: string, fleet: FleetProcesses, size: LoadSize) {
    this.name = name;
    this.fleet = fleet;
    this.size = size;
    for (let a = 0; a < size.accounts; a++) {
      for (let c = 0; c < size.chats; c++) this.#ends.push(this.#chat(a, 100 * (a + 1) + c));
    }
  }

  get chats(): number {
    return this.size.accounts * this.size.chats;
  }

  get calls(): FleetCall[] {
    return this.fleet.calls.filter(({ text }) => text.startsWith(`${this.name}:`));
  }

  get sent(): Set<string> {
    return new Set(this.calls.map(({ text }) => text));
  }

  // So many more were accepted, by all chats together.
  async more(count: number): Promise<void> {
    const enough = this.accepted.length + count;
    while (this.accepted.length < enough) await this.#taken.promise;
  }

  // Every account has sent something that it had not before.
  async allSendAnew(): Promise<void> {
    const before = this.sent;
    await this.fleet.until(() => {
      const fresh = [...this.sent].filter((text) => !before.has(text));
      return new Set(fresh.map((text) => text.split(':')[1])).size === this.size.accounts;
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#ends);
  }

  // All that was accepted was seen by the simulator.
  async arrived(): Promise<void> {
    await this.fleet.until(() => {
      const { sent } = this;
      return this.accepted.every((text) => sent.has(text));
    });
  }

  async #chat(account: number, chat: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const text = `${this.name}:${account}:${chat}:${n}`;
      const to = { platform: 'telegram', account: tokenOf(account), chat };
      const begunAt = Date.now();
      while (!(await this.#send(text, { to, body: { text } }))) await aMoment();
      this.acceptMsMax = Math.max(this.acceptMsMax, Date.now() - begunAt);
      this.accepted.push(text);
      this.#taken.resolve();
      this.#taken = Promise.withResolvers();
      await new Promise((resolve) => setTimeout(resolve, this.size.betweenMs));
    }
  }

  async #send(key: string, body: object): Promise<boolean> {
    const nodes = this.fleet.nodes.filter((node) => !this.down.has(node));
    this.#turn += 1;
    const node = nodes[this.#turn % nodes.length]!;
    const headers = { 'idempotency-key': key, 'x-correlation-id': key };
    const asked = node.ask('POST', '/v1/messages', body, headers);
    const answer = await Promise.race([asked, silence()]).catch((error: Error) => error.message);
    if (typeof answer === 'object' && answer.status === 202) return true;
    // One that was taken down meanwhile says nothing about the others.
    if (!this.down.has(node)) this.refused.push(`${key} ${JSON.stringify(answer)}`);
    return false;
  }
}

function silence(): Promise<never> {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error('no answer')), ANSWER_MS_MAX).unref(),
  );
}
