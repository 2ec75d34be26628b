// A gateway under load and in trouble. Every fault has a bot of its own, so that each alert has only its own cause.

import { aDelivery } from '../../src/domain/delivery.fixture.ts';
import { formatId } from '../../src/domain/ids.ts';
import type { ServedSim } from '../../src/sim/sim.ts';
import { soleOwner } from '../../src/store/contract/sole-owner.fixture.ts';
import { openSqliteJournal } from '../../src/store/sqlite/sqlite.ts';
import type { GatewayProcess } from '../process/gateway.ts';

export const tokenOf = (bot: number) => `${bot}:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;
const HEALTHY = 100;
const POISONED = 999;

type Send = { bot: number; chat: number; text?: string; wait?: number };

export class Trouble {
  readonly #gateway: GatewayProcess;
  readonly #sim: ServedSim;
  // The account that fills the store, once it has begun.
  #paused: Promise<void> | null = null;

  constructor(gateway: GatewayProcess, sim: ServedSim) {
    this.#gateway = gateway;
    this.#sim = sim;
  }

  // Before the gateway is started: a dead letter that no version with bounds would have taken, and nothing can send.
  static async prepare({ data }: GatewayProcess): Promise<void> {
    const journal = soleOwner(await openSqliteJournal({ dir: data }));
    const of = {
      account: `telegram:${POISONED}` as const,
      platform: 'telegram',
      chat: '1',
      method: 'sendMessage',
    };
    const made = aDelivery({ ...of, acceptedAt: Date.now(), body: '{"message_id":' });
    const appended = await journal.append(made, { queueMax: 1 });
    if (appended.kind !== 'accepted') throw new Error(appended.kind);
    const { seq } = appended.queued;
    await journal.begin(seq, Date.now());
    const rest = { retryAfterMs: null, dueAt: 0, failed: true, doubted: false, cure: null };
    const end = { outcome: 'failed', reason: 'prepared', detail: null, to: 'dead' } as const;
    const answer = { messageId: null, result: null, limits: [] };
    await journal.settle({ seq, n: 1, endedAt: Date.now(), ...end, ...rest, ...answer });
    Trouble.#prepared = formatId(journal.tag, seq);
    await journal.close();
  }

  static #prepared = '';

  async poisoned(): Promise<void> {
    const known = await this.send({ bot: POISONED, chat: 2, wait: 20 });
    if (known.status !== 200) throw new Error(JSON.stringify(known.body));
    const letters = { ids: [Trouble.#prepared] };
    const { status } = await this.#gateway.ask('POST', '/v1/dead/retry', letters);
    if (status !== 200) throw new Error(`the retry was answered ${status}`);
  }

  send({ bot, chat, text = 'hello', wait }: Send) {
    const to = { platform: 'telegram', account: tokenOf(bot), chat };
    const more = wait === undefined ? {} : { wait };
    return this.#gateway.ask('POST', '/v1/messages', { to, body: { text }, ...more });
  }

  // Messages, a typing sign, a broadcast, an update: all as they should be.
  async calm(rounds: number): Promise<void> {
    const gateway = this.#gateway;
    for (let round = 0; round < rounds; round++) {
      const chats = Array.from({ length: 8 }, (_, i) => 1000 + 8 * round + i);
      const all = chats.map((chat) => this.send({ bot: HEALTHY, chat, wait: 20 }));
      for (const { status, body } of await Promise.all(all)) {
        if (status !== 200) throw new Error(JSON.stringify(body));
      }
    }
    await fetch(`${gateway.url}/bot${tokenOf(HEALTHY)}/sendChatAction`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: 1000, action: 'typing' }),
    });
    await this.broadcast(HEALTHY, [8001, 8002, 8003]);
    await this.update(HEALTHY, 1);
  }

  // Writes two megabytes to the store, which nothing takes out again.
  async fill(): Promise<void> {
    this.#paused ??= this.#pause(240);
    await this.#paused;
    const text = 'x'.repeat(200_000);
    const chats = Array.from({ length: 10 }, (_, i) => i + 1);
    await Promise.all(chats.map((chat) => this.send({ bot: 240, chat, text })));
  }

  // More in one group than it may have in a minute.
  async backlog(): Promise<void> {
    const all = Array.from({ length: 45 }, () => this.send({ bot: 200, chat: -100_200 }));
    await Promise.all(all);
  }

  async fullQueue(): Promise<number> {
    await this.#pause(201);
    const all = Array.from({ length: 220 }, (_, chat) => this.send({ bot: 201, chat: chat + 1 }));
    return (await Promise.all(all)).filter(({ status }) => status === 429).length;
  }

  async blocked(): Promise<void> {
    const chats = Array.from({ length: 15 }, (_, i) => 2020 + i);
    for (const chat of chats) this.#sim.model.setChat(String(chat), { kind: 'blocked' });
    await Promise.all(chats.map((chat) => this.send({ bot: 202, chat })));
  }

  // The platform is broken for one bot: its breaker opens.
  async broken(): Promise<void> {
    const fault = { kind: 'internal_error' };
    await this.#setFaults([{ fault, token: tokenOf(203), times: 1000 }]);
    const chats = Array.from({ length: 10 }, (_, i) => 2030 + i);
    await Promise.all(chats.map((chat) => this.send({ bot: 203, chat })));
  }

  // Every second call of some bots fails, which opens no breaker.
  async flaky(): Promise<void> {
    const fault = { kind: 'internal_error' };
    const chats = Array.from({ length: 20 }, (_, i) => 2300 + i);
    const even = chats.filter((chat) => chat % 2 === 0);
    await this.#setFaults(even.map((chat) => ({ fault, chat: String(chat), times: 4 })));
    for (const bot of [230, 231, 232, 233]) {
      for (const chat of chats) await this.send({ bot, chat });
    }
  }

  // The platform says wait, to several bots.
  async frozen(): Promise<void> {
    const bots = [210, 211, 212, 213];
    for (const bot of bots) {
      this.#sim.model.freeze(tokenOf(bot), '2100', 60, Date.now());
      await this.send({ bot, chat: 2100 });
    }
    this.#sim.model.freeze(tokenOf(214), '2140', 60, Date.now());
    await this.stream(214, 2140, ['This will', ' not be shown', ' for a while']);
  }

  async revoked(): Promise<void> {
    await this.send({ bot: 220, chat: 1, wait: 20 });
    this.#sim.model.revoke(tokenOf(220));
    await this.send({ bot: 220, chat: 2 });
  }

  async doubtful(): Promise<void> {
    await this.send({ bot: 221, chat: 1, wait: 20 });
    await this.#setFaults([{ fault: { kind: 'answer_lost' }, token: tokenOf(221), times: 1 }]);
    await this.send({ bot: 221, chat: 2 });
  }

  // Answers its address.
  async stream(bot: number, chat: number, words: readonly string[]) {
    const to = { platform: 'telegram', account: tokenOf(bot), chat };
    const gateway = this.#gateway;
    const { body } = await gateway.ask('POST', '/v1/streams', { to, transport: 'edit' });
    for (const append of words) await this.#patch(`/v1/streams/${body.id}`, { append });
    return `/v1/streams/${body.id}`;
  }

  async broadcast(bot: number, chats: readonly number[]): Promise<void> {
    const to = { platform: 'telegram', account: tokenOf(bot) };
    const order = { to, chats, body: { text: 'to all' } };
    const { status, body } = await this.#gateway.ask('POST', '/v1/broadcasts', order);
    if (status >= 300) throw new Error(JSON.stringify(body));
  }

  // As Telegram posts it; forwarded to the app.
  async update(bot: number, id: number): Promise<void> {
    const path = `/v1/accounts/telegram:${bot}/webhook`;
    const { body } = await this.#gateway.ask('GET', path);
    const hook = body as { path: string; secret: string };
    const chat = String(9000 + id);
    const { update } = this.#sim.model.inject(tokenOf(bot), chat, 'hi', Date.now());
    const headers = { 'x-telegram-bot-api-secret-token': hook.secret };
    await this.#gateway.ask('POST', hook.path, update, headers);
  }

  // An account has to be known before it can be paused.
  async #pause(bot: number): Promise<void> {
    await this.send({ bot, chat: 1, wait: 20 });
    await this.#gateway.ask('POST', `/v1/accounts/telegram:${bot}/pause`);
  }

  async #setFaults(script: readonly object[]): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ script });
    await fetch(`${this.#sim.url}/sim/faults`, { method: 'POST', headers, body });
  }

  async #patch(path: string, body: object): Promise<void> {
    const { url, key } = this.#gateway;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    await fetch(`${url}${path}`, { method: 'PATCH', headers, body: JSON.stringify(body) });
  }
}
