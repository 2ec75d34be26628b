// What each method of the Bot API touches, for keys that are bound to chats: one row per method. The parameters alone
// do not tell: Telegram ignores a `chat_id` that a method does not take. A method that is not listed touches nobody
// knows what; a test compares the table with the published list of methods.

import type { Targets } from '../../domain/targets.ts';

export type TargetParams = Readonly<Record<string, unknown>>;

type Touches =
  // Nothing.
  | 'none'
  // The chat in `chat_id`, which must be given.
  | 'chat'
  // The chat in `chat_id`; without it the default of all chats.
  | 'chat_or_account'
  // The user in `user_id`, whose private chat has the same id.
  | 'user'
  | 'account';

const ROWS: Readonly<Record<Touches, string>> = {
  none: 'getMe',
  user: 'getUserProfilePhotos getUserProfileAudios',
  chat_or_account: 'setChatMenuButton getChatMenuButton',
  chat: `
    sendMessage sendRichMessage sendPhoto sendLivePhoto sendAudio sendDocument sendVideo sendAnimation sendVoice
    sendVideoNote sendPaidMedia sendMediaGroup sendLocation sendVenue sendContact sendPoll sendChecklist sendDice
    sendSticker sendInvoice sendGame sendMessageDraft sendRichMessageDraft sendChatAction
    forwardMessage forwardMessages copyMessage copyMessages
    editMessageText editMessageCaption editMessageMedia editMessageReplyMarkup editMessageChecklist
    editMessageLiveLocation stopMessageLiveLocation stopPoll setGameScore getGameHighScores
    editEphemeralMessageText editEphemeralMessageMedia editEphemeralMessageCaption
    editEphemeralMessageReplyMarkup deleteEphemeralMessage
    deleteMessage deleteMessages deleteMessageReaction deleteAllMessageReactions setMessageReaction
    approveSuggestedPost declineSuggestedPost
    pinChatMessage unpinChatMessage unpinAllChatMessages
    banChatMember unbanChatMember restrictChatMember promoteChatMember setChatAdministratorCustomTitle
    setChatMemberTag banChatSenderChat unbanChatSenderChat setChatPermissions
    approveChatJoinRequest declineChatJoinRequest
    exportChatInviteLink createChatInviteLink editChatInviteLink createChatSubscriptionInviteLink
    editChatSubscriptionInviteLink revokeChatInviteLink
    setChatPhoto deleteChatPhoto setChatTitle setChatDescription setChatStickerSet deleteChatStickerSet
    leaveChat getChat getChatAdministrators getChatMemberCount getChatMember getUserChatBoosts getChatGifts
    createForumTopic editForumTopic closeForumTopic reopenForumTopic deleteForumTopic unpinAllForumTopicMessages
    editGeneralForumTopic closeGeneralForumTopic reopenGeneralForumTopic hideGeneralForumTopic
    unhideGeneralForumTopic unpinAllGeneralForumTopicMessages
    verifyChat removeChatVerification`,
  account: `
    getUpdates setWebhook deleteWebhook getWebhookInfo logOut close getFile
    answerCallbackQuery answerInlineQuery answerShippingQuery answerPreCheckoutQuery answerWebAppQuery
    answerGuestQuery answerChatJoinRequestQuery sendChatJoinRequestWebApp
    savePreparedInlineMessage savePreparedKeyboardButton
    setMyCommands deleteMyCommands getMyCommands setMyName getMyName setMyDescription getMyDescription
    setMyShortDescription getMyShortDescription setMyProfilePhoto removeMyProfilePhoto
    setMyDefaultAdministratorRights getMyDefaultAdministratorRights
    getManagedBotToken replaceManagedBotToken getManagedBotAccessSettings setManagedBotAccessSettings
    getForumTopicIconStickers getStickerSet getCustomEmojiStickers uploadStickerFile createNewStickerSet
    addStickerToSet setStickerPositionInSet deleteStickerFromSet replaceStickerInSet setStickerEmojiList
    setStickerKeywords setStickerMaskPosition setStickerSetTitle deleteStickerSet setStickerSetThumbnail
    setCustomEmojiStickerSetThumbnail
    getAvailableGifts sendGift giftPremiumSubscription getUserGifts getMyStarBalance getStarTransactions
    refundStarPayment editUserStarSubscription createInvoiceLink
    setUserEmojiStatus getUserPersonalChatMessages verifyUser removeUserVerification setPassportDataErrors
    getBusinessConnection readBusinessMessage deleteBusinessMessages setBusinessAccountName
    setBusinessAccountUsername setBusinessAccountBio setBusinessAccountProfilePhoto
    removeBusinessAccountProfilePhoto setBusinessAccountGiftSettings getBusinessAccountStarBalance
    transferBusinessAccountStars getBusinessAccountGifts convertGiftToStars upgradeGift transferGift
    postStory repostStory editStory deleteStory`,
};

const TOUCHES: ReadonlyMap<string, Touches> = new Map(
  (Object.keys(ROWS) as Touches[]).flatMap((touches) =>
    ROWS[touches]
      .trim()
      .split(/\s+/)
      .map((name) => [name.toLowerCase(), touches] as const),
  ),
);

// Whatever a chat is named for: the target, where it is forwarded from, what it replies to, whose scope it is.
const CHAT_MEMBER = /(?:^|_)chat_id$/i;
// They stand for a chat that nobody here can tell: that of an inline message, and those of another person's account.
const HIDING_MEMBER = /^(?:inline_message_id|business_connection_id)$/i;
// More than the wall lets through.
const DEPTH_MAX = 64;
// `05`, `+5` and `5.0` may be the chat 5 to Telegram, or not: such a spelling names no chat here.
const CHAT_NUMBER = /^-?[1-9]\d{0,15}$/;
const CHAT_NAME = /^@\w{1,64}$/;

export function targets(method: string, params: TargetParams): Targets {
  const touches = TOUCHES.get(method.toLowerCase());
  if (touches === undefined) return { kind: 'unknown' };
  if (touches === 'none') return { kind: 'none' };
  const named: Named = { chats: [], isHidden: false };
  collect(params, named, 0);
  const chats = named.chats.map(canonicalChat);
  if (!chats.every((chat) => chat !== null)) return { kind: 'unknown' };
  const { chat_id: chat, user_id: user } = params;
  switch (touches) {
    case 'account':
      return { kind: 'account', chats };
    case 'chat_or_account':
      if (!isGiven(chat)) return { kind: 'account', chats };
      return named.isHidden ? { kind: 'unknown' } : { kind: 'chats', chats };
    case 'chat':
      return named.isHidden || !isGiven(chat) ? { kind: 'unknown' } : { kind: 'chats', chats };
    case 'user': {
      const own = canonicalChat(user);
      return named.isHidden || own === null
        ? { kind: 'unknown' }
        : { kind: 'chats', chats: [own, ...chats] };
    }
  }
}

// As the journal has it; null: not one of the spellings that mean one chat to everybody.
export function canonicalChat(value: unknown): string | null {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && value !== 0 ? String(value) : null;
  }
  if (typeof value !== 'string') return null;
  if (CHAT_NAME.test(value)) return value.toLowerCase();
  return CHAT_NUMBER.test(value) && Number.isSafeInteger(Number(value)) ? value : null;
}

interface Named {
  readonly chats: unknown[];
  isHidden: boolean;
}

// Of all members at any depth, also those of no meaning to this method.
function collect(value: unknown, named: Named, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEPTH_MAX) {
    named.chats.push(null);
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    if (!isGiven(part)) continue;
    if (HIDING_MEMBER.test(name)) named.isHidden = true;
    else if (CHAT_MEMBER.test(name)) named.chats.push(part);
    else collect(part, named, depth + 1);
  }
}

// As describe.ts has it: what is not given is not sent, or means nothing to Telegram.
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
