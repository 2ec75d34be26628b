// The Chat SDK shows the growing answer of a model by posting a message and editing it, with rich messages where the
// server knows them: straight to a simulated Telegram and through a real gateway process, the same text stays.

import { createTelegramAdapter } from '@chat-adapter/telegram';
import { ConsoleLogger } from 'chat';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textAt } from './client.ts';
import { openRoad, type Road } from './road.ts';

const BOT = 7102;
const TOKEN = `${BOT}:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;
// As often as it will.
const EDIT_MS = 1;
const WORDS = [
  'Ten ',
  'words ',
  'of ',
  'an ',
  'answer, ',
  'the ',
  'last ',
  'of ',
  'which ',
  'stays.',
];

let roads: readonly Road[];

beforeAll(async () => {
  roads = await Promise.all([openRoad('direct'), openRoad('sluice')]);
});

afterAll(async () => {
  await Promise.all(roads.map((road) => road.close()));
});

// A call between two words: so much time passes that each can be shown.
async function* wordsOn(road: Road) {
  for (const word of WORDS) {
    yield word;
    await textAt(`${road.url}/bot${TOKEN}/getMe`);
  }
}

test.each(['51', '-1001000000051'])('streams into chat %s', async (chatId) => {
  const whole = WORDS.join('');
  const [direct, sluice] = await Promise.all(
    roads.map(async (road) => {
      const telegram = createTelegramAdapter({
        apiUrl: road.url,
        botToken: TOKEN,
        mode: 'polling',
        streamingEditIntervalMs: EDIT_MS,
        logger: new ConsoleLogger('silent'),
      });
      const posted = await telegram.stream(telegram.encodeThreadId({ chatId }), wordsOn(road));
      // No text: an edit that is answered before it is shown does not say what Telegram will make of rich text.
      const { message_id } = posted!.raw;
      await road.until(() => road.messagesOf(BOT, Number(chatId))[0]!.text === whole);
      return { message_id, messages: road.messagesOf(BOT, Number(chatId)).length };
    }),
  );
  expect(sluice).toEqual(direct);
  const edits = roads[0]!.calls.filter(
    ({ chat, method }) => chat === chatId && method === 'editMessageText',
  );
  expect(edits.length).toBeGreaterThan(1);
  expect(sluice).toEqual({ message_id: 1, messages: 1 });
});
