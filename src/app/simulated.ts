// The road inside the simulated world: the same composition as the gateway's, on a memory store whose commits take
// time and may be cut by a crash before or after they took effect, a virtual clock, and a simulated wire.

import { defaultConfig, type Settings } from '../config/config.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import { platformOf } from '../domain/ids.ts';
import { ACCOUNT_REFUSED } from '../domain/outcome.ts';
import type { FileSource, Platform } from '../platforms/platform.ts';
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
import type { AccountStore } from '../store/ports/accounts.ts';
import { assert } from '../system/assert.ts';
import type { Clock } from '../system/clock.ts';
import type { Transport } from '../system/http/transport.ts';
import type { Random } from '../system/random.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { createEngine, type EngineAccounts } from './delivery.ts';

const COMMIT_MS_MAX = 3;
const NO_FILES: FileSource = {
  has: () => false,
  read(): never {
    throw new Error('a world has no uploads');
  },
};

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

type Platforms = ReadonlyMap<string, Platform>;

// Those whose accounts the world has.
async function openPlatforms(ports: WorldPorts, settings: Settings): Promise<Platforms> {
  const platforms = new Map<string, Platform>();
  for (const name of new Set(ports.accounts.map(({ id }) => platformOf(id)))) {
    platforms.set(name, await openPlatform(name, ports, settings));
  }
  return platforms;
}

async function openPlatform(
  name: string,
  { clock, transport, wires }: Pick<WorldPorts, 'clock' | 'transport' | 'wires'>,
  settings: Settings,
): Promise<Platform> {
  const definition = PLATFORMS.find((each) => each.name === name);
  assert(definition !== undefined, 'a world is of platforms that there are');
  return definition.open({
    settings: { ...settings },
    clock,
    connect: () => wires?.get(name) ?? transport,
    sandbox: null,
    files: NO_FILES,
    reusesFiles: true,
    isLoopback: true,
    warn: () => {},
  });
}

// A group commit: commands that come while one is under way share the next moment, in order.
function groupedDelay(clock: Clock, random: Random, msMax: number): () => Promise<void> {
  let next: Promise<void> | null = null;
  return () => {
    next ??= new Promise((resolve) => {
      clock.schedule(clock.now() + msMax * random.next(), () => {
        next = null;
        resolve();
      });
    });
    return next;
  };
}

function worldAccounts(
  ports: WorldPorts,
  { platforms, settings }: { platforms: Platforms; settings: Settings },
  journal: Pick<AccountStore, 'saveAccount'>,
  refused: Set<string>,
): EngineAccounts {
  const tokens = new Map(ports.accounts.map(({ id, token }) => [id, token]));
  const stateOf = (id: string) => ({
    paused: false,
    refused: refused.has(id) ? ACCOUNT_REFUSED : null,
  });
  return {
    platformOf: (id) => {
      const platform = platforms.get(platformOf(id))!;
      return { platform, priors: platform.limits, host: platform.name, settings };
    },
    get: stateOf,
    list: () => ports.accounts.map(({ id }) => ({ id, platform: platformOf(id), ...stateOf(id) })),
    credentialOf: (id) => tokens.get(id) ?? null,
    setRefused(id, reason) {
      if (reason === null) refused.delete(id);
      else refused.add(id);
      const createdAt = ports.clock.now();
      const account = { id, platform: platformOf(id), sealed: '', paused: false, createdAt };
      return journal.saveAccount({ ...account, refused: reason });
    },
    setPaused: async () => true,
  };
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
    const appended = await this.#road.submit(this.#deliveryOf(message));
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
    return this.#road.limits(null).flatMap(({ account, chat, rules }) =>
      rules
        .filter(({ learned }) => learned < 1)
        .map(({ name, count, perMs, learned }) => ({
          account,
          chat,
          rule: name,
          share: learned,
          perSecond: (count * 1000) / perMs,
        })),
    );
  }

  #deliveryOf(message: WorldMessage): NewDelivery {
    const { account, params, priority, live, final, notBefore, expiresAt, thread } = message;
    const platform = this.#platforms.get(platformOf(account))!;
    const call = platform.calls.describe(message.method, params);
    assert(call.kind === 'call', 'the world only makes calls');
    return {
      account,
      platform: platform.name,
      chat: call.chat,
      thread,
      session: null,
      user: null,
      correlation: null,
      method: call.method,
      family: call.family,
      gate: message.isReply && call.gate === 'broadcast' ? 'reply' : call.gate,
      priority,
      cost: call.cost,
      live,
      final,
      slot: message.slot === undefined ? call.slot : message.slot,
      notBefore,
      expiresAt,
      acceptedAt: this.#clock.now(),
      idempotencyKey: null,
      body: JSON.stringify(params),
    };
  }
}
