import { describe, expect, test } from 'vitest';
import { mentions, named } from './describe.ts';

const IDS = new Map([
  [5, '105'],
  [6, '106'],
]);

describe('a provisional id', () => {
  test.each([
    [{ message_id: -5 }, [5], { message_id: 105 }],
    [{ message_id: '-5', text: 'x' }, [5], { message_id: 105, text: 'x' }],
    [{ reply_to_message_id: -5 }, [5], { reply_to_message_id: 105 }],
    [
      { reply_parameters: { message_id: -5, quote: 'q' } },
      [5],
      { reply_parameters: { message_id: 105, quote: 'q' } },
    ],
    [{ reply_parameters: '{"message_id":-5}' }, [5], { reply_parameters: '{"message_id":105}' }],
    [{ message_ids: [1, -5, -6] }, [5, 6], { message_ids: [1, 105, 106] }],
    [{ message_thread_id: -5, text: 'x' }, [5], { message_thread_id: 105, text: 'x' }],
    [
      { message_thread_id: '-5', message_id: -6 },
      [6, 5],
      { message_thread_id: 105, message_id: 106 },
    ],
    [{ message_ids: '[-5, 7]' }, [5], { message_ids: '[105,7]' }],
  ])('is found in %j and replaced', (params, seqs, renamed) => {
    const body = JSON.stringify({ chat_id: -100, ...params });
    expect(mentions(body)).toEqual(seqs);
    expect(JSON.parse(named(body, IDS))).toEqual({ chat_id: -100, ...renamed });
  });

  test.each([
    { chat_id: -100, message_id: 5, text: '-5' },
    { chat_id: -100, text: '"message_id":-5' },
    { chat_id: -100, message_ids: [1, 2] },
    { chat_id: -100, message_thread_id: 5 },
  ])('is not seen in %j', (params) => {
    expect(mentions(JSON.stringify(params))).toEqual([]);
  });
});
