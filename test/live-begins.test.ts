// The message that a text grows from is its first showing: sent as any other, it counts as live output of its chat as
// soon as edits make it one, so that answers and commands keep their reserve.

import { describe, expect, test } from 'vitest';
import { delivery, sendFirst } from './live/edits.ts';
import { ACCOUNT, GROUP, type LiveWorld, liveWorld } from './live/world.ts';

const MINUTE_MS = 60_000;
const OUTPUT_MPM = 16;
const COMMANDS = 4;
const COMMAND = 'command';

// In the topic of its message.
function edit(world: LiveWorld, messageId: string, text: string, sendOptions = {}) {
  const params = { chat_id: GROUP, message_id: Number(messageId), text };
  const asked = delivery(world, 'editMessageText', params, sendOptions);
  return world.live.edits.submit({ ...asked, thread: `topic of ${messageId}` });
}

async function editAll(world: LiveWorld, ids: readonly string[], until: number): Promise<void> {
  while (world.clock.now() < until) {
    for (const id of ids) void edit(world, id, `${id}: ${world.clock.now()}`);
    await world.run(250);
  }
}

// How often a rule of the group has been used in the last minute.
function used(world: LiveWorld, rule: string): number {
  const group = world.road.limits(ACCOUNT).find(({ chat }) => chat === GROUP);
  return group?.rules.find(({ name }) => name === rule)?.used ?? 0;
}

// But for commands, the most that came on the screen in any minute.
function mostInMinute(world: LiveWorld): number {
  const times = world.calls
    .filter(({ acceptedAt, text }) => acceptedAt !== null && !text.startsWith(COMMAND))
    .map(({ acceptedAt }) => acceptedAt!);
  const within = times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS));
  return Math.max(...within.map(({ length }) => length));
}

test('the messages that sessions begin with leave the reserve to commands, as their edits do', async () => {
  const world = await liveWorld();
  const from = world.clock.now();
  const ids = await world.done(sendFirst(world, OUTPUT_MPM));
  await editAll(world, ids, from + 57_000);
  const askedAt = world.clock.now();
  for (let n = 0; n < COMMANDS; n++) {
    const params = { chat_id: GROUP, text: `${COMMAND} ${n}` };
    void world.live.edits.submit(delivery(world, 'sendMessage', params));
  }
  await editAll(world, ids, from + 3 * MINUTE_MS);
  expect(mostInMinute(world)).toBeLessThanOrEqual(OUTPUT_MPM);
  const commands = world.calls.filter(({ text }) => text.startsWith(COMMAND));
  expect(commands).toHaveLength(COMMANDS);
  const lateMs = commands.map(({ acceptedAt }) => acceptedAt! - askedAt);
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(4000);
  expect(world.calls.filter(({ status }) => status === 429)).toEqual([]);
});

describe('a message that a session begins with', () => {
  async function sent(count: number) {
    const world = await liveWorld();
    const ids = await world.done(sendFirst(world, count));
    expect(used(world, 'group_minute')).toBe(count);
    expect(used(world, 'group_output')).toBe(0);
    return { world, ids };
  }

  test.each([
    ['an edit', {}],
    ['a final', { final: true }],
  ])('counts from the first that makes it one: %s', async (_, sendOptions) => {
    const { world, ids } = await sent(2);
    await world.done(edit(world, ids[0]!, 'a', sendOptions));
    const isPreview = !('final' in sendOptions);
    await world.run(3000);
    expect(used(world, 'group_output')).toBe(isPreview ? 2 : 1);
    expect(used(world, 'group_minute')).toBe(3);
  });

  test('counts once, and since it was sent', async () => {
    const { world, ids } = await sent(1);
    const sentAt = world.calls[0]!.acceptedAt!;
    await editAll(world, ids, sentAt + 2000);
    await world.run(30_000);
    const counted = used(world, 'group_output');
    expect(counted).toBeGreaterThan(1);
    // A session anew, whose first edit goes as any other, and whose last is taken for a final.
    await editAll(world, ids, world.clock.now() + 1000);
    await world.clock.run(sentAt + 59_500);
    expect(used(world, 'group_output')).toBe(counted);
    await world.clock.run(sentAt + 60_500);
    expect(used(world, 'group_output')).toBe(counted - 1);
  });

  test('counts after a restart, too', async () => {
    const { world, ids } = await sent(3);
    const [grown, silent] = ids as [string, string, string];
    await editAll(world, [grown], world.clock.now() + 6000);
    await world.run(5000);
    const before = used(world, 'group_output');
    const edits = world.calls.filter(({ method }) => method === 'editMessageText').length;
    expect(before).toBeGreaterThan(1);
    await world.crash();
    expect(used(world, 'group_output')).toBe(edits + 1);
    expect(used(world, 'group_minute')).toBe(edits + 3);
    // One whose edits come after it; the first of them goes as any other.
    await world.done(edit(world, silent, 'a'));
    await world.run(3000);
    const counted = used(world, 'group_output');
    await world.done(edit(world, silent, 'b'));
    await world.run(200);
    expect(used(world, 'group_output')).toBeGreaterThanOrEqual(counted + 1);
    await world.run(10_000);
    expect(used(world, 'group_output')).toBe(counted + 2);
  });
});
