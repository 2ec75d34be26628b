// telegraf: JSON; with files a multipart stream without a length.

import { Telegraf, TelegramError } from 'telegraf';
import { type Client, type ClientOptions, echoOf, photoOf, textAt } from './client.ts';

export function connectTelegraf({ apiRoot, token }: ClientOptions): Client {
  const bot = new Telegraf(token, { telegram: { apiRoot } });
  const { telegram } = bot;
  return {
    send: async (chat, text) => (await telegram.sendMessage(chat, text)).message_id,
    async reply(chat, text, to) {
      const sent = await telegram.sendMessage(chat, text, { reply_parameters: { message_id: to } });
      return sent.message_id;
    },
    async edit(chat, message, text) {
      const edited = await telegram.editMessageText(chat, message, undefined, text);
      return edited === true ? '' : edited.text;
    },
    remove: (chat, message) => telegram.deleteMessage(chat, message),
    sendPhoto: async (chat, bytes) => photoOf(await telegram.sendPhoto(chat, { source: bytes })),
    async sendAlbum(chat, photos) {
      const media = photos.map((source, i) => ({
        type: 'photo' as const,
        media: { source, filename: `${i}.jpg` },
        caption: `photo ${i}`,
      }));
      return (await telegram.sendMediaGroup(chat, media)).map((message) =>
        photoOf(message as Parameters<typeof photoOf>[0]),
      );
    },
    download: async (fileId) => textAt((await telegram.getFileLink(fileId)).href),
    async echoOnce() {
      const answered = Promise.withResolvers<void>();
      bot.on('text', async (context) => {
        await context.reply(echoOf(context.message.text));
        answered.resolve();
      });
      const polling = bot.launch();
      await Promise.race([answered.promise, polling]);
      bot.stop();
      await polling;
    },
    apiError(error) {
      if (!(error instanceof TelegramError)) return null;
      return { code: error.code, description: error.description };
    },
  };
}
