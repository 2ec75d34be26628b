// A gateway with something to look at: messages that wait for different reasons, letters that died, a text that grows,
// a broadcast under way. Used by the tests of the page, and for its pictures.

import type { GatewayProcess } from '../process/gateway.ts';
import { until } from '../process/look.ts';

export const BOT = 'telegram:sandbox-1';
export const TOKEN = '1:sandbox';
export const FROZEN = '-1001234567890';
export const BUSY = '-1002222222222';
export const BLOCKED = '77';
const FROZEN_S = 1800;
// Twenty go out in a minute: some of them still wait after the slowest test.
const PARTS = 300;

export class Scene {
  readonly gateway: GatewayProcess;

  constructor(gateway: GatewayProcess) {
    this.gateway = gateway;
  }

  async post(path: string, body: unknown): Promise<Record<string, unknown>> {
    const answer = await this.gateway.ask('POST', path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async get(path: string): Promise<Record<string, unknown>> {
    return (await this.gateway.ask('GET', path)).body;
  }

  send(chat: string, text: string, more: object = {}): Promise<Record<string, unknown>> {
    const to = { platform: 'telegram', account: TOKEN, chat };
    return this.post('/v1/messages', { to, body: { text }, ...more });
  }

  trouble(chat: string, body: object): Promise<unknown> {
    return this.post('/v1/sandbox/chats', { account: TOKEN, chat, ...body });
  }

  // WaitFigures until the gateway says so; the world's clock decides how long, not ours.
  async until(path: string, holds: (body: Record<string, unknown>) => boolean): Promise<void> {
    await until(() => this.get(path), holds);
  }

  // One chat the platform refuses for a while, one with more to say than it may, one that blocked the bot.
  async makeTrouble(parts = PARTS): Promise<void> {
    await this.makeWaiting(parts);
    await this.trouble(BLOCKED, { state: 'blocked' });
    for (const n of [1, 2, 3, 4]) await this.send(BLOCKED, `Invoice ${n}`);
    await this.until('/queue/stats', (body) => (body.stats as { dlq: number }).dlq === 4);
  }

  async makeWaiting(parts = PARTS): Promise<void> {
    await this.send('42', 'Welcome! Write to me at any time.', { wait: true });
    await this.trouble(FROZEN, { freezeSeconds: FROZEN_S });
    for (const n of [1, 2, 3]) {
      const about = { priority: 'high', correlation: `order-${n}` };
      await this.send(FROZEN, `Your order ${n} has left the warehouse`, about);
    }
    await this.until('/v1/overview', (body) => (body.freezes as { active: number }).active > 0);
    const notes = Array.from({ length: parts }, (_, n) => ({
      to: { platform: 'telegram', account: TOKEN, chat: BUSY },
      body: { text: `Release notes, part ${n + 1}: what changed and why` },
      correlation: 'release-7',
    }));
    await this.post('/v1/messages', notes);
  }

  openStream(chat: string, text: string, more: object = {}): Promise<Record<string, unknown>> {
    const to = { platform: 'telegram', account: TOKEN, chat };
    return this.post('/v1/streams', { to, text, session: 'answer-to-ada', idle: 600, ...more });
  }

  broadcast(name: string, chats: readonly string[]): Promise<Record<string, unknown>> {
    const to = { platform: 'telegram', account: TOKEN };
    return this.post('/v1/broadcasts', {
      to,
      name,
      chats,
      body: { text: 'The office is closed.' },
    });
  }
}
