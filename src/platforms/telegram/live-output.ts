// Live output on Telegram: drafts in private chats, edits of one message elsewhere. A text of several messages carries
// its buttons under the last and its reply at the first, as a long message does.

import { priorityOf } from '../../domain/priority.ts';
import type { LiveCall, LiveOutput, LivePlace, LiveRates } from '../live-output.ts';
import { address, type BotApiParams } from './describe.ts';
import { isGroup, outputMpm, TELEGRAM_LIMITS_DEFAULT, type TelegramLimits } from './limits.ts';
import type { Reason } from './reasons.ts';
import { renderLive } from './text/live-text.ts';

// The content is ours; what the caller says of it would contradict it.
const CONTENT = ['text', 'entities', 'parse_mode'];
const OF_EDITS = ['link_preview_options', 'business_connection_id'];
const ONCE = [
  ...['reply_parameters', 'reply_to_message_id', 'allow_sending_without_reply'],
  'message_effect_id',
];
const BUTTONS = 'reply_markup';

const GONE: readonly Reason[] = ['message_not_found', 'message_not_editable', 'reference_lost'];
// Drafts came late: a local server may not know them.
const NO_DRAFTS = /TEXTDRAFT_PEER_INVALID|method not found|"error_code":404/i;

const METHODS = { open: 'sendMessage', edit: 'editMessageText' };

export const LIVE_OUTPUT = {
  methods: METHODS,
  strategy: 'strict',
  // Only people have private chats, and only their ids are positive.
  transportOf: (chat) => (/^\d+$/.test(chat) ? 'draft' : 'edit'),
  rates: ratesBy,
  priorityOf,
  render: renderLive,
  open: (content, place) => ({
    method: METHODS.open,
    params: address({ ...without(place.params, unsaid(place)), ...content }, place),
  }),
  edit: (content, place, messageId) => ({
    method: METHODS.edit,
    params: address(
      { ...editable(place), ...content, message_id: Number(messageId) },
      unthreaded(place),
    ),
  }),
  remove: (place, messageId) => ({
    method: 'deleteMessage',
    params: address({ message_id: Number(messageId) }, unthreaded(place)),
  }),
  draft: (content, place, draftId): LiveCall => ({
    method: 'sendMessageDraft',
    params: address({ ...content, draft_id: draftId }, place),
  }),
  typing: (place) => ({
    method: 'sendChatAction',
    params: address({ action: 'typing' }, place),
  }),
  isGone: (reason) => GONE.some((gone) => gone === reason),
  lacksDrafts: (result) => NO_DRAFTS.test(result),
} satisfies LiveOutput;

function ratesBy(settings: Partial<TelegramLimits>): LiveRates {
  const limits = { ...TELEGRAM_LIMITS_DEFAULT, ...settings };
  const ofPrivate = limits.privatePerS * 60;
  return {
    budgetMpm(chat, transport) {
      if (transport === 'draft') return limits.draftPerS * 60;
      return isGroup(chat) ? outputMpm(limits) : ofPrivate;
    },
    messageMpm: (chat) => (isGroup(chat) ? limits.groupMpm : ofPrivate),
  };
}

function unsaid({ isFirst, isLast }: LivePlace): string[] {
  return [...CONTENT, ...(isFirst ? [] : ONCE), ...(isLast ? [] : [BUTTONS])];
}

function editable({ params, isLast }: LivePlace): BotApiParams {
  const kept = isLast ? [...OF_EDITS, BUTTONS] : OF_EDITS;
  return Object.fromEntries(kept.filter((name) => name in params).map((n) => [n, params[n]]));
}

// A message is changed by its id; its topic is known.
function unthreaded({ chat }: LivePlace): { chat: string; thread: null } {
  return { chat, thread: null };
}

function without(params: BotApiParams, names: readonly string[]): BotApiParams {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));
}
