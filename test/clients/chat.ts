// Vercel's Chat SDK with its Telegram adapter: JSON, multipart when there are files; one caption for a whole album.

import { createMemoryState } from '@chat-adapter/state-memory';
import { createTelegramAdapter } from '@chat-adapter/telegram';
import { type Adapter, Chat, ConsoleLogger } from 'chat';
import { type Client, type ClientOptions, echoOf, photoOf } from './client.ts';

export function connectChat({ apiRoot, token }: ClientOptions): Client {
  const logger = new ConsoleLogger('silent');
  const telegram = createTelegramAdapter({
    apiUrl: apiRoot,
    botToken: token,
    mode: 'polling',
    logger,
  });
  const threadOf = (chat: number) => telegram.encodeThreadId({ chatId: String(chat) });
  const idOf = (chat: number, message: number) => `${chat}:${message}`;
  const photo = (data: Buffer, name: string) => ({
    type: 'image' as const,
    data,
    name,
    mimeType: 'image/jpeg',
  });
  return {
    send: async (chat, text) => (await telegram.postMessage(threadOf(chat), text)).raw.message_id,
    async reply(chat, text, to) {
      return (await telegram.reply(threadOf(chat), idOf(chat, to), text)).raw.message_id;
    },
    async edit(chat, message, text) {
      return (await telegram.editMessage(threadOf(chat), idOf(chat, message), text)).raw.text ?? '';
    },
    async remove(chat, message) {
      await telegram.deleteMessage(threadOf(chat), idOf(chat, message));
      return true;
    },
    async sendPhoto(chat, bytes) {
      const attachments = [photo(bytes, 'photo.jpg')];
      return photoOf((await telegram.postMessage(threadOf(chat), { raw: '', attachments })).raw);
    },
    async sendAlbum(chat, photos) {
      const attachments = photos.map((bytes, i) => photo(bytes, `${i}.jpg`));
      await telegram.postMessage(threadOf(chat), { raw: 'photo 0', attachments });
      // The answer is the last one alone.
      const { messages } = await telegram.fetchMessages(threadOf(chat));
      return messages.map(({ raw }) => photoOf(raw));
    },
    async download(fileId) {
      const attachment = telegram.rehydrateAttachment({ type: 'image', fetchMetadata: { fileId } });
      return Buffer.from(new Uint8Array(await attachment.fetchData!())).toString();
    },
    async echoOnce() {
      const answered = Promise.withResolvers<void>();
      const chat = new Chat({
        userName: 'echo',
        // Its types are written for looser settings of the compiler than ours.
        adapters: { telegram: telegram as Adapter },
        state: createMemoryState(),
        logger: 'silent',
      });
      chat.onDirectMessage(async (thread, message) => {
        await thread.post(echoOf(message.text));
        answered.resolve();
      });
      await chat.initialize();
      await answered.promise;
      await chat.shutdown();
    },
    // It tells what is neither 401, 403, 404 nor 429 as an error of validation, without the number.
    apiError(error) {
      if (!(error instanceof Error) || error.name !== 'ValidationError') return null;
      return { code: 400, description: error.message };
    },
  };
}
