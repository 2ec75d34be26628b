// What the commands need of the rooms that only some of them open, so that `--help` loads none of it.

import type { Config } from '../config/config.ts';

export interface RunningGateway {
  // As printed: http://127.0.0.1:8080
  readonly url: string;
  // Finishes what is in flight, keeps the rest, within the drain time of the settings.
  stop(): Promise<void>;
}

export interface GatewayRoom {
  createGateway(config: Config): Promise<RunningGateway>;
}

export interface SimRoom {
  serveSim(options: {
    host: string;
    port: number;
  }): Promise<{ url: string; close(): Promise<void> }>;
}

const GATEWAY = '../gateway.ts';
const SIM = '../sim/sim.ts';

export async function gatewayRoom(): Promise<GatewayRoom> {
  return (await import(GATEWAY)) as GatewayRoom;
}

export async function simRoom(): Promise<SimRoom> {
  return (await import(SIM)) as SimRoom;
}
