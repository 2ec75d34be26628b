// node-telegram-bot-api 2: forms, streamed multipart with files; repeats 429, 5xx and network errors on its own.

import { Bot, InputFile, TelegramApiError } from 'node-telegram-bot-api';
import { type Client, type ClientOptions, echoOf, photoOf, textAt } from './client.ts';

export function connectNodeTelegramBotApi({ apiRoot, token }: ClientOptions): Client {
  const bot = new Bot(token, { apiRoot });
  const { api } = bot;
  return {
    send: async (chat, text) => (await api.sendMessage({ chat_id: chat, text })).message_id,
    async reply(chat, text, to) {
      const reply_parameters = { message_id: to };
      return (await api.sendMessage({ chat_id: chat, text, reply_parameters })).message_id;
    },
    async edit(chat, message, text) {
      const edited = await api.editMessageText({ chat_id: chat, message_id: message, text });
      return typeof edited === 'boolean' ? '' : (edited.text ?? '');
    },
    remove: (chat, message) => api.deleteMessage({ chat_id: chat, message_id: message }),
    async sendPhoto(chat, bytes) {
      const photo = new InputFile(bytes, { filename: 'photo.jpg' });
      return photoOf(await api.sendPhoto({ chat_id: chat, photo }));
    },
    async sendAlbum(chat, photos) {
      const media = photos.map((bytes, i) => ({
        type: 'photo' as const,
        media: new InputFile(bytes, { filename: `${i}.jpg` }),
        caption: `photo ${i}`,
      }));
      return (await api.sendMediaGroup({ chat_id: chat, media })).map(photoOf);
    },
    async download(fileId) {
      const { file_path: path } = await api.getFile({ file_id: fileId });
      return textAt(`${apiRoot}/file/bot${token}/${path}`);
    },
    async echoOnce() {
      const answered = Promise.withResolvers<void>();
      bot.use(async ({ message, chat }) => {
        if (message === undefined || chat === undefined) return;
        await api.sendMessage({ chat_id: chat.id, text: echoOf(message.text) });
        answered.resolve();
      });
      const polling = bot.startPolling();
      await Promise.race([answered.promise, polling]);
      bot.stop();
      await polling;
    },
    apiError(error) {
      if (!(error instanceof TelegramApiError)) return null;
      return { code: error.errorCode, description: error.description };
    },
  };
}
