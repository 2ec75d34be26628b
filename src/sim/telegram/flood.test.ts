import { describe, expect, test } from 'vitest';
import type { SimVerdict } from '../model.ts';
import { createTelegramModel } from './model.ts';
import type { SimTelegramOptions } from './options.ts';

const TOKEN = '42:sandbox';
const GROUP = '-1001234567890';
const T0 = 1_700_000_000_000;

function telegram(options: Partial<SimTelegramOptions> = {}) {
  const model = createTelegramModel({ options });
  let n = 0;
  const call = (method: string, params: Record<string, unknown>, at: number) =>
    model.call(TOKEN, method, params, T0 + at);
  const send = (chat: string, at: number, more: Record<string, unknown> = {}) =>
    call('sendMessage', { chat_id: chat, text: `m${++n}`, ...more }, at);
  return { model, call, send };
}

const said = (verdict: SimVerdict) => JSON.parse(verdict.answer.body);
const refusal = (verdict: SimVerdict): string => said(verdict).description;

describe('windows', () => {
  test('a group takes 20 in any minute; the 21st is told when the oldest leaves', () => {
    const { send } = telegram();
    for (let i = 0; i < 20; i++) expect(send(GROUP, i * 1000).answer.status).toBe(200);
    const late = send(GROUP, 20_000);
    expect(late.answer.status).toBe(429);
    expect(said(late)).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 40',
      parameters: { retry_after: 40 },
    });
    expect(late.answer.headers['retry-after']).toBe('40');
    expect(send(GROUP, 60_000).holdMs).toBe(0);
  });

  test('topics share the chat', () => {
    const { send } = telegram();
    for (let i = 0; i < 20; i++) send(GROUP, i * 1000, { message_thread_id: 2 + (i % 4) });
    expect(send(GROUP, 20_000, { message_thread_id: 9 }).answer.status).toBe(429);
  });

  test('a short wait is latency, and takes effect when it ends', () => {
    const { send } = telegram();
    send(GROUP, 0);
    const early = send(GROUP, 400);
    expect(early.answer.status).toBe(200);
    expect(early.holdMs).toBe(600);
    expect(early.call.acceptedAt).toBe(T0 + 1000);
  });

  test('a private chat takes a short burst, then one a second', () => {
    const { send } = telegram();
    const holds = Array.from({ length: 7 }, () => send('7', 0).holdMs);
    expect(holds.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(holds[5]).toBeGreaterThan(0);
  });

  test('broadcast is 30 a second for those who did not write, unlimited for answers', () => {
    const quiet = telegram();
    const holds = Array.from({ length: 31 }, (_, i) => quiet.send(String(1000 + i), 0).holdMs);
    expect(holds.slice(0, 30).every((ms) => ms === 0)).toBe(true);
    expect(holds[30]).toBeGreaterThan(0);

    const lively = telegram();
    for (let i = 0; i < 200; i++) {
      lively.model.userWrote(TOKEN, String(1000 + i), T0);
      expect(lively.send(String(1000 + i), 0).holdMs).toBe(0);
    }
  });

  test('a message that waits for its chat delays no other chat', () => {
    const { send } = telegram();
    send(GROUP, 0);
    expect(send(GROUP, 10).holdMs).toBe(990);
    expect(send('7', 20).holdMs).toBe(0);
  });

  test('paid broadcast has a thousand a second', () => {
    const { send } = telegram();
    const paid = { allow_paid_broadcast: true };
    for (let i = 0; i < 1000; i++) expect(send(String(1000 + i), 0, paid).holdMs).toBe(0);
    expect(send('9999', 0, paid).holdMs).toBeGreaterThan(0);
  });

  test('a truth of one half halves every rate', () => {
    const { send } = telegram({ truth: 0.5 });
    for (let i = 0; i < 10; i++) expect(send(GROUP, i * 2000).holdMs).toBe(0);
    expect(send(GROUP, 20_000).answer.status).toBe(429);
  });

  test.each(['shared', 'separate', 'free'] as const)('edits %s', (edits) => {
    const { send, call } = telegram({ edits });
    const id = said(send(GROUP, 0)).result.message_id;
    let refused = 0;
    for (let i = 1; i < 30; i++) {
      const params = { chat_id: GROUP, message_id: id, text: `edit ${i}` };
      if (call('editMessageText', params, i * 1000).answer.status === 429) refused += 1;
    }
    if (edits === 'free') expect(refused).toBe(0);
    else expect(refused).toBeGreaterThan(0);
    expect(send(GROUP, 30_000).answer.status).toBe(edits === 'shared' ? 429 : 200);
  });

  test('reactions have a window of their own, answers to buttons none', () => {
    const { send, call } = telegram();
    const id = said(send(GROUP, 0)).result.message_id;
    const react = { chat_id: GROUP, message_id: id, reaction: [{ type: 'emoji', emoji: '👍' }] };
    for (let i = 0; i < 20; i++) {
      expect(call('setMessageReaction', react, 0).answer.status).toBe(200);
    }
    expect(call('setMessageReaction', react, 0).answer.status).toBe(429);
    for (let i = 0; i < 500; i++) {
      expect(call('answerCallbackQuery', { callback_query_id: `${i}` }, 0).holdMs).toBe(0);
    }
  });

  test('typing and drafts share one bucket with short hidden waits', () => {
    const { call } = telegram();
    const type = (at: number) => call('sendChatAction', { chat_id: '7', action: 'typing' }, at);
    const draft = (at: number) =>
      call('sendMessageDraft', { chat_id: '7', draft_id: 1, text: 'so far' }, at);
    expect(type(0).holdMs).toBe(0);
    expect(draft(300).holdMs).toBe(700);
    expect(draft(600).holdMs).toBe(1400);
    expect(said(draft(900)).parameters.retry_after).toBe(3);
  });
});

describe('penalties', () => {
  const overrun = (options: Partial<SimTelegramOptions> = {}) => {
    const world = telegram(options);
    for (let i = 0; i < 20; i++) world.send(GROUP, i * 1000);
    world.send(GROUP, 20_000);
    return world;
  };

  test('count down for calls already on their way, grow for those who call later', () => {
    const { send } = overrun();
    expect(said(send(GROUP, 20_500)).parameters.retry_after).toBe(40);
    expect(said(send(GROUP, 25_000)).parameters.retry_after).toBe(240);
    expect(said(send(GROUP, 30_000)).parameters.retry_after).toBe(1000);
    expect(said(send(GROUP, 40_000)).parameters.retry_after).toBe(5800);
    expect(said(send(GROUP, 50_000)).parameters.retry_after).toBe(50_000);
    expect(said(send(GROUP, 60_000)).parameters.retry_after).toBe(50_000);
  });

  test('offences are remembered, and forgotten over a day', () => {
    const again = (afterMs: number) => {
      const { send } = overrun();
      send(GROUP, 25_000);
      for (let i = 0; i < 20; i++) send(GROUP, afterMs + i * 1000);
      return said(send(GROUP, afterMs + 20_000)).parameters.retry_after;
    };
    expect(again(3_600_000)).toBe(240);
    expect(again(25 * 3_600_000)).toBe(40);
  });

  test('a freeze without a cause is announced first, and other chats go on', () => {
    const { model, send } = telegram();
    model.freeze(TOKEN, GROUP, 900, T0);
    const met = send(GROUP, 100_000);
    expect(said(met).parameters.retry_after).toBe(800);
    expect(met.call.cause).toBe('forced');
    expect(send('-1009999999999', 100_000).answer.status).toBe(200);
    expect(send(GROUP, 900_000).answer.status).toBe(200);
  });

  test('the header can be switched off', () => {
    const { send } = overrun({ retryAfterHeader: false });
    expect(send(GROUP, 20_100).answer.headers['retry-after']).toBeUndefined();
  });

  test('waits that are no flood: restart, too many active, a second setWebhook', () => {
    const { model, send, call } = telegram({ activeMax: 2 });
    call('setWebhook', { url: 'https://example.org' }, 0);
    const second = call('setWebhook', { url: 'https://example.org' }, 500);
    expect(said(second).parameters.retry_after).toBe(1);
    send(GROUP, 0);
    send(GROUP, 0);
    send(GROUP, 0);
    const fourth = send('7', 0);
    expect(fourth.holdMs).toBe(3000);
    expect(said(fourth).parameters.retry_after).toBe(60);
    model.restart(T0 + 60_000);
    expect(said(send('8', 50_000)).parameters.retry_after).toBe(5);
    expect(send('8', 60_000).answer.status).toBe(200);
  });
});

describe('albums', () => {
  const media = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ type: 'photo', media: `p${i}` }));

  test('count for each picture and answer with all messages', () => {
    const { send, call } = telegram();
    const album = call('sendMediaGroup', { chat_id: GROUP, media: media(10) }, 0);
    expect(said(album).result).toHaveLength(10);
    for (let i = 1; i <= 10; i++) expect(send(GROUP, i * 1000).answer.status).toBe(200);
    expect(send(GROUP, 11_000).answer.status).toBe(429);
  });

  test('a part that finds no room breaks the album with a wait inside a 400', () => {
    const { send, call } = telegram();
    for (let i = 0; i < 17; i++) send(GROUP, i * 1000);
    const album = call(
      'sendMediaGroup',
      { chat_id: GROUP, media: JSON.stringify(media(5)) },
      18_000,
    );
    expect(album.answer.status).toBe(400);
    expect(refusal(album)).toMatch(
      /^Bad Request: failed to send message #4 with the error message "Too Many Requests: retry after \d+"$/,
    );
    expect(album.call.messageIds).toHaveLength(3);
  });

  test('a chat that takes nothing takes no part of one', () => {
    const { send, call, model } = telegram();
    for (let i = 0; i < 17; i++) send(GROUP, i * 1000);
    model.setChat(GROUP, { kind: 'kicked' });
    const album = call('sendMediaGroup', { chat_id: GROUP, media: media(5) }, 18_000);
    expect(album.answer.status).toBe(429);
    expect(album.call).toMatchObject({ acceptedAt: null, messageIds: [] });
    // Nor did it spend any room: the wait that was told is enough.
    const again = 18_000 + 1000 * (album.call.retryAfterS ?? 0);
    expect(call('sendMediaGroup', { chat_id: GROUP, media: media(5) }, again).answer.status).toBe(
      403,
    );
  });

  test('a picture the core cannot take breaks it after those before', () => {
    const { call } = telegram();
    const items = [...media(2), { type: 'photo', media: 'https://no-media.invalid/x' }];
    const album = call('sendMediaGroup', { chat_id: GROUP, media: items }, 0);
    expect(refusal(album)).toContain('failed to send message #3');
    expect(album.call.messageIds).toHaveLength(2);
  });
});
