import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { aQueued } from '../domain/delivery.fixture.ts';
import type { Interest, RoadEvent } from '../domain/event.ts';
import type { Ended } from '../road/road.ts';
import { RoadEvents } from './events.ts';
import type { AttemptReport } from './settle.ts';

const queued = aQueued();

function report(state: 'sent' | 'dead'): AttemptReport {
  const outcome =
    state === 'sent'
      ? { kind: 'sent', messageId: '7', result: '{}' }
      : { kind: 'failed', reason: 'x', detail: '', result: null };
  const settled = { kind: 'settled', state, queued: null, supersededBy: null };
  const learned = { freezes: [], records: [] };
  const times = { startedAt: 1, endedAt: 2 };
  return { n: 1, outcome, settled, learned, body: null, ...times } as unknown as AttemptReport;
}

function open(interest?: Interest) {
  const events = new RoadEvents('abcde', (_stage, error) => expect.unreachable(String(error)));
  const heard: string[] = [];
  const listener = (event: RoadEvent) => {
    heard.push(event.kind === 'moved' ? event.to : event.kind);
  };
  return { events, heard, unlisten: events.listen(listener, interest) };
}

function tellAll(events: RoadEvents): void {
  events.accepted(queued, 1);
  events.attempted(queued, report('sent'));
  events.attempted(queued, report('dead'));
  events.moved(queued, 'queued', 'expired', 'expired', 3);
}

test('who has no special interest is told everything, in order', () => {
  const { events, heard, unlisten } = open();
  tellAll(events);
  const all = ['accepted', 'attempted', 'sent', 'attempted', 'dead', 'expired'];
  expect(heard).toEqual(all);
  unlisten();
  tellAll(events);
  expect(heard).toEqual(all);
});

test('routine is told apart from trouble', () => {
  const routine = open('routine');
  tellAll(routine.events);
  expect(routine.heard).toEqual(['accepted', 'attempted', 'sent']);
  routine.unlisten();
  tellAll(routine.events);
  expect(routine.heard).toHaveLength(3);
  const trouble = open('trouble');
  tellAll(trouble.events);
  expect(trouble.heard).toEqual(['attempted', 'dead', 'expired']);
  trouble.unlisten();
  tellAll(trouble.events);
  expect(trouble.heard).toHaveLength(3);
});

test('all is counted, whether or not anybody listens', () => {
  const { events, unlisten } = open();
  unlisten();
  tellAll(events);
  expect(events.counts).toEqual({
    ...{ accepted: 1, sent: 1, limited: 0, failed: 1, dead: 1, events: 6 },
  });
});

test('however many wait until the same signal, it has one listener, and none when nobody waits', async () => {
  const { waiters } = open().events;
  const { signal } = new AbortController();
  const ends = [waiters.wait(1, signal), waiters.wait(1, signal), waiters.wait(2, signal)];
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  waiters.redirect(1, 3);
  for (const seq of [3, 2]) waiters.finish({ seq, state: 'sent' } as Ended);
  expect((await Promise.all(ends)).map(({ seq }) => seq)).toEqual([3, 3, 2]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a signal ends the waiting of all who wait with it, and of nobody else', async () => {
  const { waiters } = open().events;
  const leaving = new AbortController();
  const left = [1, 1, 2].map((seq) => waiters.wait(seq, leaving.signal));
  const staying = waiters.wait(1, new AbortController().signal);
  waiters.redirect(2, 3);
  leaving.abort('gone');
  const ends = await Promise.allSettled(left);
  expect(ends).toEqual(Array(3).fill({ status: 'rejected', reason: 'gone' }));
  await expect(waiters.wait(1, leaving.signal)).rejects.toBe('gone');
  for (const seq of [1, 3]) waiters.finish({ seq, state: 'sent' } as Ended);
  expect(await staying).toMatchObject({ seq: 1 });
});
