import { describe, expect, test } from 'vitest';
import { GROUP, liveWorld } from './live/world.ts';

const NEVER = new AbortController().signal;

describe('a stream that is edited', () => {
  test('its first words are shown at once, the newest at the pace of the chat, and the final is last', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await world.done(world.live.change(id, { kind: 'append', text: 'One' }));
    await world.run(300);
    expect(world.texts()).toEqual(['One']);
    for (const word of [' two', ' three', ' four']) {
      await world.done(world.live.change(id, { kind: 'append', text: word }));
      await world.run(500);
    }
    expect(world.texts()).toEqual(['One']);
    await world.run(3000);
    expect(world.texts()).toEqual(['One two three four']);
    const final = await world.done(world.live.final(id, { kind: 'append', text: ' five.' }));
    expect(final).toMatchObject({ kind: 'taken', view: { state: 'finishing' } });
    const ended = await world.done(world.live.ended(id, NEVER));
    expect(ended).toMatchObject({ state: 'done', units: 24, shownUnits: 24, superseded: 2 });
    expect(world.texts()).toEqual(['One two three four five.']);
    expect(world.calls.map(({ method }) => method)).toEqual([
      'sendMessage',
      'editMessageText',
      'editMessageText',
    ]);
    expect(world.live.list()).toEqual([]);
    expect(await world.done(world.live.change(id, { kind: 'append', text: '!' }))).toMatchObject({
      kind: 'ended',
      view: { state: 'done' },
    });
    expect(world.texts(GROUP)).toHaveLength(1);
  });
});
