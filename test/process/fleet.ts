// Nodes of a fleet as real processes on one database, before one simulated Telegram that knows which of them calls.

import { type JudgedCall, type ServedSim, serveSim } from '../../src/sim/sim.ts';
import { GatewayProcess } from './gateway.ts';

export interface FleetOptions {
  readonly nodes: number;
  readonly databaseUrl: string;
  readonly redisUrl?: string;
  readonly flags?: readonly string[];
  // Of the first node; the others' follow. Left out: any.
  readonly port?: number;
  // One way to the simulator, and back.
  readonly latencyMs?: number;
  // Nodes elsewhere than in this process's own network.
  readonly network?: FleetNetwork;
}

export interface FleetNetwork {
  // Where the nodes find the simulator.
  readonly host: string;
  readonly nodes: readonly NodePlace[];
}

export interface NodePlace {
  readonly host: string;
  // A command that becomes the node there.
  readonly under: readonly string[];
}

export interface FleetCall extends JudgedCall {
  // Which node made it, from 0.
  readonly node: number;
}

// There is no event for it.
const LOOK_MS = 50;
const SECRET = 'a secret of the fleet that is long enough';
const LATENCY_MS = 5;
const JITTER_MS = 10;
export const FLEET_KEY = 'the-admin-key-that-all-nodes-share';
export const FLEET_SECRETS = { SLUICE_SECRET: SECRET, SLUICE_ADMIN_KEY: FLEET_KEY };

export class FleetProcesses {
  readonly nodes: readonly GatewayProcess[];
  readonly calls: FleetCall[] = [];
  // Those of them that a node which was frozen made when others had sent the same.
  readonly late = new Set<FleetCall>();
  readonly sim: ServedSim;
  readonly #doors: readonly string[];
  readonly #flags: (i: number) => readonly string[];
  #seen = Promise.withResolvers<void>();

  private constructor(sim: ServedSim, doors: readonly string[], options: FleetOptions) {
    this.sim = sim;
    this.#doors = doors;
    const { databaseUrl, redisUrl, flags = [], port, network } = options;
    this.#flags = (i) => [
      ...(port === undefined ? [] : ['--port', String(port + i)]),
      ...(network === undefined ? [] : ['--host', network.nodes[i]!.host]),
    ];
    this.nodes = Array.from({ length: options.nodes }, (_, i) => {
      const env = {
        SLUICE_DATABASE_URL: databaseUrl,
        ...(redisUrl === undefined ? {} : { SLUICE_REDIS_URL: redisUrl }),
        ...FLEET_SECRETS,
        SLUICE_NODE: `node-${i + 1}`,
      };
      const node = new GatewayProcess(doors[i]!, flags, env);
      node.under = network?.nodes[i]?.under ?? [];
      return node;
    });
  }

  static async start(options: FleetOptions): Promise<FleetProcesses> {
    const host = options.network?.host ?? '127.0.0.1';
    const sim = await serveSim({
      host,
      port: 0,
      options: {},
      network: { latencyMs: options.latencyMs ?? LATENCY_MS, jitterMs: JITTER_MS },
      onCall: (call, address) => fleet.#see(call, address),
    });
    const doors: string[] = [];
    for (let i = 0; i < options.nodes; i++) doors.push(await sim.door(host));
    const fleet = new FleetProcesses(sim, doors, options);
    await Promise.all(fleet.nodes.map((_, i) => fleet.startNode(i)));
    await Promise.all(fleet.nodes.map((node) => fleet.seesAll(node)));
    return fleet;
  }

  // Until then accounts change hands.
  async seesAll(node: GatewayProcess): Promise<void> {
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

  #see(call: JudgedCall, address: string): void {
    if (call.method.toLowerCase() !== 'sendmessage') return;
    this.calls.push({ ...call, node: this.#doors.indexOf(address) });
    this.#seen.resolve();
    this.#seen = Promise.withResolvers();
  }

  // Resolves when what is asked for is so, looked at with every call that the simulator sees.
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.#seen.promise;
  }
}
