// The simulators that stand for platforms in the gateway's own process, one line each: what sandbox tokens talk to.

import type { Clock } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import type { Transport } from '../system/transport.ts';
import { NO_FAULTS } from './faults.ts';
import { SimPages } from './pages.ts';
import { createTelegramModel, type TelegramModel } from './telegram/model.ts';
import { simTransport } from './transport.ts';

// It answers as a near server would.
const NETWORK = { latencyMs: 15, jitterMs: 10 };

export interface Simulator {
  readonly transport: Transport;
  // Its chats, for those who look at them and write in them.
  readonly model: TelegramModel;
}

type Open = (ports: { readonly clock: Clock; readonly random: Random }) => Simulator;

export const SIMULATORS: Readonly<Record<string, Open>> = {
  telegram(ports) {
    const model = createTelegramModel({});
    const pages = new SimPages(ports);
    const network = NETWORK;
    const transport = simTransport({ ...ports, model, pages, network, faults: NO_FAULTS });
    return { transport, model };
  },
};
