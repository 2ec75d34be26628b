// grammY: JSON, multipart when there are files.

import { type FileApiFlavor, hydrateFiles } from '@grammyjs/files';
import { type Api, Bot, type Context, GrammyError, InputFile, InputMediaBuilder } from 'grammy';
import { type Client, type ClientOptions, echoOf } from './client.ts';

export function connectGrammy({ apiRoot, token }: ClientOptions): Client {
  const bot = new Bot<Context, FileApiFlavor<Api>>(token, { client: { apiRoot } });
  bot.api.config.use(hydrateFiles(token, { apiRoot }));
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
    fileUrl: async (fileId) => (await api.getFile(fileId)).getUrl(),
    async echoOnce() {
      const answered = Promise.withResolvers<void>();
      bot.on('message:text', async (context) => {
        await context.reply(echoOf(context.message.text));
        answered.resolve();
      });
      const polling = bot.start();
      await Promise.race([answered.promise, polling]);
      await bot.stop();
      await polling;
    },
    apiError(error) {
      if (!(error instanceof GrammyError)) return null;
      return { code: error.error_code, description: error.description };
    },
  };
}

function photoOf(message: {
  message_id: number;
  photo: readonly { file_id: string; file_size?: number }[];
}) {
  const { file_id: fileId, file_size: bytes = 0 } = message.photo[0]!;
  return { messageId: message.message_id, fileId, bytes };
}
