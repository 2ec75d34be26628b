// Why a try did not end in `sent`: stable codes, and the codes of Discord's JSON errors that they are told by.

import { ACCOUNT_REFUSED } from '../../domain/outcome.ts';

export const REASONS = {
  // Refused: Discord said no and will say no again.
  [ACCOUNT_REFUSED]: 'Discord refuses the bot itself: the token is wrong or was reset.',
  bad_request: 'Discord refuses the call as it is; the detail says why.',
  cannot_dm: 'The person takes no messages from the bot.',
  channel_refused:
    'The channel has refused the bot many times; it is asked again from time to time.',
  forbidden: 'Discord forbids the call; the detail says why.',
  interaction_answered:
    'The interaction has been answered before, by another call or another process.',
  interaction_expired: 'The interaction is too old to be answered, or there is none.',
  message_empty: 'The message has nothing in it.',
  message_not_editable: 'The message is not the bot’s to edit.',
  message_not_found: 'The message is gone.',
  missing_access: 'The bot cannot see the channel.',
  missing_permissions: 'The bot lacks a permission in the channel.',
  not_found: 'Discord knows no such thing.',
  reference_lost: 'A message it mentions by a provisional id was never sent.',
  thread_archived: 'The thread is archived or locked.',
  too_large: 'The request is larger than Discord takes.',
  unknown_channel: 'The channel does not exist.',
  webhook_gone: 'The webhook was deleted, or its token is wrong.',

  // Failed: surely not carried out; tried again.
  not_discord: 'Something on the way answered in Discord’s place (a proxy, a wrong address).',
  overloaded: 'Discord says that it is overloaded.',
  unsent: 'No connection came about; nothing was written.',

  // Uncertain: written, and nobody knows.
  answer_lost: 'The connection broke after the request was written.',
  answer_timeout: 'The request was written and no answer came before the deadline.',
  answer_unreadable: 'Discord seems to have accepted the call, but its answer cannot be read.',
  upstream_broken: 'Discord’s front lost the answer; the call may have been carried out.',
} as const satisfies Readonly<Record<string, string>>;

export type DiscordReason = keyof typeof REASONS;

// By the code of the error.
export const BY_CODE: ReadonlyMap<number, DiscordReason> = new Map<number, DiscordReason>([
  [10003, 'unknown_channel'],
  [10008, 'message_not_found'],
  [10015, 'webhook_gone'],
  [10062, 'interaction_expired'],
  [40005, 'too_large'],
  [40060, 'interaction_answered'],
  [50001, 'missing_access'],
  [50005, 'message_not_editable'],
  [50006, 'message_empty'],
  [50007, 'cannot_dm'],
  [50013, 'missing_permissions'],
  [50027, 'webhook_gone'],
  [50083, 'thread_archived'],
  [160_005, 'thread_archived'],
]);

// The chat refuses the bot, whatever it sends.
export const UNREACHABLE: readonly DiscordReason[] = [
  'cannot_dm',
  'missing_access',
  'unknown_channel',
];

type DoneBy = Readonly<Record<number, readonly string[]>>;

// The message already is as the call would make it.
export const ALREADY_DONE: DoneBy = {
  10008: ['deleteMessage', 'deleteWebhookMessage', 'deleteFollowup'],
};
// And what a repeated call meets whose first answer was lost. A first one that is told so was not shown: somebody else
// has answered.
export const DONE_BEFORE: DoneBy = { ...ALREADY_DONE, 40060: ['createInteractionResponse'] };
