// Callers who wait, leave, and come back: a client's time-out makes no second message, and what is withdrawn is
// never sent.

import { describe, expect, test } from 'vitest';
import { seededRandom } from '../src/system/random.ts';
import { dropIn } from './drop-in/simulated.ts';

const CHAT = 7;
const HELLO = { chat_id: CHAT, text: 'hello' };

describe('a caller who hangs up', () => {
  test('and asks again gets the first one’s result', async () => {
    const { call, run, abandon, texts } = await dropIn();
    void call('sendMessage', { chat_id: CHAT, text: 'before' });
    await abandon('sendMessage', HELLO);
    const again = call('sendMessage', HELLO);
    await run(5000);
    expect(await again).toMatchObject({ status: 200, result: { text: 'hello' } });
    expect(texts(CHAT)).toEqual(['before', 'hello']);
    // It had its answer: the same again is another message.
    const another = call('sendMessage', HELLO);
    await run(5000);
    expect((await another).result.message_id).not.toBe((await again).result.message_id);
    expect(texts(CHAT)).toEqual(['before', 'hello', 'hello']);
  });

  test('may come back within a minute of the delivery, and not later', async () => {
    const { answer, run, abandon, texts } = await dropIn();
    await abandon('sendMessage', HELLO);
    await run(50_000);
    expect(await answer('sendMessage', HELLO)).toMatchObject({ status: 200 });
    expect(texts(CHAT)).toEqual(['hello']);
    await abandon('sendMessage', HELLO);
    await run(61_000);
    await answer('sendMessage', HELLO);
    expect(texts(CHAT)).toEqual(['hello', 'hello', 'hello']);
  });

  test('twice has two orphans, and each is adopted once', async () => {
    const { call, run, abandon, texts } = await dropIn();
    void call('sendMessage', { chat_id: CHAT, text: 'before' });
    await Promise.all([abandon('sendMessage', HELLO), abandon('sendMessage', HELLO)]);
    // Those who come back and leave again change nothing.
    await Promise.all([abandon('sendMessage', HELLO), abandon('sendMessage', HELLO)]);
    const both = [call('sendMessage', HELLO), call('sendMessage', HELLO)];
    await run(10_000);
    const ids = (await Promise.all(both)).map(({ result }) => result.message_id);
    expect(new Set(ids).size).toBe(2);
    expect(texts(CHAT)).toEqual(['before', 'hello', 'hello']);
  });

  test('another text, another chat or a key of its own is another message', async () => {
    const { call, run, abandon, texts } = await dropIn();
    await abandon('sendMessage', HELLO);
    void call('sendMessage', { ...HELLO, text: 'other' });
    void call('sendMessage', { ...HELLO, chat_id: 8 });
    void call('sendMessage', HELLO, { 'idempotency-key': 'k' });
    await run(10_000);
    expect([texts(CHAT), texts(8)]).toEqual([['hello', 'other', 'hello'], ['hello']]);
  });

  test('leaves nothing to another holder of the bot, before a restart and after it', async () => {
    const first = await dropIn();
    const { disk, model, clock } = first;
    const [one, other] = [await first.virtualToken('one'), await first.virtualToken('other')];
    // The chat is busy until the end, so that all of them leave without an answer.
    void first.call('sendMessage', { chat_id: CHAT, text: 'before' });
    await first.abandon('sendMessage', HELLO, {}, one);
    await first.abandon('sendMessage', HELLO, {}, other);
    expect(disk.seqLast).toBe(3);
    await first.abandon('sendMessage', HELLO);
    expect(disk.seqLast).toBe(4);
    // Whoever comes back finds its own.
    const ids: string[] = [];
    for (const token of [one, other, undefined]) {
      const { headers } = await first.answer('sendMessage', HELLO, {}, token);
      ids.push(String(headers['x-sluice-delivery']));
    }
    expect(ids.map((id) => id.split('-').at(-1))).toEqual(['2', '3', '4']);
    expect(first.texts(CHAT)).toEqual(['before', 'hello', 'hello', 'hello']);

    await first.run(60_000);
    const LAST = { chat_id: CHAT, text: 'last' };
    void first.call('sendMessage', { chat_id: CHAT, text: 'before it' });
    void first.call('sendMessage', LAST, {}, one);
    await first.run(500);
    await first.engine.dispatch.stop(0);
    expect(disk.seqLast).toBe(6);
    const second = await dropIn({}, disk, model, clock.now());
    for (const token of [undefined, other]) {
      expect(await second.answer('sendMessage', LAST, {}, token)).toMatchObject({ status: 200 });
    }
    expect(disk.seqLast).toBe(8);
    expect(await second.answer('sendMessage', LAST, {}, one)).toMatchObject({ status: 200 });
    expect(disk.seqLast).toBe(8);
  });

  test('with the gateway itself finds its message after the start', async () => {
    const first = await dropIn();
    const { disk, model, clock } = first;
    void first.call('sendMessage', { chat_id: CHAT, text: 'before' });
    void first.call('sendMessage', HELLO);
    await first.run(500);
    await first.engine.dispatch.stop(0);
    const second = await dropIn({}, disk, model, clock.now());
    const again = second.call('sendMessage', HELLO);
    await second.run(10_000);
    expect(await again).toMatchObject({ status: 200, result: { text: 'hello' } });
    expect(second.texts(CHAT)).toEqual(['before', 'hello']);
    // Answered before the end, or now: said again, it is meant.
    await second.answer('sendMessage', { chat_id: CHAT, text: 'before' });
    await second.answer('sendMessage', HELLO);
    expect(second.texts(CHAT)).toEqual(['before', 'hello', 'before', 'hello']);
  });

  test('finds it for ten minutes after the start, though it was sent at once, and only once', async () => {
    const first = await dropIn();
    const { disk, model, clock } = first;
    for (let i = 0; i < 3; i++) void first.call('sendMessage', HELLO);
    await first.run(500);
    await first.engine.dispatch.stop(0);
    const second = await dropIn({}, disk, model, clock.now());
    await second.run(500_000);
    expect(second.texts(CHAT)).toHaveLength(3);
    const again = await Promise.all([
      second.answer('sendMessage', HELLO),
      second.answer('sendMessage', HELLO),
    ]);
    const ids = new Set(again.map(({ result }) => result.message_id));
    expect([ids.size, second.texts(CHAT).length]).toEqual([2, 3]);
    // The first one had its answer, so long before the end that it must have arrived: the third is meant.
    await second.run(100_000);
    await second.answer('sendMessage', HELLO);
    await second.answer('sendMessage', HELLO);
    expect(second.texts(CHAT)).toHaveLength(5);
  });

  test('and once more with the next one finds it still', async () => {
    const first = await dropIn();
    const { disk, model, clock } = first;
    void first.call('sendMessage', { chat_id: CHAT, text: 'before' });
    void first.call('sendMessage', HELLO);
    await first.run(500);
    await first.engine.dispatch.stop(0);
    const second = await dropIn({}, disk, model, clock.now());
    await second.run(30_000);
    await second.engine.dispatch.stop(0);
    const third = await dropIn({}, disk, model, second.clock.now());
    expect(await third.answer('sendMessage', HELLO)).toMatchObject({ status: 200 });
    expect(third.texts(CHAT)).toEqual(['before', 'hello']);
  });

  test('whose answer was given just before the kill sends it again, and marked', async () => {
    const first = await dropIn();
    const { disk, model, clock, ledger } = first;
    const sent = await first.answer('sendMessage', HELLO);
    const second = await dropIn({}, disk, model, clock.now());
    const again = await second.answer('sendMessage', HELLO);
    expect(second.texts(CHAT)).toEqual(['hello', 'hello']);
    expect(again.headers['x-sluice-repeats']).toBe(sent.headers['x-sluice-delivery']);
    expect(await ledger.get(2)).toMatchObject({ repeats: 1 });
    // Once: what is said a third time is no repeat.
    const third = await second.answer('sendMessage', HELLO);
    expect(third.headers).not.toHaveProperty('x-sluice-repeats');
  });

  test('tries anew what was refused meanwhile', async () => {
    const first = await dropIn();
    const { disk, model, clock } = first;
    void first.call('sendMessage', { chat_id: CHAT, text: 'before' });
    void first.call('sendMessage', { chat_id: CHAT, text: '' });
    await first.run(500);
    await first.engine.dispatch.stop(0);
    const second = await dropIn({}, disk, model, clock.now());
    await second.run(30_000);
    const calls = second.made.length;
    expect(await second.answer('sendMessage', { chat_id: CHAT, text: '' })).toMatchObject({
      status: 400,
    });
    expect(second.made.length).toBe(calls + 1);
  });
});

describe('withdrawn means withdrawn', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('also when it is just being sent (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const { call, run, made, texts, faults } = await dropIn();
    const said = [];
    for (let i = 0; i < 30; i++) {
      const text = `${i}`;
      const patience = { prefer: `wait=${Math.floor(random.next() * 12)}` };
      if (random.next() < 0.2) faults.add({ fault: { kind: 'reset_before' } });
      said.push(
        call('sendMessage', { chat_id: CHAT, text }, patience).then((a) => ({ text, ...a })),
      );
      await run(random.next() * 800);
    }
    await run(120_000);
    const answers = await Promise.all(said);
    const shown = texts(CHAT);
    for (const { text, status } of answers) {
      expect([200, 429]).toContain(status);
      expect(shown.filter((each) => each === text)).toHaveLength(status === 200 ? 1 : 0);
    }
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    expect(made.length).toBeGreaterThanOrEqual(shown.length);
  });

  test('and its key is free: the caller may ask again', async () => {
    const { call, answer, run, model, clock, texts } = await dropIn();
    model.freeze('42:AAtoken', String(CHAT), 20, clock.now());
    const keyed = { 'idempotency-key': 'k' };
    const early = call('sendMessage', HELLO, { ...keyed, prefer: 'wait=1' });
    await run(5000);
    expect(await early).toMatchObject({ status: 429 });
    expect(await answer('sendMessage', HELLO, keyed)).toMatchObject({ status: 200 });
    expect(await answer('sendMessage', HELLO, keyed)).toMatchObject({ status: 200 });
    expect(texts(CHAT)).toEqual(['hello']);
  });

  test('what is out in part can no longer be taken back', async () => {
    const { call, run, texts } = await dropIn();
    const text = 'word '.repeat(2000).trim();
    const answer = call('sendMessage', { chat_id: CHAT, text }, { prefer: 'wait=1' });
    await run(30_000);
    expect(await answer).toMatchObject({ status: 200 });
    // Telegram cuts off the space at which it was divided.
    expect(texts(CHAT).join(' ')).toBe(text);
  });

  test('a caller with little patience is not kept by a freeze that comes late', async () => {
    const { call, run, model, clock, texts } = await dropIn();
    model.freeze('42:AAtoken', String(CHAT), 600, clock.now());
    const answer = call('sendMessage', HELLO, { prefer: 'wait=0' });
    await run(3000);
    const { status, parameters } = await answer;
    expect(status).toBe(429);
    expect(parameters.retry_after).toBeGreaterThan(590);
    await run(700_000);
    expect(texts(CHAT)).toEqual([]);
  });
});

describe('an outage', () => {
  test.each([
    ['refuses every connection', { kind: 'reset_before' }],
    ['answers 502', { kind: 'bad_gateway', delivered: false }],
  ] as const)(
    'of a minute that %s is over for those who wait within two seconds',
    async (_how, fault) => {
      const { call, run, faults, made, texts, clock } = await dropIn();
      faults.add({ fault, times: Number.POSITIVE_INFINITY });
      const held = Array.from({ length: 12 }, (_, i) =>
        call('sendMessage', { chat_id: 100 + i, text: 'hello' }),
      );
      await run(60_000);
      const tries = made.length;
      expect(texts(100)).toEqual([]);
      // One at a time, every second at most: the five that opened it, and those of each delivery's own backoff before.
      expect(tries).toBeLessThan(90);
      faults.clear();
      const endedAt = clock.now();
      await run(2_500);
      expect(made.length).toBeGreaterThan(tries);
      expect(clock.now() - endedAt).toBeLessThanOrEqual(2_500);
      await run(60_000);
      for (const answer of await Promise.all(held)) expect(answer.status).toBe(200);
    },
  );
});
