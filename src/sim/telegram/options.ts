// What the simulated Telegram believes about its limits. The numbers are documented, measured or folklore;
// every one is an option because the true ones are unpublished and move. `truth` scales all rates at once:
// 0.5 means that the true limits are half of what the world believes, Infinity that there are none.

import { type SimRate, scaled } from '../window.ts';

export interface SimTelegramOptions {
  readonly truth: number;
  // One group, supergroup or channel, all its topics together.
  readonly groupMinute: SimRate;
  readonly groupSpacing: SimRate;
  // One private chat: one a second, short bursts allowed.
  readonly privateBurst: SimRate;
  // Unsolicited messages of one bot, and messages it pays for.
  readonly broadcast: SimRate;
  readonly paid: SimRate;
  readonly reactions: SimRate;
  // sendChatAction and drafts of one chat.
  readonly typing: SimRate;
  // The evidence conflicts: do edits spend the chat's window, one of their own, or none?
  readonly edits: 'shared' | 'separate' | 'free';
  // Shorter waits are not refused but slept inside the server.
  readonly hiddenWaitMsMax: number;
  readonly hiddenTypingMsMax: number;
  // How long a call during a penalty makes the next one, in seconds; then how long offences are remembered.
  readonly penaltySteps: readonly number[];
  readonly penaltyMemoryMs: number;
  // Calls that were on their way when the penalty was announced are refused, not punished.
  readonly penaltyGraceMs: number;
  readonly retryAfterHeader: boolean;
  // How long after someone wrote messages to that chat are answers, not broadcast.
  readonly replyWindowMs: number;
  // Held calls of one bot; one more is held a moment and then refused.
  readonly activeMax: number;
  // A malformed token: 404 as the public front answers, or 401 as the open server does.
  readonly malformedTokenStatus: 401 | 404;
}

export const TELEGRAM_DEFAULTS: SimTelegramOptions = {
  truth: 1,
  groupMinute: { count: 20, perMs: 60_000 },
  groupSpacing: { count: 1, perMs: 1000 },
  privateBurst: { count: 5, perMs: 5000 },
  broadcast: { count: 30, perMs: 1000 },
  paid: { count: 1000, perMs: 1000 },
  reactions: { count: 20, perMs: 60_000 },
  typing: { count: 1, perMs: 1000 },
  edits: 'shared',
  hiddenWaitMsMax: 8000,
  hiddenTypingMsMax: 2000,
  penaltySteps: [60, 240, 1000, 5800, 50_000],
  penaltyMemoryMs: 24 * 3_600_000,
  penaltyGraceMs: 1000,
  retryAfterHeader: true,
  replyWindowMs: 3_600_000,
  activeMax: 1000,
  malformedTokenStatus: 404,
};

export function telegramOptions(given: Partial<SimTelegramOptions>): SimTelegramOptions {
  const all = { ...TELEGRAM_DEFAULTS, ...given };
  const rate = (r: SimRate) => scaled(r, all.truth);
  return {
    ...all,
    groupMinute: rate(all.groupMinute),
    groupSpacing: rate(all.groupSpacing),
    privateBurst: rate(all.privateBurst),
    broadcast: rate(all.broadcast),
    paid: rate(all.paid),
    reactions: rate(all.reactions),
    typing: rate(all.typing),
  };
}
