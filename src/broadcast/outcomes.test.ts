import { expect, test } from 'vitest';
import { aQueued } from '../domain/delivery.fixture.ts';
import type { State } from '../domain/delivery.ts';
import type { Interest, RoadEvent, RoadListener } from '../domain/event.ts';
import type { Platform } from '../platforms/platform.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { Outcomes, type OutcomesParts, Refusals } from './outcomes.ts';
import type { Running } from './running.ts';

const REFUSED = 'bot_blocked';
const platforms = new Map([
  ['telegram', { broadcast: { unreachable: [REFUSED] } } as unknown as Platform],
]);

function moved(seq: number, to: State, reason: string | null = null): RoadEvent {
  const about = { ...aQueued({ seq }), id: `x-${seq}`, correlation: `x-${seq}` };
  return { kind: 'moved', at: 1, about, from: 'sending', to, reason, dueAt: 0, ageMs: 1 };
}

// `isBlocked`: some chat refuses an account since before the start.
function open(isBlocked: boolean) {
  const listening = new Map<Interest, RoadListener>();
  const road = {
    place: () => null,
    listen(listener: RoadListener, interest: Interest) {
      listening.set(interest, listener);
      return () => listening.delete(interest);
    },
  } as unknown as OutcomesParts['road'];
  const broadcasts = {
    isBlocked: async () => isBlocked,
    block: async () => {},
    unblock: async () => 0,
    settle: async () => ({ done: [] }),
  } as unknown as OutcomesParts['broadcasts'] & ConstructorParameters<typeof Refusals>[0];
  const nothing = () => {};
  const outcomes = new Outcomes({
    ...{ clock: virtualClock(0), broadcasts, road, log: { warn: nothing } },
    ...{ ledger: { getMany: async () => [] }, refusals: new Refusals(broadcasts, platforms) },
    ...{ freed: nothing, unwanted: nothing, finished: nothing, count: nothing },
  });
  return { outcomes, listening, interests: () => [...listening.keys()].sort() };
}

const running = {
  outstanding: 0,
  state: 'running',
  endOf: (state: State) => ({ state, reason: null }),
  rate: { note: () => {} },
} as unknown as Running;

test('what is sent is listened to until it is known that nobody refuses anybody', async () => {
  const none = open(false);
  expect(none.interests()).toEqual(['routine', 'trouble']);
  await none.outcomes.start();
  expect(none.interests()).toEqual(['trouble']);
  const some = open(true);
  await some.outcomes.start();
  expect(some.interests()).toEqual(['routine', 'trouble']);
});

test('and again while something of a broadcast is on the road', async () => {
  const { outcomes, listening, interests } = open(false);
  await outcomes.start();
  outcomes.follow(running, 7);
  expect(interests()).toEqual(['routine', 'trouble']);
  outcomes.noted(7);
  await outcomes.save();
  expect(interests()).toEqual(['routine', 'trouble']);
  listening.get('routine')!(moved(7, 'sent'));
  await outcomes.save();
  expect(interests()).toEqual(['trouble']);
});

test('and from the first refusal on', async () => {
  const { outcomes, listening, interests } = open(false);
  await outcomes.start();
  listening.get('trouble')!(moved(9, 'dead', REFUSED));
  await outcomes.save();
  expect(interests()).toEqual(['routine', 'trouble']);
});
