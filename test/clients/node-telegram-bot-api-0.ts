// node-telegram-bot-api 0.x, which most bots still run: all parameters in the query, files as parts whose own parameter
// is empty there, the parts of an album named by numbers.

import { createRequire } from 'node:module';
import { type Client, type ClientOptions, echoOf, photoOf, textAt } from './client.ts';

interface Sent {
  readonly message_id: number;
  readonly text?: string;
  readonly photo?: readonly { file_id: string; file_size?: number }[];
}

// It has no types of its own: what is used of it.
interface Bot {
  sendMessage(chat: number, text: string, options?: object): Promise<Sent>;
  editMessageText(text: string, options: object): Promise<Sent | true>;
  deleteMessage(chat: number, message: number): Promise<boolean>;
  sendPhoto(chat: number, photo: Buffer, options: object, file: object): Promise<Sent>;
  sendMediaGroup(chat: number, media: readonly object[], options?: object): Promise<Sent[]>;
  getFileLink(fileId: string): Promise<string>;
  on(event: 'message', told: (message: { chat: { id: number }; text?: string }) => void): void;
  startPolling(): Promise<unknown>;
  stopPolling(): Promise<unknown>;
}

const TelegramBot = createRequire(import.meta.url)('node-telegram-bot-api-0') as new (
  token: string,
  options: { readonly baseApiUrl: string },
) => Bot;
const FILE = { filename: 'photo.jpg', contentType: 'image/jpeg' };

export function connectNodeTelegramBotApi0({ apiRoot, token }: ClientOptions): Client {
  const bot = new TelegramBot(token, { baseApiUrl: apiRoot });
  return {
    send: async (chat, text) => (await bot.sendMessage(chat, text)).message_id,
    async reply(chat, text, to) {
      return (await bot.sendMessage(chat, text, { reply_to_message_id: to })).message_id;
    },
    async edit(chat, message, text) {
      const edited = await bot.editMessageText(text, { chat_id: chat, message_id: message });
      return edited === true ? '' : (edited.text ?? '');
    },
    remove: (chat, message) => bot.deleteMessage(chat, message),
    sendPhoto: async (chat, bytes) => photoOf(await bot.sendPhoto(chat, bytes, {}, FILE)),
    async sendAlbum(chat, photos) {
      const media = photos.map((bytes, i) => ({
        type: 'photo',
        media: bytes,
        caption: `photo ${i}`,
        fileOptions: FILE,
      }));
      return (await bot.sendMediaGroup(chat, media)).map(photoOf);
    },
    download: async (fileId) => textAt(await bot.getFileLink(fileId)),
    async echoOnce() {
      const answered = Promise.withResolvers<void>();
      bot.on('message', ({ chat, text }) => {
        bot.sendMessage(chat.id, echoOf(text)).then(() => answered.resolve(), answered.reject);
      });
      await bot.startPolling();
      await answered.promise;
      await bot.stopPolling();
    },
    apiError(error) {
      if (!(error instanceof Error) || !('response' in error)) return null;
      const { body } = error.response as {
        body: { error_code: number; description: string };
      };
      return { code: body.error_code, description: body.description };
    },
  };
}
