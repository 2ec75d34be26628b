// What the methods of the simulated Slack do to its messages, and what each answers.

import { asObject, listOf, type SimParams, textOf } from '../params.ts';
import type { SimSlackMessage, SlackMessages } from './messages.ts';

export interface SlackScene {
  // `<workspace>-<bot>`, as the token says.
  readonly bot: string;
  readonly params: SimParams;
  readonly now: number;
  readonly messages: SlackMessages;
}

// `error`: why not; otherwise what is answered beside `ok`.
export type SlackEnding =
  | { readonly error: string }
  | { readonly result: object; readonly ids?: string[] };

const TEXT_CHARS_MAX = 40_000;
const UPDATED_CHARS_MAX = 4000;
const STREAMED_CHARS_MAX = 12_000;
const PAGE = 100;

const no = (error: string): SlackEnding => ({ error });
const wordsOf = (params: SimParams) => textOf(params, 'text') || streamedOf(params);
const hasContent = (params: SimParams) =>
  wordsOf(params) !== '' || ['blocks', 'attachments'].some((name) => params[name] !== undefined);

export const ACTS: Readonly<Record<string, (scene: SlackScene) => SlackEnding>> = {
  'api.test': () => ({ result: {} }),
  'auth.test': ({ bot }) => {
    const [team = '', user = ''] = bot.split('-');
    const ids = { team_id: `T${team}`, user_id: `U${user}`, bot_id: `B${user}` };
    return { result: { url: 'https://sim.slack.com/', team: 'sim', user: 'sim_bot', ...ids } };
  },
  'chat.postMessage': post,
  'chat.meMessage': post,
  'chat.postEphemeral': ({ params, now, messages }) =>
    hasContent(params) ? { result: { message_ts: messages.nextTs(now) } } : no('no_text'),
  'chat.update': update,
  'chat.delete': (scene) =>
    about(scene, 'ts', (message) => {
      message.isDeleted = true;
      return { result: { channel: message.chat, ts: message.id } };
    }),
  'chat.startStream': (scene) => {
    if (textOf(scene.params, 'thread_ts') === '') return no('invalid_thread_ts');
    const { id, chat } = added(scene, true);
    return { result: { channel: chat, ts: id }, ids: [id] };
  },
  'chat.appendStream': (scene) => append(scene, false),
  'chat.stopStream': (scene) => append(scene, true),
  'reactions.add': (scene) =>
    about(scene, 'timestamp', (message) => {
      const name = textOf(scene.params, 'name');
      if (name === '') return no('invalid_name');
      if (message.reactions.has(name)) return no('already_reacted');
      message.reactions.add(name);
      return { result: {} };
    }),
  'reactions.remove': (scene) =>
    about(scene, 'timestamp', (message) =>
      message.reactions.delete(textOf(scene.params, 'name')) ? { result: {} } : no('no_reaction'),
    ),
  'conversations.info': ({ params }) => {
    const id = textOf(params, 'channel');
    return {
      result: { channel: { id, name: id.toLowerCase(), is_channel: true, is_member: true } },
    };
  },
  'conversations.history': ({ params, messages }) =>
    page(messages.shown(textOf(params, 'channel'))),
  'conversations.replies': ({ params, messages }) => {
    const root = textOf(params, 'ts');
    const all = messages.shown(textOf(params, 'channel'));
    return page(all.filter(({ id, thread }) => id === root || thread === root));
  },
};

function page(all: SimSlackMessage[]): SlackEnding {
  const shown = all.slice(-PAGE).reverse().map(viewOf);
  return { result: { messages: shown, has_more: all.length > PAGE } };
}

function post(scene: SlackScene): SlackEnding {
  if (!hasContent(scene.params)) return no('no_text');
  if (wordsOf(scene.params).length > TEXT_CHARS_MAX) return no('msg_too_long');
  const message = added(scene, false);
  const { chat: channel, id: ts } = message;
  return { result: { channel, ts, message: viewOf(message) }, ids: [ts] };
}

function added({ bot, params, now, messages }: SlackScene, isStreaming: boolean): SimSlackMessage {
  const message: SimSlackMessage = {
    ...{ bot, chat: textOf(params, 'channel'), id: messages.nextTs(now), date: now / 1000 },
    ...{ thread: textOf(params, 'thread_ts') || null, fromBot: true, text: wordsOf(params) },
    ...{ isDeleted: false, isStreaming, reactions: new Set<string>() },
  };
  messages.add(message);
  return message;
}

function update(scene: SlackScene): SlackEnding {
  const { params, bot } = scene;
  return about(scene, 'ts', (message) => {
    if (!message.fromBot || message.bot !== bot) return no('cant_update_message');
    if (message.isStreaming) return no('streaming_state_conflict');
    if (!hasContent(params)) return no('no_text');
    if (wordsOf(params).length > UPDATED_CHARS_MAX) return no('msg_too_long');
    message.text = wordsOf(params);
    const { chat: channel, id: ts, text } = message;
    return { result: { channel, ts, text, message: viewOf(message) } };
  });
}

function append(scene: SlackScene, isLast: boolean): SlackEnding {
  const said = streamedOf(scene.params);
  return about(scene, 'ts', (message) => {
    if (!message.isStreaming) return no('message_not_in_streaming_state');
    if (said.length > STREAMED_CHARS_MAX) return no('msg_too_long');
    message.text += said;
    message.isStreaming = !isLast;
    return { result: { channel: message.chat, ts: message.id } };
  });
}

// As one text, or as chunks of it.
function streamedOf(params: SimParams): string {
  const chunks = listOf(params, 'chunks').map((chunk) => textOf(asObject(chunk), 'text'));
  return textOf(params, 'markdown_text') + chunks.join('');
}

function about(
  { params, messages }: SlackScene,
  id: 'ts' | 'timestamp',
  act: (message: SimSlackMessage) => SlackEnding,
): SlackEnding {
  const message = messages.get(textOf(params, 'channel'), textOf(params, id));
  return message === null ? no('message_not_found') : act(message);
}

function viewOf({ id, text, thread, bot, fromBot }: SimSlackMessage): object {
  const user = bot.split('-')[1];
  const by = fromBot ? { user: `U${user}`, bot_id: `B${user}` } : { user: 'U7' };
  return {
    type: 'message',
    ts: id,
    text,
    ...by,
    ...(thread === null ? {} : { thread_ts: thread }),
  };
}
