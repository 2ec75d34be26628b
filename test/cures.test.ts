// What Telegram would refuse and Sluice can mend, seen from outside: one call in, and the chat shows what was meant.

import { describe, expect, test } from 'vitest';
import { dropIn } from './drop-in/simulated.ts';

const CHAT = 7;
const GROUP = -1001234567890;

describe('a text too long for one message', () => {
  const line = (i: number) => `<b>${i}</b> ${'word '.repeat(15)}\n`;
  const source = Array.from({ length: 150 }, (_, i) => line(i)).join('');
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
  // Telegram cuts off the white space around each part.
  const shownWords = words(source.replaceAll(/<\/?b>/g, ''));

  test('goes out as several, in order, with its markup, and is one message to its caller', async () => {
    const { answer, call, run, texts, made } = await dropIn();
    const reply_markup = { inline_keyboard: [[{ text: 'x', callback_data: 'x' }]] };
    const long = { chat_id: CHAT, text: source, parse_mode: 'HTML', reply_markup };
    const first = call('sendMessage', long);
    const after = call('sendMessage', { chat_id: CHAT, text: 'after' });
    await run(30_000);
    const { status, result, parts } = await first;
    expect(status).toBe(200);
    expect(result.message_id).toBe(parts[0].message_id);
    await after;
    const shown = texts(CHAT);
    expect(shown.pop()).toBe('after');
    expect(shown.length).toBe(parts.length);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.flatMap(words)).toEqual(shownWords);
    for (const text of shown) expect(text.length).toBeLessThanOrEqual(4096);
    const calls = made.filter(({ params }) => params.text !== 'after').map(({ params }) => params);
    for (const params of calls) {
      expect(params.parse_mode).toBeUndefined();
      expect(Object.keys(params).filter((name) => name.startsWith('sluice'))).toEqual([]);
    }
    const marked = calls.flatMap(({ text, entities }) =>
      (entities as { type: string; offset: number; length: number }[]).map((entity) => {
        expect(entity.type).toBe('bold');
        return String(text).slice(entity.offset, entity.offset + entity.length);
      }),
    );
    expect(marked).toEqual(Array.from({ length: 150 }, (_, i) => String(i)));
    // The buttons are under the last.
    expect(calls.map((params) => 'reply_markup' in params)).toEqual(
      calls.map((_, i) => i === calls.length - 1),
    );
    expect(await answer('sendMessage', { chat_id: 8, text: 'short' })).toMatchObject({ ok: true });
  });

  test('is resumed after a crash where it was', async () => {
    const first = await dropIn();
    void first
      .call('sendMessage', { chat_id: CHAT, text: source, parse_mode: 'HTML' })
      .catch(() => {});
    await first.run(500);
    expect(first.texts(CHAT)).toHaveLength(1);
    await first.engine.dispatch.stop(0);
    const second = await dropIn({}, first.disk, first.model, first.clock.now());
    await second.run(30_000);
    expect(second.texts(CHAT).flatMap(words)).toEqual(shownWords);
    const record = await second.ledger.get(1);
    expect(record).toMatchObject({ state: 'sent', messageId: '1', doubts: 0 });
    expect(record!.cures).toContain('next_part');
    expect(JSON.parse(record!.result!).parts).toHaveLength(second.texts(CHAT).length);
  });

  test('is refused where the setting says so, and always as an edit', async () => {
    const { answer, texts } = await dropIn({ longText: 'refuse' });
    const refused = { status: 400, description: 'Bad Request: message is too long' };
    expect(await answer('sendMessage', { chat_id: CHAT, text: 'a'.repeat(4097) })).toMatchObject(
      refused,
    );
    const edits = await dropIn();
    const { result } = await edits.answer('sendMessage', { chat_id: CHAT, text: 'a' });
    const edit = { chat_id: CHAT, message_id: result.message_id, text: 'a'.repeat(4097) };
    expect(await edits.answer('editMessageText', edit)).toMatchObject(refused);
    expect(texts(CHAT)).toEqual([]);
  });

  test('whose markup is broken is shown as it is, whole', async () => {
    const { answer, texts } = await dropIn({ dropInCures: true });
    const text = `<b>${'word '.repeat(1000)}`;
    await answer('sendMessage', { chat_id: CHAT, text, parse_mode: 'HTML' });
    expect(texts(CHAT).flatMap(words)).toEqual(words(text));
  });
});

describe('other troubles', () => {
  test('a vanished reply target: it goes without', async () => {
    const { answer, texts } = await dropIn({ dropInCures: true });
    const params = { chat_id: CHAT, text: 'a', reply_parameters: { message_id: 999 } };
    expect(await answer('sendMessage', params)).toMatchObject({ status: 200 });
    expect(texts(CHAT)).toEqual(['a']);
  });

  test('unparsable markup: plain text, once', async () => {
    const { answer, texts, made } = await dropIn({ dropInCures: true });
    const params = { chat_id: CHAT, text: '*a', parse_mode: 'MarkdownV2' };
    expect(await answer('sendMessage', params)).toMatchObject({ status: 200 });
    expect(texts(CHAT)).toEqual(['*a']);
    expect(made).toHaveLength(2);
  });

  test('a topic that is gone: into the group itself', async () => {
    const { answer, texts, model } = await dropIn({ dropInCures: true });
    model.setChat(`${GROUP}#5`, { kind: 'missing' });
    const params = { chat_id: GROUP, text: 'a', message_thread_id: 5 };
    expect(await answer('sendMessage', params)).toMatchObject({ status: 200 });
    expect(texts(GROUP)).toEqual(['a']);
  });
});

describe('unless it is asked for, the client hears the refusal, and handles it itself', () => {
  test.each([
    ["can't parse entities", { chat_id: CHAT, text: '*a', parse_mode: 'MarkdownV2' }],
    ['message thread not found', { chat_id: GROUP, text: 'a', message_thread_id: 5 }],
    [
      'message to be replied not found',
      { chat_id: CHAT, text: 'a', reply_parameters: { message_id: 999 } },
    ],
  ])('%s', async (words, params) => {
    const { answer, model, made, texts } = await dropIn();
    model.setChat(`${GROUP}#5`, { kind: 'missing' });
    const refused = await answer('sendMessage', params);
    expect(refused).toMatchObject({ status: 400, error_code: 400 });
    expect(refused.description).toContain(words);
    expect(made).toHaveLength(1);
    // As the client wrote it.
    expect(made[0]!.params).toEqual(params);
    expect(texts(params.chat_id)).toEqual([]);
  });

  test('also where nobody waits, and after a restart', async () => {
    const first = await dropIn();
    const params = { chat_id: CHAT, text: '*a', parse_mode: 'MarkdownV2' };
    await first.call('sendMessage', params, { prefer: 'respond-async' });
    const second = await dropIn({}, first.disk, first.model, first.clock.now());
    await second.run(30_000);
    expect(await second.ledger.get(1)).toMatchObject({
      state: 'dead',
      reason: 'markup_unparsable',
    });
  });
});

test('an album of which a part is out: the rest follows, and nothing twice', async () => {
  const { call, run, texts, model, clock, made } = await dropIn();
  const media = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ type: 'photo', media: `f${i}`, caption: `${i}` }));
  // The group's minute has room for a part of it only, which our own count does not know of.
  for (let i = 0; i < 16; i++) {
    model.call(
      '42:AAtoken',
      'sendMessage',
      { chat_id: GROUP, text: 'x' },
      clock.now() - 30_000 + i * 1100,
    );
  }
  const answer = call('sendMediaGroup', { chat_id: GROUP, media: media(8) });
  await run(180_000);
  expect(await answer).toMatchObject({ status: 200 });
  expect(made.map(({ reply }) => reply.kind === 'answered' && reply.status)).toEqual([400, 200]);
  expect(texts(GROUP).filter((text) => text !== 'x')).toEqual(
    media(8).map(({ caption }) => caption),
  );
});

describe('one chat under two ids', () => {
  const OLD = -55;

  test('a group that became a supergroup: the whole queue goes there, and only one call is lost', async () => {
    const { call, run, texts, model, made, ledger } = await dropIn();
    model.setChat(String(OLD), { kind: 'migrated', to: String(GROUP) });
    const said = Array.from({ length: 5 }, (_, i) =>
      call('sendMessage', { chat_id: OLD, text: `${i}` }),
    );
    await run(60_000);
    for (const answer of await Promise.all(said)) {
      expect(answer).toMatchObject({ status: 200, result: { chat: { id: GROUP } } });
    }
    expect(texts(GROUP)).toEqual(['0', '1', '2', '3', '4']);
    expect(made.filter(({ params }) => params.chat_id === OLD)).toHaveLength(1);
    expect(await ledger.get(5)).toMatchObject({ chat: String(GROUP), cures: ['move_chat'] });
  });

  test('takes its budget along, also across a restart', async () => {
    const first = await dropIn();
    const send = (text: string) =>
      first.call('sendMessage', { chat_id: OLD, text }, { prefer: 'respond-async' });
    for (let i = 0; i < 15; i++) await send(`${i}`);
    await first.run(20_000);
    first.model.setChat(String(OLD), { kind: 'migrated', to: String(GROUP) });
    await send('moved');
    await first.run(5000);
    const second = await dropIn({}, first.disk, first.model, first.clock.now());
    for (let i = 0; i < 10; i++) {
      void second.call('sendMessage', { chat_id: OLD, text: `${i}` }).catch(() => {});
      void second.call('sendMessage', { chat_id: GROUP, text: `${i}` }).catch(() => {});
    }
    await second.run(15_000);
    // 15 and the refused one under the old id, then the moved one: three are left of the minute's twenty.
    expect(second.made.map(({ params }) => params.chat_id)).toEqual([GROUP, GROUP, GROUP]);
  });

  test('a name and its number', async () => {
    const { call, run, made, engine } = await dropIn();
    const first = call('sendMessage', { chat_id: '@channel', text: 'a' });
    await run(2000);
    const { id } = (await first).result.chat;
    for (let i = 0; i < 15; i++) {
      void call('sendMessage', { chat_id: '@Channel', text: `n${i}` }).catch(() => {});
      void call('sendMessage', { chat_id: id, text: `i${i}` }).catch(() => {});
    }
    await run(50_000);
    expect(made).toHaveLength(20);
    const views = engine.road.limits(null).filter(({ chat }) => chat !== '');
    expect(views.map(({ chat }) => chat)).toEqual([String(id)]);
    // In the order they were asked for, under whichever name.
    expect(made.slice(1, 5).map(({ params }) => params.text)).toEqual(['n0', 'i0', 'n1', 'i1']);
  });
});
