// grammY: JSON, multipart when there are files; plain, and as its documentation advises for larger bots, with updates
// fetched by its runner and calls repeated by auto-retry.

import { autoRetry } from '@grammyjs/auto-retry';
import { type FileApiFlavor, hydrateFiles } from '@grammyjs/files';
import { run } from '@grammyjs/runner';
import { type Api, Bot, type Context, GrammyError, InputFile, InputMediaBuilder } from 'grammy';
import { type Client, type ClientOptions, echoOf, photoOf, textAt } from './client.ts';

type FilesBot = Bot<Context, FileApiFlavor<Api>>;

export function connectGrammy({ apiRoot, token }: ClientOptions): Client {
  const bot: FilesBot = new Bot(token, { client: { apiRoot } });
  bot.api.config.use(hydrateFiles(token, { apiRoot }));
  return clientOf(bot, async (answered) => {
    const polling = bot.start();
    await Promise.race([answered, polling]);
    await bot.stop();
    await polling;
  });
}

export function connectGrammyRunner({ apiRoot, token }: ClientOptions): Client {
  const bot: FilesBot = new Bot(token, { client: { apiRoot } });
  bot.api.config.use(autoRetry(), hydrateFiles(token, { apiRoot }));
  return clientOf(bot, async (answered) => {
    const runner = run(bot);
    await Promise.race([answered, runner.task()]);
    await runner.stop();
  });
}

function clientOf(bot: FilesBot, pollUntil: (answered: Promise<void>) => Promise<void>): Client {
  const { api } = bot;
  return {
    send: async (chat, text) => (await api.sendMessage(chat, text)).message_id,
    async reply(chat, text, to) {
      const sent = await api.sendMessage(chat, text, { reply_parameters: { message_id: to } });
      return sent.message_id;
    },
    async edit(chat, message, text) {
      const edited = await api.editMessageText(chat, message, text);
      return edited !== true && 'text' in edited ? edited.text : '';
    },
    remove: (chat, message) => api.deleteMessage(chat, message),
    async sendPhoto(chat, bytes) {
      return photoOf(await api.sendPhoto(chat, new InputFile(bytes, 'photo.jpg')));
    },
    async sendAlbum(chat, photos) {
      const media = photos.map((bytes, i) =>
        InputMediaBuilder.photo(new InputFile(bytes, `${i}.jpg`), { caption: `photo ${i}` }),
      );
      return (await api.sendMediaGroup(chat, media)).map((message) =>
        photoOf(message as Parameters<typeof photoOf>[0]),
      );
    },
    // Its own `download()` speaks https alone.
    download: async (fileId) => textAt((await api.getFile(fileId)).getUrl()),
    async echoOnce() {
      const answered = Promise.withResolvers<void>();
      bot.on('message:text', async (context) => {
        await context.reply(echoOf(context.message.text));
        answered.resolve();
      });
      await pollUntil(answered.promise);
    },
    apiError(error) {
      if (!(error instanceof GrammyError)) return null;
      return { code: error.error_code, description: error.description };
    },
  };
}
