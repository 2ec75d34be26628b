// Edits that go back to a text from before: the last one is what stays.

import { expect, test } from 'vitest';
import { delivery, send } from './live/edits.ts';
import { GROUP, type LiveWorld, liveWorld } from './live/world.ts';

// As the drop-in takes it: what its message shows already needs no call.
function edit(world: LiveWorld, message: string, text: string): boolean {
  const params = { chat_id: GROUP, message_id: Number(message), text };
  const asked = delivery(world, 'editMessageText', params);
  if (world.live.edits.unchanged(asked) !== null) return false;
  void world.live.edits.submit(asked);
  return true;
}

async function shownOnce() {
  const world = await liveWorld();
  const message = await send(world, { chat_id: GROUP, text: 'begun' });
  await world.run(5000);
  edit(world, message, 'idle');
  await world.run(5000);
  expect(world.texts()).toEqual(['idle']);
  return { world, message };
}

test('what is shown already needs no call, unless another text waits for its turn', async () => {
  const { world, message } = await shownOnce();
  expect(edit(world, message, 'idle')).toBe(false);
  // Shown at once; the next is held, for a message that goes back to the first.
  edit(world, message, 'starting');
  await world.run(1000);
  expect(world.texts()).toEqual(['starting']);
  edit(world, message, 'busy');
  await world.run(200);
  expect(edit(world, message, 'starting')).toBe(true);
  await world.run(30_000);
  expect(world.texts()).toEqual(['starting']);
  // Nothing waits any more.
  expect(edit(world, message, 'starting')).toBe(false);
});
