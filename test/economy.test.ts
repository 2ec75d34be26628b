// What Sluice leaves out, answers itself or changes, seen from outside: a client on one side, a simulated Telegram
// on the other.

import { describe, expect, test } from 'vitest';
import { dropIn } from './drop-in/simulated.ts';

const CHAT = 7;
const methods = (made: readonly { method: string }[]) => made.map(({ method }) => method);

describe('an edit that would change nothing', () => {
  test('is answered with the message, without a call', async () => {
    const { answer, made } = await dropIn();
    const sent = await answer('sendMessage', { chat_id: CHAT, text: 'a' });
    const { message_id } = sent.result;
    const edit = { chat_id: CHAT, message_id, text: 'a' };
    const same = await answer('editMessageText', edit);
    expect(same).toMatchObject({ status: 200, ok: true, result: { message_id, text: 'a' } });
    expect(same.headers['x-sluice-delivery']).toBe(sent.headers['x-sluice-delivery']);
    await answer('editMessageText', { ...edit, text: 'b' });
    await answer('editMessageText', { ...edit, text: 'b' });
    expect(await answer('editMessageText', edit)).toMatchObject({ result: { text: 'a' } });
    expect(methods(made)).toEqual(['sendMessage', 'editMessageText', 'editMessageText']);
  });

  test('waits for what is before it, and then needs no call', async () => {
    const { call, answer, run, made, texts } = await dropIn();
    const { result } = await answer('sendMessage', { chat_id: CHAT, text: 'a' });
    const edit = (text: string) =>
      call('editMessageText', { chat_id: CHAT, message_id: result.message_id, text });
    const other = call('sendMessage', { chat_id: CHAT, text: 'other' });
    const older = edit('b');
    const newer = edit('a');
    await run(10_000);
    // The older caller gets the newer one's result.
    expect(await older).toMatchObject({ ok: true, result: { text: 'a' } });
    expect(await newer).toMatchObject({ ok: true, result: { text: 'a' } });
    await other;
    expect(methods(made)).toEqual(['sendMessage', 'sendMessage']);
    expect(texts(CHAT)).toEqual(['a', 'other']);
  });

  test('that Telegram calls not modified is a success with a message', async () => {
    const first = await dropIn();
    const { result } = await first.answer('sendMessage', { chat_id: CHAT, text: 'a' });
    // Another process knows nothing of what is shown.
    const { disk, model, clock } = first;
    const second = await dropIn({}, disk, model, clock.now());
    const edit = { chat_id: CHAT, message_id: result.message_id, text: 'a' };
    expect(await second.answer('editMessageText', edit)).toMatchObject({
      status: 200,
      ok: true,
      result: { message_id: result.message_id, text: 'a', chat: { id: CHAT, type: 'private' } },
    });
    expect(second.made).toHaveLength(1);
    await second.answer('editMessageText', edit);
    expect(second.made).toHaveLength(1);
  });

  test('is made all the same after a doubt, a delete or another keyboard', async () => {
    const { answer, made, faults } = await dropIn();
    const { result } = await answer('sendMessage', { chat_id: CHAT, text: 'a' });
    const { message_id } = result;
    const a = { chat_id: CHAT, message_id, text: 'a' };
    faults.add({ fault: { kind: 'answer_lost' } });
    await answer('editMessageText', { ...a, text: 'b' });
    // Repeated, for an edit may be; now it is known again.
    expect(made).toHaveLength(3);
    const reply_markup = { inline_keyboard: [[{ text: 'x', callback_data: 'x' }]] };
    await answer('editMessageReplyMarkup', { chat_id: CHAT, message_id, reply_markup });
    await answer('editMessageText', { ...a, text: 'b' });
    expect(made).toHaveLength(5);
    await answer('deleteMessage', { chat_id: CHAT, message_id });
    expect(await answer('editMessageText', { ...a, text: 'b' })).toMatchObject({ status: 400 });
    expect(made).toHaveLength(7);
    expect(await answer('deleteMessage', { chat_id: CHAT, message_id })).toMatchObject({
      status: 200,
      result: true,
    });
  });
});

describe('typing signs and drafts', () => {
  test('are coalesced per chat and never keep a message waiting', async () => {
    const { call, run, made } = await dropIn();
    const signs = Array.from({ length: 20 }, () =>
      call('sendChatAction', { chat_id: CHAT, action: 'typing' }),
    );
    const message = call('sendMessage', { chat_id: CHAT, text: 'a' });
    await run(200);
    for (const sign of await Promise.all(signs)) {
      expect(sign).toMatchObject({ status: 200, ok: true, result: true });
    }
    expect(await message).toMatchObject({ ok: true });
    expect(methods(made).toSorted()).toEqual(['sendChatAction', 'sendMessage']);
  });

  test('are dropped while the chat is frozen: nothing calls inside a freeze', async () => {
    const { call, run, made, model, clock } = await dropIn();
    model.freeze('42:AAtoken', String(CHAT), 60, clock.now());
    const message = call('sendMessage', { chat_id: CHAT, text: 'a' });
    await run(1000);
    expect(made).toHaveLength(1);
    const draft = { chat_id: CHAT, draft_id: 1, text: 'x' };
    expect(await call('sendMessageDraft', draft)).toMatchObject({ status: 200, ok: true });
    expect(made).toHaveLength(1);
    await run(70_000);
    expect(await message).toMatchObject({ ok: true });
  });
});
