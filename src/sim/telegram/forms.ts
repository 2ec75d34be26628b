// The objects that calls carry, judged as the server judges them before it asks the core for anything. Each answers
// what is wrong, in the server's words, or null.

import { type SimParams, textOf } from '../params.ts';
import {
  argOf,
  asSentence,
  flagProblem,
  integerProblem,
  isObject,
  jsonArg,
  requiredProblem,
  textProblem,
} from './args.ts';
import { isFile } from './uploads.ts';

// What every call that puts a message into a chat is asked, after its content.
export function messageProblem(params: SimParams): string | null {
  return replyProblem(params) ?? keyboardProblem(params);
}

export function replyProblem(params: SimParams): string | null {
  const arg = jsonArg(params, 'reply_parameters');
  if (arg.kind === 'absent') return null;
  if (arg.kind === 'broken') return "can't parse reply parameters JSON object";
  if (!isObject(arg.value)) return 'object expected as reply parameters';
  const reply = arg.value;
  if (Object.keys(reply).length === 0) return null;
  const problem =
    textProblem(reply, 'chat_id', false) ??
    integerProblem(reply, 'message_id') ??
    flagProblem(reply, 'allow_sending_without_reply') ??
    textProblem(reply, 'quote', false);
  return problem === null ? null : asSentence(problem);
}

export function previewProblem(params: SimParams): string | null {
  const arg = jsonArg(params, 'link_preview_options');
  if (arg.kind === 'absent') return null;
  if (arg.kind === 'broken') return "can't parse link preview options JSON object";
  if (!isObject(arg.value)) return 'object expected as link preview options';
  const options = arg.value;
  const sizes = ['prefer_small_media', 'prefer_large_media', 'show_above_text'];
  const problem =
    flagProblem(options, 'is_disabled') ??
    textProblem(options, 'url', false) ??
    flagProblem(options, ...sizes);
  return problem === null ? null : asSentence(problem);
}

export function keyboardProblem(params: SimParams): string | null {
  const arg = jsonArg(params, 'reply_markup');
  if (arg.kind === 'absent') return null;
  if (arg.kind === 'broken') return "can't parse reply keyboard markup JSON object";
  if (!isObject(arg.value)) return 'object expected as reply markup';
  const markup = arg.value;
  const flags = ['hide_keyboard', 'remove_keyboard', 'selective', 'force_reply'];
  const problem =
    rowsProblem(markup, 'keyboard', '', keyProblem) ??
    rowsProblem(markup, 'inline_keyboard', ' of the InlineKeyboardMarkup', buttonProblem) ??
    flagProblem(markup, ...flags) ??
    textProblem(markup, 'input_field_placeholder', false);
  return problem === null ? null : asSentence(problem);
}

function rowsProblem(
  markup: SimParams,
  name: 'keyboard' | 'inline_keyboard',
  of: string,
  problemOf: (button: unknown) => string | null,
): string | null {
  const rows = markup[name];
  if (rows === undefined) return null;
  if (!Array.isArray(rows)) return `Field "${name}" must be of type Array`;
  for (const row of rows) {
    if (!Array.isArray(row)) return `Field "${name}"${of} must be an Array of Arrays`;
    for (const button of row) {
      const problem = problemOf(button);
      const kind = name === 'keyboard' ? 'keyboard button' : 'inline keyboard button';
      if (problem !== null) return `Can't parse ${kind}: ${problem}`;
    }
  }
  return null;
}

function keyProblem(button: unknown): string | null {
  if (typeof button === 'string') return null;
  if (!isObject(button)) return 'KeyboardButton must be a String or an Object';
  return textProblem(button, 'text', true);
}

// What a button does is the first of these that it has.
const ACTIONS = [
  ...['callback_game', 'pay', 'switch_inline_query', 'switch_inline_query_chosen_chat'],
  ...['switch_inline_query_current_chat', 'login_url', 'web_app', 'copy_text'],
];

function buttonProblem(button: unknown): string | null {
  if (!isObject(button)) return 'InlineKeyboardButton must be an Object';
  const problem =
    textProblem(button, 'text', true) ??
    textProblem(button, 'url', false) ??
    (textOf(button, 'url') === '' ? textProblem(button, 'callback_data', false) : null);
  if (problem !== null) return problem;
  if (textOf(button, 'url') !== '' || textOf(button, 'callback_data') !== '') return null;
  const action = ACTIONS.find((name) => name in button);
  if (action === undefined) return 'Text buttons are unallowed in the inline keyboard';
  if (!['login_url', 'web_app', 'copy_text'].includes(action)) return null;
  const about = button[action];
  if (!isObject(about)) return `Field "${action}" must be of type Object`;
  return textProblem(about, action === 'copy_text' ? 'text' : 'url', true);
}

const IDS_MAX = 100;

export function messageIdsProblem(params: SimParams): string | null {
  const arg = jsonArg(params, 'message_ids');
  if (arg.kind === 'absent') return 'message identifiers are not specified';
  if (arg.kind === 'broken') return "can't parse message_ids JSON object";
  if (!Array.isArray(arg.value)) return 'expected an Array of message identifiers';
  if (arg.value.length > IDS_MAX) return 'too many message identifiers specified';
  for (const id of arg.value as unknown[]) {
    if (typeof id !== 'number' && typeof id !== 'string') {
      return 'message identifier must be a Number';
    }
    if (!/^-?\d{1,10}$/.test(String(id))) return "can't parse message identifier as a Number";
    if (Number(id) <= 0) return 'invalid message identifier specified';
  }
  return arg.value.length === 0 ? 'message identifiers are not specified' : null;
}

// Of one medium of an album or an edit, after its caption.
export function mediaProblem(params: SimParams, item: unknown, isAlbum: boolean): string | null {
  if (!isObject(item)) return 'expected an Object';
  const problem = flagProblem(item, 'has_spoiler') ?? textProblem(item, 'type', true);
  if (problem !== null) return problem;
  const given = textProblem(item, 'media', false);
  if (given !== null) return given;
  if (!isFile(params, item.media)) return 'media not found';
  const type = textOf(item, 'type');
  if (type === 'animation' && isAlbum) return 'type "animation" can\'t be used in sendMediaGroup';
  const isKnown = ['photo', 'live_photo', 'video', 'animation', 'audio', 'document'].includes(type);
  return isKnown ? null : `type "${type}" is unsupported`;
}

function paidMediaProblem(params: SimParams): string | null {
  const arg = jsonArg(params, 'media');
  if (arg.kind === 'absent') return 'parameter "media" is required';
  if (arg.kind === 'broken') return "can't parse paid media JSON object";
  if (!Array.isArray(arg.value)) return 'expected an Array of InputPaidMedia';
  for (const item of arg.value as unknown[]) {
    const problem = paidItemProblem(params, item);
    if (problem !== null) return `can't parse InputPaidMedia: ${problem}`;
  }
  return null;
}

function paidItemProblem(params: SimParams, item: unknown): string | null {
  if (!isObject(item)) return 'expected an Object';
  if (!isFile(params, item.media)) return 'media not found';
  const untyped = textProblem(item, 'type', true);
  if (untyped !== null) return untyped;
  const type = textOf(item, 'type');
  const isKnown = ['photo', 'live_photo', 'video'].includes(type);
  return isKnown ? null : `type "${type}" is unsupported`;
}

export function reactionProblem(params: SimParams): string | null {
  const arg = jsonArg(params, 'reaction');
  if (arg.kind === 'absent') return null;
  if (arg.kind === 'broken') return "can't parse reaction types JSON object";
  if (!Array.isArray(arg.value)) return 'expected an Array of ReactionType';
  for (const reaction of arg.value as unknown[]) {
    const problem = oneReactionProblem(reaction);
    if (problem !== null) return `can't parse ReactionType: ${problem}`;
  }
  return null;
}

function oneReactionProblem(reaction: unknown): string | null {
  if (!isObject(reaction)) return 'expected an Object';
  const untyped = textProblem(reaction, 'type', true);
  if (untyped !== null) return untyped;
  if (reaction.type === 'emoji') return textProblem(reaction, 'emoji', true);
  if (reaction.type !== 'custom_emoji') return 'invalid reaction type specified';
  return reaction.custom_emoji_id === undefined ? `Can't find field "custom_emoji_id"` : null;
}

const ACTS = new Set(
  [
    'cancel typing record_video upload_video record_audio record_voice upload_audio upload_voice',
    'upload_photo upload_document choose_sticker pick_up_location find_location',
    'record_video_note upload_video_note',
  ]
    .join(' ')
    .split(' '),
);

export function actionProblem(params: SimParams): string | null {
  const isKnown = ACTS.has(argOf(params, 'action').toLowerCase());
  return isKnown ? null : 'wrong parameter action in request';
}

// What each kind of message cannot be without.
export function contentProblem(params: SimParams, media: string): string | null {
  switch (media) {
    case 'dice':
    case 'checklist':
      return null;
    case 'location':
    case 'venue': {
      const missing = ['latitude', 'longitude'].find((name) => argOf(params, name).trim() === '');
      return missing === undefined ? null : `${missing} is empty`;
    }
    case 'contact':
      return requiredProblem(params, 'phone_number', 'first_name');
    case 'poll':
      return pollProblem(params);
    case 'game':
      return requiredProblem(params, 'game_short_name');
    case 'invoice':
      return requiredProblem(params, 'title', 'description', 'payload', 'currency', 'prices');
    case 'paid_media':
      return paidMediaProblem(params);
    default:
      return isFile(params, params[media])
        ? null
        : `there is no ${media.replace('_', ' ')} in the request`;
  }
}

function pollProblem(params: SimParams): string | null {
  const arg = jsonArg(params, 'options');
  if (arg.kind !== 'value') return "can't parse options JSON object";
  if (!Array.isArray(arg.value)) return 'expected an Array of String as options';
  for (const option of arg.value as unknown[]) {
    if (typeof option === 'string') continue;
    if (!isObject(option)) return 'expected an option to be of type String';
    const problem = textProblem(option, 'text', true);
    if (problem !== null) return asSentence(problem);
  }
  const type = argOf(params, 'type');
  if (!['', 'regular', 'quiz'].includes(type)) return 'unsupported poll type specified';
  return argOf(params, 'question').trim() === '' ? 'text must be non-empty' : null;
}
