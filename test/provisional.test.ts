// Callers who do not wait get a message that is not there yet, and may use its id at once.

import { describe, expect, test } from 'vitest';
import { dropIn } from './drop-in/simulated.ts';

const CHAT = 7;
const ASYNC = { prefer: 'respond-async' };

describe('a provisional message', () => {
  test('can be edited, answered, pinned and deleted before it is sent', async () => {
    const { call, run, texts, made } = await dropIn();
    const send = (text: string, more = {}) =>
      call('sendMessage', { chat_id: CHAT, text, ...more }, ASYNC);
    const [a, b] = [await send('a'), await send('b')];
    expect(a).toMatchObject({ status: 202, ok: true, result: { text: 'a', chat: { id: CHAT } } });
    const id = a.result.message_id;
    expect(id).toBeLessThan(0);
    expect(Math.abs(id)).toBeLessThan(2 ** 31);
    const edit = { chat_id: CHAT, message_id: id, text: 'a2' };
    expect(await call('editMessageText', edit, ASYNC)).toMatchObject({
      result: { message_id: id },
    });
    await send('c', { reply_parameters: { message_id: id } });
    await call('pinChatMessage', { chat_id: CHAT, message_id: id }, ASYNC);
    await call('deleteMessage', { chat_id: CHAT, message_id: b.result.message_id }, ASYNC);
    await run(30_000);
    expect(texts(CHAT)).toEqual(['a2', 'c']);
    const reply = made.find(({ params }) => params.text === 'c')!;
    expect(reply.params.reply_parameters).toEqual({ message_id: 1 });
    expect(made.every(({ reply }) => reply.kind === 'answered' && reply.status === 200)).toBe(true);
  });

  test('is known after a restart', async () => {
    const first = await dropIn();
    const { result } = await first.call('sendMessage', { chat_id: CHAT, text: 'a' }, ASYNC);
    await first.run(10_000);
    const second = await dropIn({}, first.disk, first.model, first.clock.now());
    const edit = { chat_id: CHAT, message_id: result.message_id, text: 'b' };
    const answer = await second.answer('editMessageText', edit);
    expect(answer).toMatchObject({ status: 200, result: { message_id: 1, text: 'b' } });
    expect(second.texts(CHAT)).toEqual(['b']);
    expect(await second.ledger.get(2)).toMatchObject({ state: 'sent', cures: ['named'] });
  });

  test('in another lane is waited for', async () => {
    const { call, run, texts, model, clock } = await dropIn();
    model.freeze('42:AAtoken', '8', 20, clock.now());
    const { result } = await call('sendMessage', { chat_id: 8, text: 'a' }, ASYNC);
    const copy = { chat_id: CHAT, from_chat_id: 8, message_id: result.message_id };
    await call('copyMessage', copy, ASYNC);
    await run(15_000);
    expect(texts(CHAT)).toEqual([]);
    await run(60_000);
    expect(texts(CHAT)).toEqual(['a']);
  });

  test('that is never sent takes its edits with it, and leaves its answers', async () => {
    const { call, run, texts, model, ledger } = await dropIn();
    model.setChat('8', { kind: 'blocked' });
    const { result } = await call('sendMessage', { chat_id: 8, text: 'a' }, ASYNC);
    await run(2000);
    const { message_id } = result;
    const edit = call('editMessageText', { chat_id: 8, message_id, text: 'b' });
    const reply = { chat_id: CHAT, text: 'c', reply_parameters: { message_id } };
    await call('sendMessage', reply, ASYNC);
    await run(30_000);
    expect(await edit).toMatchObject({ status: 400 });
    expect(await ledger.get(2)).toMatchObject({ state: 'dead', reason: 'reference_lost' });
    expect(texts(CHAT)).toEqual(['c']);
  });

  test('of a topic is where messages can be sent before it is there', async () => {
    const { call, run, made, ledger } = await dropIn();
    const forum = -1001234567890;
    const topic = await call('createForumTopic', { chat_id: forum, name: 'news' }, ASYNC);
    expect(topic).toMatchObject({ status: 202, result: { name: 'news' } });
    const { message_thread_id } = topic.result;
    expect(message_thread_id).toBeLessThan(0);
    await call('sendMessage', { chat_id: forum, message_thread_id, text: 'first' }, ASYNC);
    await call('closeForumTopic', { chat_id: forum, message_thread_id }, ASYNC);
    await run(30_000);
    const real = Number((await ledger.get(1))!.messageId);
    expect(real).toBeGreaterThan(0);
    expect(made.map(({ method, params }) => [method, params.message_thread_id])).toEqual([
      ['createForumTopic', undefined],
      ['sendMessage', real],
      ['closeForumTopic', real],
    ]);
  });

  test('a gift has none', async () => {
    const { call } = await dropIn();
    const answer = await call('sendGift', { user_id: CHAT, gift_id: 'g' }, ASYNC);
    expect(answer).toMatchObject({ status: 202, result: true });
  });

  test('of another bot is nobody’s business', async () => {
    const { answer, ledger } = await dropIn();
    const edit = { chat_id: CHAT, message_id: -99, text: 'b' };
    expect(await answer('editMessageText', edit)).toMatchObject({ status: 400 });
    expect(await ledger.get(1)).toMatchObject({ reason: 'reference_lost' });
  });
});
