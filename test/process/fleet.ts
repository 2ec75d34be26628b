// Nodes of a fleet as real processes on one database, before one simulated Telegram.

import { type JudgedCall, type ServedSim, serveSim } from '../../src/sim/sim.ts';
import { GatewayProcess } from './gateway.ts';

export interface FleetOptions {
  readonly nodes: number;
  readonly databaseUrl: string;
  readonly redisUrl?: string;
  readonly flags?: readonly string[];
  // Of the first node; the others' follow. Left out: any.
  readonly port?: number;
}

// There is no event for it.
const LOOK_MS = 50;
const SECRET = 'a secret of the fleet that is long enough';
export const FLEET_KEY = 'the-admin-key-that-all-nodes-share';

export class FleetProcesses {
  readonly nodes: readonly GatewayProcess[];
  readonly calls: JudgedCall[];
  readonly sim: ServedSim;
  readonly #flags: (i: number) => readonly string[];
  #seen = Promise.withResolvers<void>();

  private constructor(sim: ServedSim, calls: JudgedCall[], options: FleetOptions) {
    this.sim = sim;
    this.calls = calls;
    const { databaseUrl, redisUrl, flags = [], port } = options;
    this.#flags = (i) => (port === undefined ? [] : ['--port', String(port + i)]);
    this.nodes = Array.from({ length: options.nodes }, (_, i) => {
      const env = {
        SLUICE_DATABASE_URL: databaseUrl,
        ...(redisUrl === undefined ? {} : { SLUICE_REDIS_URL: redisUrl }),
        SLUICE_SECRET: SECRET,
        SLUICE_ADMIN_KEY: FLEET_KEY,
        SLUICE_NODE: `node-${i + 1}`,
      };
      return new GatewayProcess(sim.url, flags, env);
    });
  }

  static async start(options: FleetOptions): Promise<FleetProcesses> {
    const calls: JudgedCall[] = [];
    const sim = await serveSim({
      host: '127.0.0.1',
      port: 0,
      options: {},
      network: { latencyMs: 5, jitterMs: 10 },
      onCall: (call) => fleet.#see(call),
    });
    const fleet = new FleetProcesses(sim, calls, options);
    await Promise.all(fleet.nodes.map((_, i) => fleet.startNode(i)));
    await Promise.all(fleet.nodes.map((node) => fleet.#seesAll(node)));
    return fleet;
  }

  // Until then accounts change hands.
  async #seesAll(node: GatewayProcess): Promise<void> {
    const count = async () => (await node.ask('GET', '/v1/nodes')).body.total;
    while ((await count()) !== this.nodes.length) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async startNode(i: number): Promise<void> {
    await this.nodes[i]!.start(this.#flags(i));
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.nodes.map(async (node) => {
        await node.end('SIGKILL').catch(() => {});
        node.remove();
      }),
    );
    await this.sim.close();
  }

  #see(call: JudgedCall): void {
    if (call.method.toLowerCase() !== 'sendmessage') return;
    this.calls.push(call);
    this.#seen.resolve();
    this.#seen = Promise.withResolvers();
  }

  // Resolves when what is asked for is so, looked at with every call that the simulator sees.
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.#seen.promise;
  }
}
