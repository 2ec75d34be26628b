// What is known of Telegram before it is opened.

import type { PlatformDefinition } from '../definition.ts';
import { CREDENTIALS } from './credentials.ts';
import { mtprotoKinds } from './history/mtproto/kind.ts';
import { TELEGRAM_SETTINGS, type TelegramSettings } from './settings.ts';

export const TELEGRAM = {
  name: 'telegram',
  settings: TELEGRAM_SETTINGS,
  relate({ reserveMpm, groupMpm, mtprotoApiId, mtprotoApiHash }: TelegramSettings) {
    const room = `expected less than group_mpm (${groupMpm}), or live output could never go`;
    const both = 'expected together with mtproto_api_id: my.telegram.org gives both';
    return [
      ...(reserveMpm < groupMpm ? [] : [{ key: 'reserveMpm', expected: room } as const]),
      ...((mtprotoApiId === null) === (mtprotoApiHash === null)
        ? []
        : [{ key: 'mtprotoApiHash', expected: both } as const]),
    ];
  },
  credentials: CREDENTIALS,
  // A bot of the sandbox.
  sample: {
    account: 'telegram:sandbox-1',
    credential: '1:sandbox',
    secretHeader: 'X-Telegram-Bot-Api-Secret-Token',
    update: {
      update_id: 7001,
      message: { message_id: 1, date: 1900000000, chat: { id: 42 }, text: 'hello' },
    },
    dropIn: {
      url: '/bot:token/:method',
      params: { token: '1:sandbox', method: 'sendMessage' },
      body: { chat_id: 42, text: 'hello' },
    },
  },
  async open({ settings, connect, sandbox, files, reusesFiles }) {
    const { createTelegram } = await import('./telegram.ts');
    return createTelegram({
      transport: connect(settings.telegramApi),
      ...(sandbox === null ? null : { sandbox }),
      limits: settings,
      files,
      pages: () => connect(settings.tmeUrl),
      mtproto: mtprotoKinds(settings),
      reuse: reusesFiles,
    });
  },
} as const satisfies PlatformDefinition<typeof TELEGRAM_SETTINGS>;
