// The table of methods: canonical name → what it does. Names are found in any case; a name that is not
// here does not exist.

import { intOf, textOf } from '../params.ts';
import { act, answers, no, type Planned, type Scene, target } from './act.ts';
import { badRequest, tooManyRequests, WEBHOOK_ACTIVE } from './answers.ts';
import { deleteMessages, draft, edit, pin, react, showTyping } from './changing.ts';
import { chatView } from './chats.ts';
import { relay, send, sendAlbum } from './sending.ts';
import { changeChat, changeTopic, createTopic, deleteTopic, gift } from './topics.ts';
import { isFileId } from './uploads.ts';

export interface SimMethod {
  readonly name: string;
  plan(scene: Scene): Planned;
}

// sendPhoto → photo, and so on: one message with a caption.
const MEDIA = [
  ...['photo', 'audio', 'document', 'video', 'animation', 'voice', 'video_note', 'sticker'],
  ...['paid_media', 'location', 'venue', 'contact', 'poll', 'dice', 'game', 'invoice', 'checklist'],
];

const PLANS: Record<string, (scene: Scene) => Planned> = {
  sendMessage: (s) => send(s, ''),
  sendRichMessage: (s) => send(s, ''),
  sendMediaGroup: sendAlbum,
  forwardMessage: (s) => relay(s, 'forward', false),
  forwardMessages: (s) => relay(s, 'forward', true),
  copyMessage: (s) => relay(s, 'copy', false),
  copyMessages: (s) => relay(s, 'copy', true),
  createForumTopic: createTopic,
  editForumTopic: (s) => changeTopic(s, 'topic edited', true),
  closeForumTopic: (s) => changeTopic(s, 'topic closed', true),
  reopenForumTopic: (s) => changeTopic(s, 'topic reopened', true),
  editGeneralForumTopic: (s) => changeTopic(s, 'General edited', false),
  closeGeneralForumTopic: (s) => changeTopic(s, 'General closed', false),
  reopenGeneralForumTopic: (s) => changeTopic(s, 'General reopened', false),
  hideGeneralForumTopic: (s) => changeTopic(s, 'General hidden', false),
  unhideGeneralForumTopic: (s) => changeTopic(s, 'General shown', false),
  setChatTitle: (s) => changeChat(s, 'new title', 'title'),
  setChatPhoto: (s) => changeChat(s, 'new photo', 'photo'),
  deleteChatPhoto: (s) => changeChat(s, 'photo removed', null),
  deleteForumTopic: deleteTopic,
  leaveChat: doSilently,
  sendGift: (s) => gift(s, 'a gift'),
  giftPremiumSubscription: (s) => gift(s, 'a subscription'),
  editMessageText: (s) => edit(s, 'text'),
  editMessageCaption: (s) => edit(s, 'caption'),
  editMessageMedia: (s) => edit(s, 'media'),
  editMessageReplyMarkup: (s) => edit(s, 'markup'),
  deleteMessage: (s) => deleteMessages(s, false),
  deleteMessages: (s) => deleteMessages(s, true),
  pinChatMessage: (s) => pin(s, 'pin'),
  unpinChatMessage: (s) => pin(s, 'unpin'),
  unpinAllChatMessages: (s) => pin(s, 'unpin all'),
  setMessageReaction: react,
  deleteMessageReaction: react,
  sendChatAction: showTyping,
  sendMessageDraft: draft,
  sendRichMessageDraft: draft,
  getMe: (s) => answers({ ...s.bot.view, ...ABILITIES }),
  getUpdates,
  getFile,
  getChat,
  setWebhook,
  deleteWebhook,
  getWebhookInfo: (s) =>
    answers({ url: s.bot.webhookUrl, has_custom_certificate: false, pending_update_count: 0 }),
  answerCallbackQuery: (s) => answered(s, 'callback_query_id'),
  answerInlineQuery: (s) => answered(s, 'inline_query_id'),
  answerWebAppQuery: (s) => answered(s, 'web_app_query_id'),
  answerGuestQuery: (s) => answered(s, 'guest_query_id'),
  getMyCommands: () => answers([]),
  setMyCommands: () => answers(true),
  deleteMyCommands: () => answers(true),
  close: () => answers(true),
  logOut: () => answers(true),
};

for (const media of MEDIA) {
  const words = media.split('_').map((w) => w[0]!.toUpperCase() + w.slice(1));
  PLANS[`send${words.join('')}`] = (s) => send(s, media);
}

// Private chats have topics, as where BotFather was told so.
const ABILITIES = {
  can_join_groups: true,
  supports_inline_queries: false,
  has_topics_enabled: true,
};

const METHODS: ReadonlyMap<string, SimMethod> = new Map(
  Object.entries(PLANS).map(([name, plan]) => [name.toLowerCase(), { name, plan }]),
);

export function methodOf(name: string): SimMethod | null {
  return METHODS.get(name) ?? METHODS.get(name.toLowerCase()) ?? null;
}

const UPDATES_LIMIT_MAX = 100;

// What is there now; waiting for more is the server's part.
function getUpdates(scene: Scene): Planned {
  if (scene.bot.webhookUrl !== '') return no(WEBHOOK_ACTIVE);
  const asked = intOf(scene.params, 'limit') ?? UPDATES_LIMIT_MAX;
  const limit = asked >= 1 && asked <= UPDATES_LIMIT_MAX ? asked : UPDATES_LIMIT_MAX;
  return answers(scene.bot.updatesFrom(intOf(scene.params, 'offset') ?? 0, limit));
}

function getFile(scene: Scene): Planned {
  const file_id = textOf(scene.params, 'file_id');
  if (file_id === '') return no(badRequest('file_id not specified'));
  if (!isFileId(file_id)) return no(badRequest('invalid file_id'));
  const file_path = `documents/${encodeURIComponent(file_id)}`;
  return answers({ file_id, file_unique_id: `u${file_id}`, file_size: 1024, file_path });
}

function getChat(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  return act({
    chat: to.chat,
    backend: to.backend,
    run: () => ({ result: chatView(to.chat), messageIds: [] }),
  });
}

// Done, and told by nothing in the chat.
function doSilently(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const { chat, backend } = to;
  return act({ chat, backend, run: () => ({ result: true, messageIds: [] }) });
}

function setWebhook(scene: Scene): Planned {
  const { bot, now, params } = scene;
  if (now - bot.webhookSetAt < 1000) return no(tooManyRequests(1));
  bot.webhookSetAt = now;
  bot.webhookUrl = textOf(params, 'url');
  return answers(true);
}

function deleteWebhook(scene: Scene): Planned {
  scene.bot.webhookUrl = '';
  return answers(true);
}

// Free of every limit; a query that is older than its time is the caller's to name.
function answered(scene: Scene, idName: string): Planned {
  const id = textOf(scene.params, idName);
  if (id !== '' && !id.startsWith('old')) return answers(true);
  return no(badRequest('query is too old and response timeout expired or query ID is invalid'));
}
