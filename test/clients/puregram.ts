// puregram: parameters in the query, files as parts.

import { APIError, InputMedia, MediaSource, Telegram } from 'puregram';
import { type Client, type ClientOptions, echoOf, photoOf } from './client.ts';

// Its stop does not end a poll that is under way.
const POLL_S = 1;

export function connectPuregram({ apiRoot, token }: ClientOptions): Client {
  const telegram = new Telegram({ token, apiBaseUrl: `${apiRoot}/bot` });
  const { api } = telegram;
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
      const photo = MediaSource.buffer(bytes, { filename: 'photo.jpg' });
      return photoOf(await api.sendPhoto({ chat_id: chat, photo }));
    },
    async sendAlbum(chat, photos) {
      const media = photos.map((bytes, i) =>
        InputMedia.photo(MediaSource.buffer(bytes, { filename: `${i}.jpg` }), {
          caption: `photo ${i}`,
        }),
      );
      return (await api.sendMediaGroup({ chat_id: chat, media })).map(photoOf);
    },
    async download(fileId) {
      return String(await telegram.downloadFile(fileId));
    },
    async echoOnce() {
      const answered = Promise.withResolvers<void>();
      telegram.updates.on('message', async (context) => {
        await context.send(echoOf(context.text));
        answered.resolve();
      });
      await telegram.updates.startPolling({ timeout: POLL_S });
      await answered.promise;
      telegram.updates.stopPolling();
    },
    apiError(error) {
      if (!(error instanceof APIError)) return null;
      return { code: error.code, description: error.message };
    },
  };
}
