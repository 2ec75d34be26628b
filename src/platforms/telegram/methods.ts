// What each method of the Bot API is to delivery: one row per published method, which a test compares with the newest
// types. A method that changes what a chat shows goes over the road, in the order of its chat; reads, settings and
// administration are passed straight through (PASSED).
// The Bot API grows every few weeks: a method the table does not know is judged by its name, and taken for a send when
// it names a chat. Too careful costs a little time, too bold costs a ban.

import type { Family } from '../../domain/call.ts';
import { PAID } from './budgets.ts';

export interface BotApiMethod {
  readonly name: string;
  readonly family: Family;
  // Doing it twice leaves the chat as doing it once.
  readonly idempotent: boolean;
  // The parameter whose length is the number of messages; null: one message.
  readonly costOf: 'media' | 'message_ids' | null;
  // Waiting calls of one kind on one message replace each other; null: each one counts.
  readonly slot: string | null;
  // Where the call goes: a chat, a message (in a chat or inline), or the asker of a query.
  readonly target: 'chat' | 'message' | 'query';
}

const send = (name: string, costOf: BotApiMethod['costOf'] = null): BotApiMethod => ({
  name,
  family: 'send',
  idempotent: false,
  costOf,
  slot: null,
  target: 'chat',
});

// Text and keyboard are slots of their own: a new keyboard must not swallow a waiting text.
const edit = (name: string, slot: string | null): BotApiMethod => ({
  name,
  family: 'edit',
  idempotent: true,
  costOf: null,
  slot,
  target: 'message',
});

const idempotent = (
  name: string,
  family: Family,
  target: BotApiMethod['target'],
  slot: string | null = null,
): BotApiMethod => ({ name, family, idempotent: true, costOf: null, slot, target });

const words = (text: string): string[] => text.trim().split(/\s+/);

const DELIVERED: readonly BotApiMethod[] = [
  ...words(`
    sendMessage sendRichMessage sendPhoto sendLivePhoto sendAudio sendDocument sendVideo sendAnimation sendVoice
    sendVideoNote sendPaidMedia sendLocation sendVenue sendContact sendPoll sendChecklist sendDice sendSticker
    sendInvoice sendGame sendGift giftPremiumSubscription forwardMessage copyMessage`).map((name) =>
    send(name),
  ),
  // Announces itself with a message, and is counted as one.
  send('createForumTopic'),
  send('sendMediaGroup', 'media'),
  send('forwardMessages', 'message_ids'),
  send('copyMessages', 'message_ids'),

  edit('editMessageText', 'edit'),
  edit('editMessageCaption', 'edit_caption'),
  edit('editMessageMedia', 'edit_media'),
  edit('editMessageReplyMarkup', 'edit_markup'),
  edit('editMessageChecklist', 'edit_checklist'),
  edit('editMessageLiveLocation', 'edit_location'),
  edit('editEphemeralMessageText', 'edit'),
  edit('editEphemeralMessageCaption', 'edit_caption'),
  edit('editEphemeralMessageMedia', 'edit_media'),
  edit('editEphemeralMessageReplyMarkup', 'edit_markup'),
  edit('stopMessageLiveLocation', 'stop_location'),
  edit('stopPoll', 'stop_poll'),
  edit('setGameScore', 'game_score'),

  ...words('deleteMessage deleteMessages deleteEphemeralMessage').map((name) =>
    idempotent(name, 'delete', 'chat'),
  ),
  // In a group the platform announces a pin with a message, so it spends like one.
  ...words('pinChatMessage unpinChatMessage').map((name) => idempotent(name, 'edit', 'message')),
  // So do a chat's new title or photo and what happens to a topic; and none of them may overtake what waits.
  ...words(`
    editForumTopic closeForumTopic reopenForumTopic editGeneralForumTopic closeGeneralForumTopic
    reopenGeneralForumTopic hideGeneralForumTopic unhideGeneralForumTopic
    setChatTitle setChatPhoto deleteChatPhoto`).map((name) => idempotent(name, 'edit', 'chat')),
  // Announce nothing, and end what messages that wait still need: last in, last done.
  ...words(`
    deleteForumTopic leaveChat
    unpinAllChatMessages unpinAllForumTopicMessages unpinAllGeneralForumTopicMessages`).map(
    (name) => idempotent(name, 'free', 'chat'),
  ),

  idempotent('setMessageReaction', 'reaction', 'message', 'reaction'),
  idempotent('deleteMessageReaction', 'reaction', 'message'),
  idempotent('deleteAllMessageReactions', 'reaction', 'chat'),
  idempotent('sendChatAction', 'typing', 'chat', 'typing'),
  idempotent('sendMessageDraft', 'draft', 'chat', 'draft'),
  idempotent('sendRichMessageDraft', 'draft', 'chat', 'draft'),

  ...words(`
    answerCallbackQuery answerInlineQuery answerShippingQuery answerPreCheckoutQuery answerWebAppQuery
    answerGuestQuery answerChatJoinRequestQuery sendChatJoinRequestWebApp`).map((name) =>
    idempotent(name, 'free', 'query'),
  ),
];

// They send nothing that a chat's limit counts, and nothing that waits depends on them.
const PASSED = words(`
  getMe getUpdates setWebhook deleteWebhook getWebhookInfo logOut close
  getFile getChat getChatAdministrators getChatMember getChatMemberCount getChatMenuButton getChatGifts
  getUserChatBoosts getUserProfilePhotos getUserProfileAudios getUserGifts getUserPersonalChatMessages
  getGameHighScores getForumTopicIconStickers getStickerSet getCustomEmojiStickers getAvailableGifts
  getMyCommands getMyName getMyDescription getMyShortDescription getMyDefaultAdministratorRights
  getMyStarBalance getStarTransactions getBusinessConnection getBusinessAccountGifts
  getBusinessAccountStarBalance getManagedBotToken getManagedBotAccessSettings
  setMyCommands deleteMyCommands setMyName setMyDescription setMyShortDescription setMyProfilePhoto
  removeMyProfilePhoto setMyDefaultAdministratorRights setChatMenuButton setUserEmojiStatus
  setManagedBotAccessSettings replaceManagedBotToken setPassportDataErrors
  banChatMember unbanChatMember kickChatMember restrictChatMember promoteChatMember
  setChatAdministratorCustomTitle setChatMemberTag banChatSenderChat unbanChatSenderChat setChatPermissions
  setChatDescription setChatStickerSet deleteChatStickerSet getChatMembersCount
  approveChatJoinRequest declineChatJoinRequest approveSuggestedPost declineSuggestedPost
  exportChatInviteLink createChatInviteLink editChatInviteLink createChatSubscriptionInviteLink
  editChatSubscriptionInviteLink revokeChatInviteLink
  verifyUser verifyChat removeUserVerification removeChatVerification
  uploadStickerFile createNewStickerSet addStickerToSet setStickerPositionInSet deleteStickerFromSet
  replaceStickerInSet setStickerEmojiList setStickerKeywords setStickerMaskPosition setStickerSetTitle
  deleteStickerSet setStickerSetThumbnail setCustomEmojiStickerSetThumbnail
  savePreparedInlineMessage savePreparedKeyboardButton createInvoiceLink refundStarPayment
  editUserStarSubscription transferBusinessAccountStars convertGiftToStars upgradeGift transferGift
  readBusinessMessage deleteBusinessMessages setBusinessAccountName setBusinessAccountUsername
  setBusinessAccountBio setBusinessAccountProfilePhoto removeBusinessAccountProfilePhoto
  setBusinessAccountGiftSettings postStory repostStory editStory deleteStory`);

// They move money or Stars, of the bot or of an account it manages. Whether the first call was carried out is for a
// person to find out: none is repeated when its answer was lost, whatever the policy. Not here: what only asks for a
// payment (sendInvoice, createInvoiceLink, sendPaidMedia), and what ends one (editUserStarSubscription). Messages with
// `allow_paid_broadcast` are told by their budget.
const SPENDING: ReadonlySet<string> = new Set(
  words(`
    sendGift giftPremiumSubscription transferGift upgradeGift convertGiftToStars transferBusinessAccountStars
    refundStarPayment`).map((name) => name.toLowerCase()),
);

const BY_LOWER_NAME: ReadonlyMap<string, BotApiMethod | null> = new Map([
  ...DELIVERED.map((method) => [method.name.toLowerCase(), method] as const),
  ...PASSED.map((name) => [name.toLowerCase(), null] as const),
]);

// Methods the table does not know, by the shape of their names; the first that fits.
const INFERRED: readonly { shape: RegExp; make: (name: string) => BotApiMethod | null }[] = [
  { shape: /^edit\w*message/i, make: (name) => edit(name, null) },
  { shape: /^delete\w*messages?$/i, make: (name) => idempotent(name, 'delete', 'chat') },
  { shape: /^send\w*draft$/i, make: (name) => idempotent(name, 'draft', 'chat', 'draft') },
  // Administration: names a chat, but sends nothing to it.
  {
    shape: new RegExp(
      `^(${[
        ...['add', 'answer', 'approve', 'ban', 'close', 'convert', 'create', 'decline', 'delete'],
        ...['edit', 'export', 'get', 'hide', 'leave', 'log', 'pin', 'post', 'promote', 'read'],
        ...['refund', 'remove', 'reopen', 'replace', 'repost', 'restrict', 'revoke', 'save', 'set'],
        ...['transfer', 'unban', 'unhide', 'unpin', 'upgrade', 'upload', 'verify'],
      ].join('|')})`,
      'i',
    ),
    make: () => null,
  },
];

// Null: not a delivery. Names are known in any case of letters, as the Bot API knows them.
export function methodOf(name: string, hasChat: boolean): BotApiMethod | null {
  const known = BY_LOWER_NAME.get(name.toLowerCase());
  if (known !== undefined) return known;
  if (!hasChat) return null;
  const inferred = INFERRED.find(({ shape }) => shape.test(name));
  return inferred === undefined ? send(name) : inferred.make(name);
}

// Whether somebody has decided what it is.
export function isListed(name: string): boolean {
  return BY_LOWER_NAME.has(name.toLowerCase());
}

// What was made, or what people voted, is in the answer alone.
const AWAITED: ReadonlySet<string> = new Set(['createforumtopic', 'stoppoll']);

export function isAwaited(name: string): boolean {
  return AWAITED.has(name.toLowerCase());
}

export function spends(name: string, budget?: string): boolean {
  // A paid message costs its price each time.
  return budget === PAID || SPENDING.has(name.toLowerCase());
}

// For a call that was accepted as a delivery.
export function deliveryMethod(name: string): BotApiMethod {
  return methodOf(name, true) ?? send(name);
}

export function isIdempotent(name: string): boolean {
  return deliveryMethod(name).idempotent;
}
