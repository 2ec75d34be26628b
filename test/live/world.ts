// A small world for live output: the real road and the real room on a store in memory and a virtual clock, against the
// simulated Telegram. It can be crashed and started again on the same disk.

import { createEngine } from '../../src/app/delivery.ts';
import { defaultConfig } from '../../src/config/config.ts';
import { writingAs } from '../../src/dispatch/hand-over.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import type { LiveEvent } from '../../src/domain/live.ts';
import { LIVE_OUTPUT } from '../../src/platforms/telegram/live-output.ts';
import { createTelegram, telegramPriors } from '../../src/platforms/telegram/telegram.ts';
import {
  createTelegramModel,
  type Faults,
  type JudgedCall,
  type Network,
  NO_FAULTS,
  type SimTelegramOptions,
  simTransport,
} from '../../src/sim/sim.ts';
import { createMemoryDisk, createMemoryStore } from '../../src/store/memory/memory.ts';
import { JournalUnavailable } from '../../src/store/ports/unavailable.ts';
import { withObservers } from '../../src/streams/observers.ts';
import type { LiveSettings } from '../../src/streams/policy.ts';
import { LiveStreams } from '../../src/streams/service.ts';
import { aNewStream } from '../../src/streams/stream-state.fixture.ts';
import type { NewStream } from '../../src/streams/streams.ts';
import type { Clock } from '../../src/system/clock.ts';
import { Periodic } from '../../src/system/periodic.ts';
import { seededRandom } from '../../src/system/random.ts';
import { virtualClock } from '../../src/system/virtual-clock.ts';

export const START = 1_700_000_000_000;
export const { account: ACCOUNT, chat: GROUP } = aNewStream();
// A second account, whose streams may observe the first's.
export const OBSERVING: AccountId = 'telegram:2';
const TOKENS = new Map([
  [ACCOUNT, '1:simulated'],
  [OBSERVING, '2:simulated'],
]);
const TOKEN = TOKENS.get(ACCOUNT)!;
const NETWORK: Network = { latencyMs: 40, jitterMs: 30 };
const COMMIT_MS_MAX = 3;
const START_MS = 50;

export interface WorldOptions {
  readonly seed?: number;
  readonly telegram?: Partial<SimTelegramOptions>;
  readonly settings?: Partial<LiveSettings>;
  readonly queueMax?: number;
  readonly streamsMax?: number;
  readonly faults?: Faults;
  // Of a fleet; left out: all accounts are this process's.
  readonly owns?: (account: string) => boolean;
  readonly network?: Network;
  readonly commitMsMax?: number;
}

const SETTINGS: LiveSettings = {
  rates: LIVE_OUTPUT.rates({ draftPerS: 1 }),
  qos: true,
  strategy: null,
  activeWindowMs: 10_000,
  tickMsMin: 300,
  chunkSpacingMs: 10_000,
  outputMpmMax: null,
};

export async function liveWorld(options: WorldOptions = {}) {
  const clock = virtualClock(START);
  const random = seededRandom(options.seed ?? 1);
  const calls: JudgedCall[] = [];
  const model = createTelegramModel({
    options: options.telegram ?? {},
    onCall: (call) => calls.push(call),
  });
  const disk = createMemoryDisk();
  const events: LiveEvent[] = [];
  const config = { ...defaultConfig(), queueMax: options.queueMax ?? 10_000 };
  const settings = { ...SETTINGS, ...options.settings };
  const { network = NETWORK, commitMsMax = COMMIT_MS_MAX } = options;

  const broken = { isBroken: false };

  // One process: everything in it ends with its wall clock.
  const start = async () => {
    const alive: Alive = { is: true, stillUntil: 0 };
    const own = mortal(clock, alive);
    const delay = () =>
      new Promise<void>((done) => {
        own.schedule(own.now() + commitMsMax * random.next(), done);
      });
    const commits = inOrder(delay);
    const written = async () => {
      await commits();
      if (broken.isBroken) throw new JournalUnavailable('disk_full', 'the disk is full');
    };
    const store = createMemoryStore(disk, { beforeApply: written, afterApply: commits });
    const faults = options.faults ?? NO_FAULTS;
    const transport = simTransport({ model, clock: own, random, network, faults });
    const telegram = createTelegram({ transport });
    const platforms = new Map([[telegram.name, telegram]]);
    const state = { paused: false, refused: null };
    const periodic = new Periodic(own);
    const { dispatch, road } = createEngine({
      ...store,
      clock: own,
      periodic,
      random,
      settings: config,
      accounts: {
        platformOf: () => ({
          platform: telegram,
          priors: telegramPriors({}),
          host: 'telegram',
          settings: config,
        }),
        get: () => state,
        list: () => [...TOKENS.keys()].map((id) => ({ id, platform: 'telegram', ...state })),
        credentialOf: (account) => TOKENS.get(account)!,
        setRefused: async () => {},
        setPaused: async () => true,
      },
      report: (_stage, error) => {
        throw error;
      },
      fatal: (error) => {
        throw error;
      },
    });
    const live = new LiveStreams({
      ...store,
      road,
      clock: own,
      periodic,
      random,
      platforms,
      streamsMax: options.streamsMax ?? 1000,
      unitsMax: 100_000,
      owners: writingAs(dispatch.state, own),
      ...(options.owns === undefined ? {} : { owns: options.owns }),
      budgetFor: (_account, call) => call.budget,
      settingsOf: () => settings,
      publish: (event) => events.push(event),
      report: (_stage, error) => {
        throw error;
      },
    });
    const observed = withObservers(live, {
      clock: own,
      onLost: (lost) => {
        throw new Error(`observer ${lost.observer} was lost: ${lost.reason}`);
      },
    });
    await done(dispatch.start(), START_MS);
    await done(live.start(), START_MS);
    observed.resume();
    await run(START_MS);
    return { alive, road, live, observed, dispatch, store };
  };

  const run = (ms: number) => clock.run(clock.now() + ms);
  // Lets time pass until it is done.
  const done = async <T>(work: Promise<T>, stepMs = 5): Promise<T> => {
    const settled = { is: false };
    const end = () => {
      settled.is = true;
    };
    work.then(end, end);
    while (!settled.is) await run(stepMs);
    return work;
  };

  let process = await start();

  return {
    clock,
    random,
    model,
    calls,
    disk,
    store: broken,
    events,
    run,
    done,
    token: TOKEN,
    aStream: aNewStream,
    get live() {
      return process.live;
    },
    // The same, with those who observe.
    get observed() {
      return process.observed;
    },
    get road() {
      return process.road;
    },
    get dispatch() {
      return process.dispatch;
    },
    // Another node on the same store.
    beside(node: string) {
      return process.store.journal.beside(node);
    },
    // As kill -9 does.
    kill() {
      process.alive.is = false;
    },
    // The machine gives the process no time until then: what comes due or comes in meanwhile is late.
    standStill(until: number) {
      process.alive.stillUntil = Math.max(process.alive.stillUntil, until);
    },
    // What comes in now is read after the timers that are due.
    whenRead(run: () => void) {
      const { stillUntil } = process.alive;
      if (stillUntil <= clock.now()) run();
      else clock.schedule(stillUntil, () => clock.schedule(stillUntil, run));
    },
    // And a new process after it.
    async crash() {
      process.alive.is = false;
      process = await start();
    },
    async open(changes: Partial<NewStream> = {}) {
      const opened = await done(process.live.open(aNewStream(changes)));
      if (opened.kind !== 'opened') throw new Error(opened.kind);
      return opened.view.id;
    },
    // The messages of a chat as people see them.
    texts(chat: string = GROUP): string[] {
      return model
        .messagesOf(chat)
        .filter(({ isDeleted }) => !isDeleted)
        .map(({ text }) => text);
    },
    waiting(): number {
      const { critical, high, normal, low } = process.road.depths();
      return critical + high + normal + low;
    },
  };
}

export type LiveWorld = Awaited<ReturnType<typeof liveWorld>>;

interface Alive {
  is: boolean;
  // The machine has given it no time until then.
  stillUntil: number;
}

function mortal(clock: Clock, alive: Alive): Clock {
  return {
    now: () => clock.now(),
    schedule(at, run) {
      let timer = clock.schedule(at, function due() {
        if (!alive.is) return;
        if (alive.stillUntil > clock.now()) timer = clock.schedule(alive.stillUntil, due);
        else run();
      });
      return { cancel: () => timer.cancel() };
    },
  };
}

// A group commit: commands that come while one is under way share the next moment, in order.
function inOrder(delay: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | null = null;
  return () => {
    next ??= delay().then(() => {
      next = null;
    });
    return next;
  };
}
