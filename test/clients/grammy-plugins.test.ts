// A grammY bot with the plugins that larger ones use (runner, conversations, menu, auto-retry, files), straight to a
// simulated Telegram and through a real gateway process: a person talks to it, and reads the same both ways.

import { autoRetry } from '@grammyjs/auto-retry';
import {
  type Conversation,
  type ConversationFlavor,
  conversations,
  createConversation,
} from '@grammyjs/conversations';
import { type FileApiFlavor, hydrateFiles } from '@grammyjs/files';
import { Menu } from '@grammyjs/menu';
import { run, sequentialize } from '@grammyjs/runner';
import { type Api, Bot, type Context, InputFile } from 'grammy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textAt } from './client.ts';
import { openRoad, type Road } from './road.ts';

type Talk = ConversationFlavor<Context>;

const BOT = 7101;
const TOKEN = `${BOT}:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;
const FROZEN = 43;
const FROZEN_S = 3;

let roads: readonly Road[];

beforeAll(async () => {
  roads = await Promise.all([openRoad('direct'), openRoad('sluice')]);
});

afterAll(async () => {
  await Promise.all(roads.map((road) => road.close()));
});

// The same person talks to the same bot on both roads at once, and tells the same.
async function bothWays(
  person: (road: Road, bot: Bot<Talk, FileApiFlavor<Api>>) => Promise<unknown>,
) {
  const [direct, sluice] = await Promise.all(
    roads.map(async (road) => {
      const bot = botOn(road);
      const runner = run(bot);
      try {
        return await Promise.race([person(road, bot), runner.task()]);
      } finally {
        await runner.stop();
      }
    }),
  );
  expect(sluice).toEqual(direct);
  return sluice;
}

function botOn(road: Road) {
  const bot = new Bot<Talk, FileApiFlavor<Api>>(TOKEN, { client: { apiRoot: road.url } });
  bot.api.config.use(autoRetry(), hydrateFiles(TOKEN, { apiRoot: road.url }));
  bot.use(sequentialize((context) => String(context.chatId)));
  bot.use(conversations());
  bot.use(createConversation(introduce));
  const menu = new Menu<Talk>('lamp')
    .text('On', (context) => context.editMessageText('it is on'))
    .row()
    .text('Close', (context) => context.menu.close());
  bot.use(menu);
  bot.command('name', (context) => context.conversation.enter('introduce'));
  bot.command('lamp', (context) => context.reply('it is off', { reply_markup: menu }));
  return bot;
}

async function introduce(conversation: Conversation<Talk>, context: Context) {
  await context.reply('who are you?');
  const { message } = await conversation.waitFor('message:text');
  const age = await context.reply(`how old is ${message.text}?`);
  const answer = await conversation.waitFor('message:text');
  await context.api.editMessageText(
    age.chat.id,
    age.message_id,
    `${message.text} is ${answer.message.text}`,
  );
}

// What stands in the chat, once it is so.
async function shown(road: Road, chat: number, ...texts: readonly string[]): Promise<string[]> {
  const now = () => road.messagesOf(BOT, chat).map(({ text }) => text);
  await road.until(() => JSON.stringify(now()) === JSON.stringify(texts));
  return now();
}

test('asks, remembers what it asked, and edits its question', async () => {
  const talk = await bothWays(async (road) => {
    const say = (text: string) => road.sim.model.inject(TOKEN, '41', text, Date.now());
    say('/name');
    await shown(road, 41, '/name', 'who are you?');
    say('Ada');
    await shown(road, 41, '/name', 'who are you?', 'Ada', 'how old is Ada?');
    say('36');
    return shown(road, 41, '/name', 'who are you?', 'Ada', 'Ada is 36', '36');
  });
  expect(talk).toHaveLength(5);
});

test('shows a menu, does what its buttons say, and closes it', async () => {
  const talk = await bothWays(async (road, bot) => {
    const { model } = road.sim;
    const buttons: string[] = [];
    bot.api.config.use(async (previous, method, payload, signal) => {
      if ('reply_markup' in payload) buttons.push(JSON.stringify(payload.reply_markup));
      return previous(method, payload, signal);
    });
    model.inject(TOKEN, '42', '/lamp', Date.now());
    await shown(road, 42, '/lamp', 'it is off');
    const [on, close] = dataOf(buttons.at(-1)!);
    model.press(TOKEN, '42', 2, on!);
    await shown(road, 42, '/lamp', 'it is on');
    model.press(TOKEN, '42', 2, close!);
    const isClosed = () => road.messagesOf(BOT, 42)[1]!.content === 'it is on\n""';
    await road.until(isClosed);
    const answered = ({ method, status }: Road['calls'][number]) =>
      method === 'answerCallbackQuery' && status === 200;
    await road.until(() => road.calls.filter(answered).length >= 2);
    return { texts: await shown(road, 42, '/lamp', 'it is on'), buttons: buttons.length };
  });
  expect(talk).toMatchObject({ texts: ['/lamp', 'it is on'] });
});

test('sends a file, and downloads it, in a chat that is frozen at first', async () => {
  const file = await bothWays(async (road, bot) => {
    road.sim.model.freeze(TOKEN, String(FROZEN), FROZEN_S, Date.now());
    const sent = await bot.api.sendDocument(
      FROZEN,
      new InputFile(Buffer.from('12345'), 'five.txt'),
    );
    const content = await textAt((await bot.api.getFile(sent.document.file_id)).getUrl());
    return { size: sent.document.file_size, id: sent.message_id, content };
  });
  expect(file).toMatchObject({ size: 5, id: 1 });
  // Both had to wait: direct by auto-retry, through the gateway by its own.
  for (const { calls } of roads) {
    const limited = calls.filter(
      ({ chat, cause }) => chat === String(FROZEN) && cause === 'forced',
    );
    expect(limited.length).toBeGreaterThan(0);
  }
});

function dataOf(markup: string): string[] {
  const { inline_keyboard: rows } = JSON.parse(markup) as {
    inline_keyboard: { callback_data: string }[][];
  };
  return rows.flat().map((button) => button.callback_data);
}
