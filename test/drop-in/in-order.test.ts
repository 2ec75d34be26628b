// What a client may rely on as with the platform itself: each call in its place, none for another, nothing paid twice.

import { describe, expect, test } from 'vitest';
import { dropIn } from './simulated.ts';

const CHAT = 7;
const FORUM = -1001234567890;

test('edits of one id in the bot’s own chat and in two business accounts are three messages', async () => {
  const { call, answer, run, made } = await dropIn();
  const places = [{}, { business_connection_id: 'A' }, { business_connection_id: 'B' }];
  for (const place of places) {
    const sent = await answer('sendMessage', { chat_id: CHAT, text: 'x', ...place });
    expect(sent).toMatchObject({ status: 200, result: { message_id: 1, chat: { id: CHAT } } });
  }
  made.length = 0;
  const edits = places.map((place, i) =>
    call('editMessageText', { chat_id: CHAT, message_id: 1, text: `to ${i}`, ...place }),
  );
  await run(30_000);
  const answers = await Promise.all(edits);
  expect(answers.map(({ result }) => result.text)).toEqual(['to 0', 'to 1', 'to 2']);
  expect(made.map(({ params }) => params.text).toSorted()).toEqual(['to 0', 'to 1', 'to 2']);
  // The same again changes nothing anywhere, and each is told its own text.
  made.length = 0;
  for (const [i, place] of places.entries()) {
    const same = { chat_id: CHAT, message_id: 1, text: `to ${i}`, ...place };
    expect((await answer('editMessageText', same)).result.text).toBe(`to ${i}`);
  }
  expect(made).toEqual([]);
});

describe('what spends', () => {
  test.each([
    ['sendGift', { user_id: CHAT, gift_id: 'g' }],
    ['giftPremiumSubscription', { user_id: CHAT, month_count: 3, star_count: 1000 }],
    ['sendMessage', { chat_id: CHAT, text: 'paid', allow_paid_broadcast: true }],
  ])('%s is not repeated when its answer is lost', async (method, params) => {
    const { answer, faults, made, texts } = await dropIn({ uncertainPolicy: 'resend' });
    faults.add({ method, fault: { kind: 'answer_lost' } });
    const told = await answer(method, params);
    expect(told).toMatchObject({ status: 409, ok: false });
    expect(made).toHaveLength(1);
    expect(texts(CHAT)).toHaveLength(1);
  });
});

test('what ends a topic does not overtake what waits there', async () => {
  const { call, run, made } = await dropIn();
  const topic = { chat_id: FORUM, message_thread_id: 5 };
  const calls = [
    call('sendMessage', { ...topic, text: '1' }),
    call('sendMessage', { ...topic, text: '2' }),
    call('editForumTopic', { ...topic, name: 'done' }),
    call('closeForumTopic', topic),
    call('deleteForumTopic', topic),
  ];
  await run(30_000);
  for (const answer of await Promise.all(calls)) expect(answer.ok).toBe(true);
  expect(made.map(({ method }) => method)).toEqual([
    ...['sendMessage', 'sendMessage', 'editForumTopic', 'closeForumTopic', 'deleteForumTopic'],
  ]);
});

test('a title and a goodbye come after what was said before them', async () => {
  const { call, run, made } = await dropIn();
  const calls = [
    call('sendMessage', { chat_id: FORUM, text: 'hello' }),
    call('sendMessage', { chat_id: FORUM, text: 'all' }),
    call('setChatTitle', { chat_id: FORUM, title: 'new' }),
    call('sendMessage', { chat_id: FORUM, text: 'bye' }),
    call('leaveChat', { chat_id: FORUM }),
  ];
  await run(30_000);
  for (const answer of await Promise.all(calls)) expect(answer.ok).toBe(true);
  expect(made.map(({ method }) => method)).toEqual([
    ...['sendMessage', 'sendMessage', 'setChatTitle', 'sendMessage', 'leaveChat'],
  ]);
});

test('each topic has its own typing sign, and together they stay below a sign a second', async () => {
  const { call, run, made } = await dropIn();
  for (let second = 0; second < 12; second++) {
    for (let topic = 1; topic <= 3; topic++) {
      void call('sendChatAction', { chat_id: FORUM, message_thread_id: topic, action: 'typing' });
      await run(340);
    }
  }
  for (let topic = 1; topic <= 3; topic++) {
    const signs = made.filter(({ params }) => params.message_thread_id === topic);
    expect(signs.length).toBeGreaterThanOrEqual(2);
    expect(signs.length).toBeLessThanOrEqual(4);
  }
  const gaps = made.slice(1).map(({ leftAt }, i) => leftAt - made[i]!.leftAt);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
});

test('a change of a message goes in the lane of its topic, and waits for no other', async () => {
  const { call, answer, run, made, ledger } = await dropIn();
  const topic = (message_thread_id: number) => ({ chat_id: FORUM, message_thread_id });
  const { result } = await answer('sendMessage', { ...topic(5), text: 'a' });
  const { message_id } = result;
  const early = await call('sendMessage', { ...topic(6), text: 'b' }, { prefer: 'respond-async' });
  const id = early.result.message_id;
  const calls = [
    call('sendMessage', { ...topic(5), text: 'next' }),
    call('editMessageText', { chat_id: FORUM, message_id, text: 'a2' }),
    call('deleteMessages', { chat_id: FORUM, message_ids: [message_id] }),
    call('editMessageText', { chat_id: FORUM, message_id: id, text: 'b2' }),
    call('editMessageText', { chat_id: FORUM, message_id: 999, text: 'nobody knows' }),
  ];
  await run(30_000);
  await Promise.all(calls);
  const lanes = await Promise.all(
    [3, 4, 5, 6, 7].map(async (seq) => (await ledger.get(seq))!.lane),
  );
  expect(lanes).toEqual(['t:5', 't:5', 't:5', 't:6', '']);
  const texts = made.map(({ params }) => params.text);
  expect(texts.indexOf('next')).toBeLessThan(texts.indexOf('a2'));
});
