// A gateway in this process, before a simulator in another: the road as everyone runs it, but for the callers' HTTP.

import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { defaultConfig } from '../../src/config/config.ts';
import { closedLoop } from '../engine/closed-loop.ts';
import { TEXT } from '../engine/sample.ts';

const BOTS = 40;
const CHATS = 20_000;
const IN_FLIGHT = 200;
const WAIT_S = 60;
const WIDE = { privatePerS: 1000, broadcastPerS: 1000, inFlightMax: 256 };
export const ADMIN_KEY = 'bench-bench-bench';

export function openGateway(data: string, telegramApi: string, metrics: boolean): Promise<Gateway> {
  const fixed = { port: 0, log: 'warn', adminKey: ADMIN_KEY } as const;
  return createGateway(defaultConfig({ ...fixed, ...WIDE, data, telegramApi, metrics }));
}

let number = 0;

// Each is accepted, sent and settled before the next of its place in the loop begins.
export async function deliver(gateway: Gateway, total: number, done: () => void): Promise<void> {
  await closedLoop(IN_FLIGHT, total, async () => {
    number += 1;
    const account = `${1000 + (number % BOTS)}:benchbenchbenchbenchbenchbenchbench`;
    const sent = await gateway.send({
      to: { platform: 'telegram', account, chat: 1 + (number % CHATS) },
      body: { text: TEXT },
      wait: WAIT_S,
    });
    if (!('state' in sent) || sent.state !== 'sent') throw new Error(JSON.stringify(sent));
    done();
  });
}
