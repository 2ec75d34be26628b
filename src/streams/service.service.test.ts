// Live output as a service: on a store whose saves end when the test says so.

import { createTelegram } from '../platforms/telegram/telegram.ts';
import type { AskedRoad } from '../road/road.ts';
import { FIRST_EPOCH, type Kept } from '../store/ports/ownership.ts';
import { Periodic } from '../system/periodic.ts';
import { seededRandom } from '../system/random.ts';
import { serviceContract } from '../system/service.contract.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { LiveStreams } from './service.ts';
import { aNewStream } from './stream-state.fixture.ts';

const SETTINGS = {
  rates: null,
  ...{ qos: true, strategy: null, activeWindowMs: 10_000, tickMsMin: 300 },
  ...{ chunkSpacingMs: 10_000, outputMpmMax: null },
};

serviceContract('live output', async () => {
  const clock = virtualClock(1_700_000_000_000);
  const platform = createTelegram({ transport: null as never });
  const saved = Promise.withResolvers<Kept>();
  let deeds = 0;
  const counting = {
    now: () => clock.now(),
    schedule: (at: number, run: () => void) =>
      clock.schedule(at, () => {
        deeds += 1;
        run();
      }),
  };
  const service = new LiveStreams({
    journal: {
      streams: {
        save: () => saved.promise,
        get: async () => null,
        open: async () => [],
        prune: async () => 0,
      },
    },
    owners: { of: (account) => ({ account, epoch: FIRST_EPOCH }), lost: () => {} },
    // Nothing of a stream without a word goes over the road.
    road: { listen: () => () => {} } as unknown as AskedRoad,
    clock: counting,
    periodic: new Periodic(counting),
    random: seededRandom(1),
    platforms: new Map([[platform.name, platform]]),
    report: (_stage, error) => {
      throw error;
    },
    streamsMax: 1000,
    unitsMax: 1000,
    budgetFor: (_account, call) => call.budget,
    settingsOf: () => SETTINGS,
    publish: () => {},
  });
  const work = {
    async begin() {
      void service.open(aNewStream({ idleMs: Number.MAX_SAFE_INTEGER }));
    },
    finish: () => saved.resolve({ kind: 'kept' }),
  };
  return { service, clock, deeds: () => deeds, work };
});
