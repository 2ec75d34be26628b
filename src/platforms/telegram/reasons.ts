// Why a try did not end in `sent`: stable codes for dead letters, metrics and alerts, with the
// sentence the documentation and the page show. A code is never renamed and never means two things.

import { ACCOUNT_REFUSED } from '../../domain/outcome.ts';

export const REASONS = {
  // Refused: Telegram said no and will say no again.
  [ACCOUNT_REFUSED]: 'Telegram refuses the bot itself: the token is wrong, revoked or logged out.',
  album_failed: 'An item of the album was refused; items before it may have been delivered.',
  bad_request: 'Telegram refuses the call as it is; the detail says why.',
  bot_blocked: 'The user has blocked the bot.',
  bot_kicked: 'The bot was removed from the group or channel.',
  chat_deleted: 'The group was deleted.',
  chat_migrated: 'The group became a supergroup and has a new id.',
  chat_missing: 'The call names no chat.',
  chat_not_found: 'The chat does not exist, or the bot has never seen it.',
  draft_not_possible: 'Drafts exist in private chats only.',
  forbidden: 'Telegram forbids the call; the detail says why.',
  markup_unparsable: 'The text is not valid in the parse mode it names.',
  media_refused: 'Telegram cannot fetch, read or accept the file.',
  message_empty: 'The message has no text.',
  message_not_deletable: 'The message is too old to be deleted, or not the bot’s to delete.',
  message_not_editable: 'The message is not the bot’s to edit.',
  message_not_found: 'The message to edit, forward or copy is gone.',
  method_not_found: 'Telegram has no such method.',
  no_conversation: 'The user has never written to the bot, so it may not write first.',
  not_a_member: 'The bot is not in the group or channel.',
  not_enough_rights: 'The bot lacks the right to do this in the chat.',
  peer_is_bot: 'The chat is another bot.',
  query_expired: 'The callback or inline query is too old to be answered.',
  reference_lost: 'A message it mentions by a provisional id was never sent.',
  reply_not_found: 'The message to reply to is gone.',
  thread_not_found: 'The topic does not exist any more.',
  too_large: 'The request is larger than Telegram takes.',
  too_long: 'The text or caption is longer than Telegram takes.',
  topic_closed: 'The topic is closed and the bot may not write to it.',
  user_deactivated: 'The user’s account was deleted.',

  // Failed: surely not carried out; tried again.
  conflict: 'Another poller or webhook of the bot was at work.',
  not_telegram: 'Something on the way answered in Telegram’s place (a proxy, a wrong address).',
  restarting: 'Telegram’s server is restarting.',
  unavailable: 'Telegram’s front server had no server to hand the call to.',
  unsent: 'No connection came about; nothing was written.',

  // Uncertain: written, and nobody knows.
  answer_lost: 'The connection broke after the request was written.',
  answer_timeout: 'The request was written and no answer came before the deadline.',
  answer_unreadable: 'Telegram seems to have accepted the call, but its answer cannot be read.',
  upstream_broken: 'Telegram’s front server lost the answer; the call may have been carried out.',
} as const satisfies Readonly<Record<string, string>>;

export type Reason = keyof typeof REASONS;

// The chat refuses the bot, whatever it sends. Not `chat_not_found`: that is as often a slip in a list.
export const UNREACHABLE: readonly Reason[] = [
  'bot_blocked',
  'bot_kicked',
  'chat_deleted',
  'no_conversation',
  'not_a_member',
  'user_deactivated',
];
