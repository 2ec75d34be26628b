// What a bot's messages count for: about 30 a second that nobody asked for (broadcast), a thousand of those that are
// paid for (paid). Answers (reply), and what is no message (open), count for no budget of the bot.

import type { Budgets } from '../platform.ts';

export const PAID = 'paid';
const NAMES = ['broadcast', 'reply', PAID, 'open'] as const;
export type TelegramBudget = (typeof NAMES)[number];

export const BUDGETS = {
  names: NAMES,
  unsolicited: 'broadcast',
  reply: 'reply',
} as const satisfies Budgets;
