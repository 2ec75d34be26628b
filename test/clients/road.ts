// The two ways a client can take to the platform: straight to a simulated Telegram, and through a real gateway process
// to another one. Both start empty, so that the same calls have the same answers, down to the ids of messages.

import { EventEmitter, once } from 'node:events';
import {
  type JudgedCall,
  type ServedSim,
  type SimTelegramOptions,
  serveSim,
} from '../../src/sim/sim.ts';
import { GatewayProcess } from '../process/gateway.ts';

export interface Road {
  // What a client is given for its base URL.
  readonly url: string;
  readonly sim: ServedSim;
  // Judged by the platform, in their order.
  readonly calls: readonly JudgedCall[];
  messagesOf(bot: number, chat: number): ReturnType<ServedSim['model']['messagesOf']>;
  // Resolves when the platform has judged a call after which it is so.
  until(isSo: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface RoadOptions {
  readonly telegram?: Partial<SimTelegramOptions>;
  readonly flags?: readonly string[];
}

export async function openRoad(
  kind: 'direct' | 'sluice',
  { telegram = {}, flags = [] }: RoadOptions = {},
): Promise<Road> {
  const calls: JudgedCall[] = [];
  const judged = new EventEmitter().setMaxListeners(0);
  const sim = await serveSim({
    host: '127.0.0.1',
    port: 0,
    options: telegram,
    onCall(call) {
      calls.push(call);
      judged.emit('call');
    },
  });
  const gateway = kind === 'direct' ? null : new GatewayProcess(sim.url, flags);
  await gateway?.start();
  return {
    url: gateway?.url ?? sim.url,
    sim,
    calls,
    messagesOf: (bot, chat) =>
      sim.model.messagesOf(String(chat)).filter((message) => message.bot === String(bot)),
    async until(isSo) {
      while (!isSo()) await once(judged, 'call');
    },
    async close() {
      await gateway?.end('SIGKILL');
      gateway?.remove();
      await sim.close();
    },
  };
}
