import { expect, test } from 'vitest';
import { serverEvents } from './server-events.ts';

test('events are read whole, however the bytes arrive; beats are no events', async () => {
  const text =
    ': open\n\nevent: a\ndata: {"text":"ü\\n"}\n\n: beat\n\nevent: b\ndata: {}\n\nevent: cut';
  const bytes = new TextEncoder().encode(text);
  for (const step of [1, 3, 7, bytes.length]) {
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
    }
    const events = [];
    for await (const event of serverEvents(chunks())) events.push(event);
    expect(events).toEqual([
      { kind: 'a', data: { text: 'ü\n' } },
      { kind: 'b', data: {} },
    ]);
  }
});

test.each(['{', '', `${'['.repeat(70)}${']'.repeat(70)}`])(
  'data that is no JSON of ours: %s',
  async (data) => {
    async function* chunks() {
      yield new TextEncoder().encode(`event: a\ndata: ${data}\n\n`);
    }
    const reading = (async () => {
      for await (const _event of serverEvents(chunks()));
    })();
    await expect(reading).rejects.toThrow('not a gateway');
  },
);

test('what is no stream of events is not read for ever', async () => {
  async function* noise() {
    for (;;) yield new Uint8Array(65_536).fill(120);
  }
  const reading = (async () => {
    for await (const _event of serverEvents(noise()));
  })();
  await expect(reading).rejects.toThrow('not a gateway');
});
