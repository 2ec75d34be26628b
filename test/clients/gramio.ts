// gramio: JSON, multipart with parts that are referred to when there are files.

import { Bot, MediaInput, MediaUpload, TelegramError } from 'gramio';
import { type Client, type ClientOptions, echoOf, photoOf } from './client.ts';

// Its stop does not end a poll that is under way.
const POLL_S = 1;

export function connectGramio({ apiRoot, token }: ClientOptions): Client {
  const bot = new Bot(token, { api: { baseURL: `${apiRoot}/bot` } });
  const { api } = bot;
  return {
    send: async (chat, text) => (await api.sendMessage({ chat_id: chat, text })).message_id,
    async reply(chat, text, to) {
      const reply_parameters = { message_id: to };
      return (await api.sendMessage({ chat_id: chat, text, reply_parameters })).message_id;
    },
    async edit(chat, message, text) {
      const edited = await api.editMessageText({ chat_id: chat, message_id: message, text });
      return edited === true ? '' : (edited.text ?? '');
    },
    remove: (chat, message) => api.deleteMessage({ chat_id: chat, message_id: message }),
    async sendPhoto(chat, bytes) {
      const photo = MediaUpload.buffer(Uint8Array.from(bytes), 'photo.jpg');
      return photoOf(await api.sendPhoto({ chat_id: chat, photo }));
    },
    async sendAlbum(chat, photos) {
      const media = photos.map((bytes, i) =>
        MediaInput.photo(MediaUpload.buffer(Uint8Array.from(bytes), `${i}.jpg`), {
          caption: `photo ${i}`,
        }),
      );
      return (await api.sendMediaGroup({ chat_id: chat, media })).map(photoOf);
    },
    async download(fileId) {
      return Buffer.from(await bot.downloadFile(fileId)).toString();
    },
    async echoOnce() {
      const answered = Promise.withResolvers<void>();
      bot.on('message', async (context) => {
        await context.send(echoOf(context.text));
        answered.resolve();
      });
      await bot.start({ longPolling: { timeout: POLL_S } });
      await answered.promise;
      await bot.stop();
    },
    apiError(error) {
      if (!(error instanceof TelegramError)) return null;
      return { code: error.code, description: error.message };
    },
  };
}
