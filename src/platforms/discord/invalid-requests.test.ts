import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { InvalidRequests } from './invalid-requests.ts';

const START = 1_800_000_000_000;
const WINDOW_MS = 600_000;
const FORBIDDEN = { kind: 'answered', status: 403, headers: {}, body: '{}' } as const;

function counted(max: number) {
  const clock = virtualClock(START);
  const lines: { message: string; fields: object }[] = [];
  const invalid = new InvalidRequests(clock, max, (fields, message) => {
    lines.push({ fields, message });
  });
  return { clock, lines, invalid };
}

test('a channel that refuses is told of once, and as a trouble while it is called', async () => {
  const { clock, lines, invalid } = counted(5000);
  for (let i = 0; i < 9; i++) invalid.answered('9 77', FORBIDDEN);
  expect([invalid.troubles(), lines]).toEqual([[], []]);
  for (let i = 0; i < 20; i++) invalid.answered('9 77', FORBIDDEN);
  const summary = expect.stringContaining('77 to discord:9');
  const trouble = { code: 'channel_refused', severity: 'warning', until: null, summary };
  expect(invalid.troubles()).toMatchObject([trouble]);
  expect(lines).toMatchObject([{ message: summary, fields: { code: 'channel_refused' } }]);
  for (let i = 0; i < 10; i++) invalid.answered('9 78', FORBIDDEN);
  expect(invalid.troubles()).toHaveLength(1);
  invalid.answered('9 78', { ...FORBIDDEN, status: 200 });
  await clock.run(START + WINDOW_MS + 60_000);
  expect(invalid.troubles()).toEqual([]);
});

test('of many channels a few are named', () => {
  const { invalid } = counted(5000);
  for (let i = 0; i < 50; i++) invalid.answered(`9 ${i % 5}`, FORBIDDEN);
  expect(invalid.troubles()).toMatchObject([
    { summary: expect.stringMatching(/0 to .*1 to .*2 to discord:9 and 2 more/) },
  ]);
});

test('when the budget is spent that comes first, and is told once in a window', async () => {
  const { clock, lines, invalid } = counted(100);
  const refuse = (place: number) => invalid.answered(`9 ${place}`, FORBIDDEN);
  for (let i = 0; i < 99; i++) refuse(i);
  expect(invalid.troubles()).toEqual([]);
  await clock.run(START + 1000);
  refuse(99);
  const until = START + WINDOW_MS;
  const trouble = { code: 'invalid_requests', severity: 'critical', until };
  expect(invalid.troubles()).toMatchObject([trouble]);
  // Calls that were in flight.
  for (let i = 0; i < 9; i++) refuse(100 + i);
  const message = expect.stringContaining('refused 100 calls');
  expect(lines).toMatchObject([{ message, fields: { until: new Date(until).toISOString() } }]);
  await clock.run(until);
  expect(invalid.troubles()).toEqual([]);
  for (let i = 0; i < 100; i++) refuse(i);
  expect(lines).toHaveLength(1);
  await clock.run(START + 1000 + WINDOW_MS);
  for (let i = 0; i < 100; i++) refuse(i);
  expect(lines).toHaveLength(2);
});
