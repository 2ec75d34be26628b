// Broadcasts in a world: the real road on a memory store, a virtual clock and the simulated Telegram, which sees every
// call. A crash drops the process and opens the next one on the same disk; what it had sent goes on without it.

import { createEngine, type EngineAccounts } from '../app/delivery.ts';
import { defaultConfig, type Settings } from '../config/config.ts';
import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import { createTelegram, telegramPriors } from '../platforms/telegram/telegram.ts';
import {
  createTelegramModel,
  type JudgedCall,
  NO_FAULTS,
  type SimTelegramOptions,
  simTransport,
} from '../sim/sim.ts';
import { incarnate } from '../sim/world/incarnation.ts';
import { createMemoryDisk, createMemoryStore, type MemoryHooks } from '../store/memory/memory.ts';
import { Periodic } from '../system/periodic.ts';
import { seededRandom } from '../system/random.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { type BroadcastRequest, createBroadcasting } from './broadcast.ts';

export const START = 1_900_000_000_000;
export const ACCOUNT: AccountId = 'telegram:1';
const TOKEN = '1:token';

export interface BroadcastWorldOptions {
  readonly settings?: Partial<Settings>;
  readonly telegram?: Partial<SimTelegramOptions>;
  readonly hooks?: (clock: ReturnType<typeof virtualClock>) => MemoryHooks;
  readonly seed?: number;
  // What the wall clock has been set by; left out: it cannot be.
  readonly stepMs?: () => number;
  // Faults that were contained; left out: there must be none.
  readonly report?: ReportFault;
}

export function aWorld(options: BroadcastWorldOptions = {}) {
  const clock = virtualClock(START);
  const random = seededRandom(options.seed ?? 1);
  const calls: JudgedCall[] = [];
  const onCall = (call: JudgedCall) => void calls.push(call);
  const model = createTelegramModel({ options: options.telegram ?? {}, onCall });
  const network = { latencyMs: 20, jitterMs: 20 };
  const wire = simTransport({ model, clock, random, network, faults: NO_FAULTS });
  const disk = createMemoryDisk();
  const settings = { ...defaultConfig(), ...options.settings };
  let life = incarnate(clock, wire);
  const open = () => {
    const store = createMemoryStore(disk, options.hooks?.(clock) ?? {});
    const platform = createTelegram({ transport: life.transport });
    const fatal = (error: unknown) => {
      throw error;
    };
    const accounts = accountsOf(platform, settings);
    const report = options.report ?? ((_stage: unknown, error: unknown) => fatal(error));
    const { stepMs } = options;
    const lifeClock = stepMs === undefined ? life.clock : { ...life.clock, stepMs };
    const parts = { ...store, clock: lifeClock, report, fatal };
    const engine = createEngine({
      ...{ ...parts, periodic: new Periodic(lifeClock) },
      ...{ random, settings, accounts },
    });
    const counted: string[] = [];
    const makeRoom = () =>
      createBroadcasting({
        ...parts,
        periodic: new Periodic(lifeClock, () => {}),
        road: engine.road,
        platforms: new Map([[platform.name, platform]]),
        rulesOf: (_account, charge) => accounts.platformOf(ACCOUNT).priors.planOf(charge).account,
        settingsOf: () => settings,
        settings,
        count: (_platform, end) => void counted.push(end),
        log: { info: () => {}, warn: () => {} },
      });
    const broadcasting = makeRoom();
    return { ...store, engine, road: engine.road, broadcasting, makeRoom, platform, counted };
  };
  const world = {
    clock,
    model,
    calls,
    disk,
    now: open(),
    run: (ms: number) => clock.run(clock.now() + ms),
    async start() {
      await settled(clock, world.now.engine.dispatch.start());
      await settled(clock, world.now.broadcasting.start());
    },
    // Another user of the same road.
    renew() {
      world.now.broadcasting = world.now.makeRoom();
    },
    // Back after so long.
    async crash(downMs = 0) {
      life.end();
      await clock.run(clock.now() + downMs);
      life = incarnate(clock, wire);
      world.now = open();
      await world.start();
    },
    async stop() {
      await settled(clock, world.now.broadcasting.stop(1000));
      await settled(clock, world.now.engine.dispatch.stop(1000));
    },
  };
  return world;
}

export type BroadcastWorld = ReturnType<typeof aWorld>;

// Lets virtual time pass until it has.
export async function settled<T>(clock: BroadcastWorld['clock'], promise: Promise<T>): Promise<T> {
  let isDone = false;
  const watched = promise.finally(() => {
    isDone = true;
  });
  watched.catch(() => {});
  await clock.run(clock.now());
  while (!isDone) await clock.run(clock.now() + 1);
  return watched;
}

function accountsOf(
  platform: ReturnType<typeof createTelegram>,
  settings: Settings,
): EngineAccounts {
  const { privatePerS, broadcastPerS, groupMpm } = settings;
  const priors = telegramPriors({ privatePerS, broadcastPerS, groupMpm });
  const state = { paused: false, refused: null };
  return {
    platformOf: () => ({ platform, priors, host: platform.name, settings }),
    get: () => state,
    list: () => [{ id: ACCOUNT, platform: platform.name, ...state }],
    credentialOf: () => TOKEN,
    setRefused: async () => {},
    setPaused: async () => true,
  };
}

// To chats 1001, 1002, …; each knows its name.
export async function broadcastTo(
  world: BroadcastWorld,
  count: number,
  changes: Partial<BroadcastRequest> = {},
): Promise<string> {
  const { broadcasting } = world.now;
  const draft = (await settled(world.clock, broadcasting.openAudience(null)))!;
  const members = Array.from({ length: count }, (_, i) => {
    return { chat: String(1001 + i), fields: { name: `n${i + 1}` } };
  });
  await settled(world.clock, draft.add(members));
  const made = await settled(
    world.clock,
    broadcasting.create({
      account: ACCOUNT,
      platform: 'telegram',
      audience: { kind: 'own', draft },
      name: null,
      correlation: null,
      method: 'sendMessage',
      body: { text: 'hello {{name}}' },
      priority: 'low',
      notBefore: 0,
      key: null,
      ...changes,
    }),
  );
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.view.id;
}
