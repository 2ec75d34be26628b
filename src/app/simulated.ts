// The road inside the simulated world: the same composition as the gateway's, on a memory store whose commits take
// time and may be cut by a crash before or after they took effect, a virtual clock, and a simulated wire.

import { defaultConfig, type Settings } from '../config/config.ts';
import { PLATFORMS } from '../platforms/registry.ts';
import type { Road } from '../road/road.ts';
import type {
  EngineFactory,
  WorldEngine,
  WorldLearnedRate,
  WorldMessage,
  WorldPorts,
  WorldRecord,
} from '../sim/sim.ts';
import { createMemoryDisk, createMemoryStore, type MemoryDisk } from '../store/memory/memory.ts';
import type { Clock } from '../system/clock.ts';
import type { Transport } from '../system/http/transport.ts';
import { Periodic } from '../system/periodic.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { createEngine } from './delivery.ts';
import {
  COMMIT_MS_MAX,
  deliveryOf,
  groupedDelay,
  learnedRates,
  openPlatform,
  openPlatforms,
  type Platforms,
  worldAccounts,
} from './simulated/parts.ts';

export { type FleetMistake, fleetEngine } from './simulated/fleet.ts';

const NOWHERE: Transport = {
  request: async () => ({
    kind: 'unsent',
    reason: 'none',
    detail: 'the simulated world has no network',
  }),
  stream: async () => ({
    kind: 'unsent',
    reason: 'none',
    detail: 'the simulated world has no network',
  }),
  close: async () => {},
};

// Their files are read before any world begins: its clock goes on while it waits for an engine to open, and the same
// seed would be another world where the disk is slower.
for (const { name } of PLATFORMS) {
  const ports = { clock: virtualClock(0), transport: NOWHERE };
  await openPlatform(name, ports, defaultConfig());
}

export const worldEngine: EngineFactory = worldEngineWith(defaultConfig());

export function worldEngineWith(settings: Settings): EngineFactory {
  return (ports) => openEngine(ports, settings);
}

async function openEngine(ports: WorldPorts, settings: Settings): Promise<WorldEngine> {
  const { clock, random, disk } = ports;
  disk.content ??= createMemoryDisk();
  const { commitMsMax = COMMIT_MS_MAX } = ports;
  const commit = () => groupedDelay(clock, random, commitMsMax);
  const store = createMemoryStore(
    disk.content as MemoryDisk,
    commitMsMax === 0 ? {} : { beforeApply: commit(), afterApply: commit() },
  );
  const platforms = await openPlatforms(ports, settings);
  const known = await store.journal.accounts();
  const refused = new Set(known.filter((each) => each.refused !== null).map(({ id }) => id));
  const engine = createEngine({
    ...store,
    clock,
    periodic: new Periodic(clock),
    random,
    settings,
    accounts: worldAccounts(ports, { platforms, settings }, store.journal, refused),
    report: (_stage, error) => {
      throw error;
    },
    fatal: (error) => {
      throw error;
    },
  });
  await engine.dispatch.start();
  return new RoadInWorld(engine.road, disk.content as MemoryDisk, platforms, clock);
}

class RoadInWorld implements WorldEngine {
  readonly #road: Road;
  readonly #disk: MemoryDisk;
  readonly #platforms: Platforms;
  readonly #clock: Clock;
  // Its own: one for all worlds would keep what is left of those that are over.
  readonly #never = new AbortController().signal;

  constructor(road: Road, disk: MemoryDisk, platforms: Platforms, clock: Clock) {
    this.#road = road;
    this.#disk = disk;
    this.#platforms = platforms;
    this.#clock = clock;
  }

  async submit(message: WorldMessage) {
    const appended = await this.#road.submit(
      deliveryOf(message, this.#platforms, this.#clock.now()),
    );
    switch (appended.kind) {
      case 'accepted':
        return { kind: 'accepted' as const, seq: appended.queued.seq };
      case 'superseded':
        return { kind: 'accepted' as const, seq: appended.seq };
      default:
        return { kind: 'refused' as const, code: appended.kind };
    }
  }

  ended(seq: number) {
    return this.#road.ended(seq, this.#never);
  }

  async cancel(seq: number) {
    const account = this.#disk.deliveries.get(seq)!.account;
    const at = this.#clock.now();
    const command = { account, seq, to: 'cancelled', at, reason: 'asked', by: 'world' } as const;
    const moved = await this.#road.move({ ...command, body: null, queueMax: 0 });
    return moved.kind === 'moved';
  }

  // The world has cut its clock and its wire; what is left in memory can reach nothing.
  crash(): void {}

  waiting(): number {
    const { critical, high, normal, low, inFlight } = this.#road.depths();
    return critical + high + normal + low + inFlight;
  }

  async all(): Promise<WorldRecord[]> {
    return Array.from(this.#disk.deliveries.values(), (delivery) => {
      const waitsFor = this.#road.explain(delivery.seq)?.summary ?? null;
      return { ...delivery, body: delivery.body ?? '', waitsFor };
    });
  }

  async learned(): Promise<WorldLearnedRate[]> {
    return learnedRates(this.#road);
  }
}
