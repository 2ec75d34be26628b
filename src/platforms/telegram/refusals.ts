// Telegram's refusals by their words: the error codes alone (400, 403) do not tell them apart.
// First match wins. A cure is named only where the changed call still says what the sender meant.

import type { Cure } from '../../domain/outcome.ts';
import type { Reason } from './reasons.ts';

export interface RefusalRule {
  readonly words: RegExp;
  readonly reason: Reason;
  readonly cure: Cure | null;
}

const refusal = (words: RegExp, reason: Reason, cure: Cure | null = null): RefusalRule => ({
  words,
  reason,
  cure,
});

export const REFUSALS: readonly RefusalRule[] = [
  // Before all others: it quotes the item's own error, whose cure would repeat the delivered items.
  refusal(/failed to send message #\d+/i, 'album_failed'),

  refusal(/chat_id is empty/i, 'chat_missing'),
  refusal(/chat not found|user not found|PEER_ID_INVALID/i, 'chat_not_found'),
  refusal(/message text is empty|text must be non-empty/i, 'message_empty'),
  refusal(/(message|text|caption) is too long|TOO_LONG/i, 'too_long'),
  refusal(/can't parse entities|ENTITY_BOUNDS_INVALID/i, 'markup_unparsable', {
    kind: 'plain_text',
  }),
  refusal(
    /message to be replied not found|repl(y|ied) message not found|REPLY_MESSAGE_ID_INVALID/i,
    'reply_not_found',
    { kind: 'drop_reply' },
  ),
  refusal(/message thread not found|TOPIC_DELETED|TOPIC_ID_INVALID/i, 'thread_not_found', {
    kind: 'drop_thread',
  }),
  refusal(/TOPIC_CLOSED/i, 'topic_closed'),
  refusal(/message to (edit|forward|copy) not found|MESSAGE_ID_INVALID/i, 'message_not_found'),
  refusal(/message can't be edited/i, 'message_not_editable'),
  refusal(/message can't be deleted/i, 'message_not_deletable'),
  refusal(/query is too old|QUERY_ID_INVALID/i, 'query_expired'),
  refusal(/TEXTDRAFT_PEER_INVALID/i, 'draft_not_possible'),

  refusal(/bot was blocked by the user/i, 'bot_blocked'),
  refusal(/user is deactivated/i, 'user_deactivated'),
  refusal(/bot was kicked/i, 'bot_kicked'),
  refusal(/bot is not a member/i, 'not_a_member'),
  refusal(/chat was deleted/i, 'chat_deleted'),
  refusal(/can't initiate conversation/i, 'no_conversation'),
  refusal(/bots? can't send messages to (the )?bots?/i, 'peer_is_bot'),
  refusal(
    /(not enough|have no|administrator) rights|CHAT_(WRITE|SEND_\w{1,32})_FORBIDDEN|ADMIN_REQUIRED/i,
    'not_enough_rights',
  ),
  refusal(
    /wrong file identifier|failed to get HTTP URL content|WEBPAGE_|IMAGE_PROCESS|PHOTO_INVALID/i,
    'media_refused',
  ),
];

// The chat already is as the call would make it. A repeated edit or delete meets these, so they are
// successes: calling them refusals would make a dead letter of a call whose first answer was lost.
// `isTrue`: methods that meet it may answer `true`, so that is what the caller gets.
export const ALREADY_DONE: readonly { words: RegExp; isTrue: boolean }[] = [
  { words: /message is not modified|MESSAGE_NOT_MODIFIED/i, isTrue: true },
  { words: /message to delete not found/i, isTrue: true },
  // stopPoll answers with the poll, which we do not have.
  { words: /poll has already been closed/i, isTrue: false },
  { words: /BOT_SCORE_NOT_MODIFIED/i, isTrue: true },
  // A topic that is closed, a chat whose title it is.
  { words: /(?:TOPIC|CHAT)_NOT_MODIFIED/i, isTrue: true },
];
