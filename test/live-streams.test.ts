// Streams against the simulated Telegram, one thing at a time: how they are shown, how they end, what can go wrong.

import { describe, expect, test } from 'vitest';
import { GROUP, type LiveWorld, liveWorld } from './live/world.ts';

const NEVER = new AbortController().signal;
const PERSON = '42';

async function write(world: LiveWorld, id: string, text: string, afterMs = 0): Promise<void> {
  await world.done(world.live.change(id, { kind: 'append', text }));
  await world.run(afterMs);
}

async function end(world: LiveWorld, id: string, text = '') {
  const change = text === '' ? null : { kind: 'append' as const, text };
  const fed = await world.done(world.live.final(id, change));
  expect(fed.kind).toBe('taken');
  return world.done(world.live.ended(id, NEVER));
}

function methodsOf(world: LiveWorld): string[] {
  return world.calls.filter(({ status }) => status === 200).map(({ method }) => method);
}

describe('a stream that is edited', () => {
  test('its first words are shown at once, the newest at the pace of the chat, the final last', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'One', 300);
    expect(world.texts()).toEqual(['One']);
    for (const word of [' two', ' three', ' four']) await write(world, id, word, 500);
    expect(world.texts()).toEqual(['One']);
    await world.run(3000);
    expect(world.texts()).toEqual(['One two three four']);
    const ended = await end(world, id, ' five.');
    expect(ended).toMatchObject({ state: 'done', units: 24, shownUnits: 24, superseded: 2 });
    expect(world.texts()).toEqual(['One two three four five.']);
    expect(methodsOf(world)).toEqual(['sendMessage', 'editMessageText', 'editMessageText']);
    expect(world.live.list()).toEqual([]);
    const late = await world.done(world.live.change(id, { kind: 'append', text: '!' }));
    expect(late).toMatchObject({ kind: 'ended', view: { state: 'done' } });
  });

  test('what is shown already is not said again', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'All of it', 5000);
    const ended = await end(world, id);
    expect(ended).toMatchObject({ state: 'done', finals: [], shownUnits: 9 });
    expect(methodsOf(world)).toEqual(['sendMessage']);
  });

  test('a text that outgrows a message goes on in the next', async () => {
    const world = await liveWorld();
    const id = await world.open();
    const line = `${'word '.repeat(20)}\n`;
    await write(world, id, line.repeat(30), 5000);
    await write(world, id, line.repeat(30), 15_000);
    expect(world.texts()).toHaveLength(2);
    await write(world, id, line.repeat(40), 15_000);
    const ended = await end(world, id, 'The end.');
    expect(ended).toMatchObject({ state: 'done' });
    expect(ended!.messages).toHaveLength(3);
    const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
    expect(words(world.texts().join('\n'))).toEqual(words(`${line.repeat(100)}The end.`));
    expect(world.texts().every((text) => text.length <= 4096)).toBe(true);
  });

  test('messages that a shorter text does not need are removed', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'word '.repeat(1500), 10_000);
    expect(world.texts()).toHaveLength(2);
    await world.done(world.live.change(id, { kind: 'replace', text: 'Short.' }));
    await world.run(15_000);
    expect(world.texts()).toEqual(['Short.']);
    await write(world, id, ' word'.repeat(1500), 15_000);
    await end(world, id);
    expect(world.texts()).toHaveLength(2);
  });

  test('whenever the final comes, there is one message, and nothing after the final', async () => {
    for (let offsetMs = 0; offsetMs < 260; offsetMs += 2) {
      const world = await liveWorld({ seed: offsetMs + 1 });
      const id = await world.open();
      await world.done(world.live.change(id, { kind: 'append', text: 'First' }));
      const started = world.calls.length;
      await world.run(offsetMs);
      await end(world, id, ' and last');
      await world.run(10_000);
      expect(world.texts(), `after ${offsetMs} ms`).toEqual(['First and last']);
      const texts = world.calls.slice(started).map(({ text }) => text);
      expect(texts.indexOf('First and last')).toBe(texts.length - 1);
    }
  });

  test('a final takes the place of a send that was told to wait', async () => {
    const world = await liveWorld();
    world.model.freeze(world.token, GROUP, 600, world.clock.now());
    const id = await world.open();
    await write(world, id, 'First', 1000);
    const [preview] = [...world.disk.deliveries.values()];
    expect(preview).toMatchObject({ method: 'sendMessage', state: 'queued', live: true });
    const ended = end(world, id, ' and last');
    await world.run(1000);
    expect(preview).toMatchObject({ state: 'superseded' });
    expect(world.live.list()[0]!.waitsFor).toContain('frozen');
    await world.run(700_000);
    expect(await ended).toMatchObject({ state: 'done' });
    expect(world.texts()).toEqual(['First and last']);
    expect(methodsOf(world)).toEqual(['sendMessage']);
  });

  test('two finals at once: one is taken, the other is late', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'Text', 500);
    const final = (text: string) => world.live.final(id, { kind: 'append', text });
    const both = await world.done(Promise.all([final(' one'), final(' two')]));
    expect(both.map(({ kind }) => kind)).toEqual(['taken', 'ended']);
    await world.run(5000);
    expect(world.texts()).toEqual(['Text one']);
  });
});

describe('a message that someone deleted', () => {
  async function deleted() {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'Seen', 1000);
    const [message] = world.model.messagesOf(GROUP);
    const params = { chat_id: Number(GROUP), message_id: message!.id };
    world.model.call(world.token, 'deleteMessage', params, world.clock.now());
    return { world, id };
  }

  test('is not followed by previews, but by the final, once', async () => {
    const { world, id } = await deleted();
    await write(world, id, ' and', 10_000);
    await write(world, id, ' not', 10_000);
    expect(world.calls.filter(({ method }) => method === 'editMessageText')).toHaveLength(1);
    const ended = await end(world, id, ' seen');
    expect(ended).toMatchObject({ state: 'done', finals: [expect.any(Number)] });
    expect(world.texts()).toEqual(['Seen and not seen']);
  });

  test('the final that finds out is sent once as a new message', async () => {
    const { world, id } = await deleted();
    const ended = await end(world, id, ' again');
    expect(ended).toMatchObject({ state: 'done' });
    expect(ended!.finals).toHaveLength(2);
    expect(world.texts()).toEqual(['Seen again']);
  });

  test('a chat that takes nothing ends the stream as failed', async () => {
    const world = await liveWorld();
    const id = await world.open();
    world.model.setChat(GROUP, { kind: 'kicked' });
    await write(world, id, 'To nobody', 10_000);
    await write(world, id, ' at all', 10_000);
    expect(world.calls).toHaveLength(1);
    expect(await end(world, id)).toMatchObject({ state: 'failed', reason: 'bot_kicked' });
    expect(world.calls).toHaveLength(2);
  });
});

describe('a stream in a private chat', () => {
  const drafts = (world: LiveWorld) =>
    world.calls.filter(({ method }) => method === 'sendMessageDraft');

  test('is a draft about every second, and a message in the end', async () => {
    const world = await liveWorld();
    const id = await world.open({ chat: PERSON });
    for (let i = 0; i < 30; i++) await write(world, id, ` ${i}`, 300);
    expect(drafts(world).length).toBeGreaterThanOrEqual(7);
    expect(drafts(world).length).toBeLessThanOrEqual(10);
    expect(world.texts(PERSON)).toEqual([]);
    const ended = await end(world, id, ' end');
    expect(ended).toMatchObject({ state: 'done', transport: 'draft' });
    expect(world.texts(PERSON)).toHaveLength(1);
    expect(world.texts(PERSON)[0]).toMatch(/29 end$/);
    expect(world.calls.every(({ status }) => status === 200)).toBe(true);
    expect(world.calls.at(-1)!.method).toBe('sendMessage');
  });

  test('is kept on the screen while its producer thinks', async () => {
    const world = await liveWorld();
    const id = await world.open({ chat: PERSON });
    await write(world, id, 'Let me think', 100_000);
    const times = drafts(world).map(({ arrivedAt }) => arrivedAt);
    expect(times.length).toBeGreaterThanOrEqual(4);
    const gaps = times.slice(1).map((at, i) => at - times[i]!);
    expect(Math.max(...gaps)).toBeLessThan(30_000);
  });

  test('what fills a message becomes one, and the draft shows the rest', async () => {
    const world = await liveWorld();
    const id = await world.open({ chat: PERSON });
    await write(world, id, 'word '.repeat(1000), 10_000);
    expect(world.texts(PERSON)).toHaveLength(1);
    expect(drafts(world).at(-1)!.text.length).toBeLessThan(1000);
    await end(world, id, 'end');
    expect(world.texts(PERSON)).toHaveLength(2);
    expect(world.texts(PERSON)[1]).toMatch(/word end$/);
  });

  test('a chat without drafts is edited, and that is remembered', async () => {
    const world = await liveWorld();
    const id = await world.open({ transport: 'draft' });
    await write(world, id, 'One', 3000);
    expect(drafts(world)).toHaveLength(1);
    expect(world.texts()).toEqual(['One']);
    expect(await end(world, id, ' two')).toMatchObject({ transport: 'edit', state: 'done' });
    const next = await world.open({ transport: 'draft' });
    await write(world, next, 'Three', 5000);
    expect(drafts(world)).toHaveLength(1);
    await end(world, next);
  });

  test('a wait is no reason for another way', async () => {
    const typing = { count: 1, perMs: 6000 };
    const world = await liveWorld({ telegram: { typing } });
    const id = await world.open({ chat: PERSON });
    for (let i = 0; i < 40; i++) await write(world, id, ` ${i}`, 500);
    expect(drafts(world).some(({ status }) => status === 429)).toBe(true);
    expect(world.texts(PERSON)).toEqual([]);
    expect(await end(world, id)).toMatchObject({ transport: 'draft', state: 'done' });
    expect(world.texts(PERSON)).toHaveLength(1);
  });
});

describe('a stream in chunks', () => {
  test('finished paragraphs go as few messages, with typing in between', async () => {
    const world = await liveWorld({ settings: { strategy: 'chunks' } });
    const id = await world.open({ chat: PERSON });
    for (let i = 0; i < 8; i++) await write(world, id, `Paragraph ${i}.\n\nAnd ha`, 4000);
    const sends = world.calls.filter(({ method }) => method === 'sendMessage');
    const gaps = sends.slice(1).map(({ arrivedAt }, i) => arrivedAt - sends[i]!.arrivedAt);
    expect(sends.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(9900);
    expect(methodsOf(world)).toContain('sendChatAction');
    await end(world, id, 'lf a sentence.');
    const squeezed = (text: string) => text.replace(/\s/g, '');
    const whole = Array.from({ length: 8 }, (_, i) => `Paragraph ${i}.\n\nAnd ha`).join('');
    const shown = world.texts(PERSON);
    expect(squeezed(shown.join(''))).toBe(squeezed(`${whole}lf a sentence.`));
    expect(methodsOf(world)).not.toContain('editMessageText');
  });
});
