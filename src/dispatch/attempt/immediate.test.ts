import { expect, test } from 'vitest';
import { aRoad, message, SENT, submit } from '../dispatch.fixture.ts';

test('nothing goes at once past what was handed over before it and is still being written', async () => {
  const { dispatch, road, calls, run } = aRoad(() => SENT);
  await dispatch.start();
  // An edit has a slot, so it takes the ordinary way; a plain message could take the short one.
  const edit = message({ method: 'edit', family: 'edit', slot: 's', body: '"1"' });
  await Promise.all([road.submit(edit), submit(road, { body: '"2"' })]);
  await run(5000);
  expect(calls.map(({ body }) => body)).toEqual(['"1"', '"2"']);
  // And when it is written, the short way is open again.
  await submit(road, { body: '"3"' });
  expect(calls.map(({ body }) => body)).toEqual(['"1"', '"2"', '"3"']);
});

test('what is still being written in one chat does not close the short way to another', async () => {
  const { dispatch, road, calls } = aRoad(() => SENT);
  await dispatch.start();
  const edit = message({ method: 'edit', family: 'edit', slot: 's', body: '"1"' });
  const both = [road.submit(edit), submit(road, { chat: 'other', body: '"2"' })];
  await Promise.all(both);
  expect(calls.map(({ body }) => body)).toContain('"2"');
});

test('an account with one order lets nothing past, in whichever chat', async () => {
  const { dispatch, road, calls, run } = aRoad(() => SENT, { order: 'platform' });
  await dispatch.start();
  const edit = message({ method: 'edit', family: 'edit', slot: 's', body: '"1"' });
  await Promise.all([
    road.submit(edit),
    submit(road, { chat: 'other', body: '"2"', priority: 'critical' }),
    submit(road, { chat: 'third', body: '"3"' }),
  ]);
  await run(5000);
  expect(calls.map(({ body }) => body)).toEqual(['"1"', '"2"', '"3"']);
});
