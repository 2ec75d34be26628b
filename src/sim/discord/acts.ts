// What each route of the simulated Discord does, once it was let in.

import { asObject, listOf, textOf } from '../params.ts';
import {
  ACKNOWLEDGED,
  INVALID_WEBHOOK_TOKEN,
  invalidForm,
  NOT_FOUND,
  UNKNOWN_INTERACTION,
  UNKNOWN_MESSAGE,
  UNKNOWN_WEBHOOK,
} from './answers.ts';
import { viewOf } from './messages.ts';
import { contentOf, edit, post, remove, troubleOf, write } from './posting.ts';
import { getMessage, getMessages } from './reading.ts';
import {
  type ActEnding,
  type DiscordChannel,
  type DiscordScene,
  done,
  no,
  type Webhook,
} from './scene.ts';
import { interactionOf, madeAt } from './snowflake.ts';

const BULK_MIN = 2;
const BULK_MAX = 100;
const BULK_AGE_MS_MAX = 14 * 86_400_000;
const THREAD = 11;
const DM = 1;
const MESSAGE_TYPES = [4, 7];
// Of an application whose bots are told what others write.
const CONTENT_LIMITED = 1 << 19;
const SANDBOX_WEBHOOK = /^sandbox/;

type ActOf = (scene: DiscordScene) => ActEnding;

export const ACTS: Readonly<Record<string, ActOf>> = {
  createMessage: (scene) => post(scene, scene.params, { chat: scene.ids.channel! }),
  editMessage: (scene) => edit(scene, scene.ids.channel!, scene.ids.message!, null),
  deleteMessage: (scene) => remove(scene, scene.ids.channel!, scene.ids.message!),
  bulkDelete,
  react,
  unreact,
  unreactAll,
  typing: () => done(null),
  createThread,
  createWebhook,
  getChannel: ({ ids, channels }) => done(channelOf(channels, ids.channel!)),
  getMessages,
  getMessage,
  getApplication: ({ bot, options }) =>
    done({ id: bot, name: 'simulated', flags: options.messageContent ? CONTENT_LIMITED : 0 }),
  getMe: ({ bot }) =>
    done({ id: bot, username: 'sim_bot', discriminator: '0', avatar: null, bot: true }),
  openDm: ({ params, channels }) => {
    const id = textOf(params, 'recipient_id');
    channels.set(id, { id, parent: null, name: '', type: DM });
    return done({ id, type: DM, recipients: [{ id, username: 'someone' }] });
  },
  setCommands: ({ params }) => done(Object.values(params)),
  getGateway: () => done({ url: 'wss://gateway.discord.gg', shards: 1 }),
  getWebhook(scene) {
    const hook = hookOf(scene);
    return hook === null ? no(UNKNOWN_WEBHOOK) : done({ type: 1, ...shownHook(hook) });
  },
  execute,
  editExecuted: (scene) => executed(scene, (chat, id, hook) => edit(scene, chat, id, hook)),
  deleteExecuted: (scene) => executed(scene, (chat, id) => remove(scene, chat, id)),
  getExecuted: (scene) =>
    executed(scene, (chat, id) => {
      const message = scene.messages.get(chat, id);
      return message === null ? no(UNKNOWN_MESSAGE) : done(viewOf(message));
    }),
  respond,
};

function channelOf(channels: ReadonlyMap<string, DiscordChannel>, id: string): object {
  const { type = 0, name = `channel-${id}`, parent = null } = channels.get(id) ?? {};
  return { id, type, name, ...(parent === null ? {} : { parent_id: parent }) };
}

function bulkDelete(scene: DiscordScene): ActEnding {
  const { ids, messages, params, now } = scene;
  const wanted = listOf(params, 'messages').map(String);
  if (wanted.length < BULK_MIN || wanted.length > BULK_MAX) {
    const words = `Must be between ${BULK_MIN} and ${BULK_MAX} in length.`;
    return no(invalidForm('messages', 'BASE_TYPE_BAD_LENGTH', words));
  }
  if (wanted.some((id) => now - (madeAt(id) ?? now) > BULK_AGE_MS_MAX)) {
    return no({
      status: 400,
      code: 50034,
      message: 'You can only bulk delete messages that are under 14 days old.',
    });
  }
  const found = wanted.flatMap((id) => messages.get(ids.channel!, id) ?? []);
  for (const message of found) message.isDeleted = true;
  return done(
    null,
    found.map(({ id }) => id),
  );
}

function react({ ids, messages, bot }: DiscordScene): ActEnding {
  const message = messages.get(ids.channel!, ids.message!);
  if (message === null) return no(UNKNOWN_MESSAGE);
  const by = message.reactions.get(ids.emoji!) ?? new Set();
  message.reactions.set(ids.emoji!, by.add(bot));
  return done(null, [message.id]);
}

function unreact({ ids, messages, bot }: DiscordScene): ActEnding {
  const message = messages.get(ids.channel!, ids.message!);
  if (message === null) return no(UNKNOWN_MESSAGE);
  message.reactions.get(ids.emoji!)?.delete(ids.user === '@me' ? bot : ids.user!);
  if (message.reactions.get(ids.emoji!)?.size === 0) message.reactions.delete(ids.emoji!);
  return done(null, [message.id]);
}

function unreactAll({ ids, messages }: DiscordScene): ActEnding {
  const message = messages.get(ids.channel!, ids.message!);
  if (message === null) return no(UNKNOWN_MESSAGE);
  if (ids.emoji === undefined) message.reactions.clear();
  else message.reactions.delete(ids.emoji);
  return done(null, [message.id]);
}

// A thread, from a message or without one; with a message in it, a post of a forum.
function createThread(scene: DiscordScene): ActEnding {
  const { ids, params, snowflakes, now, channels } = scene;
  const name = textOf(params, 'name');
  if (name === '' || name.length > 100) {
    const words = 'Must be between 1 and 100 in length.';
    return no(invalidForm('name', 'BASE_TYPE_BAD_LENGTH', words));
  }
  const first = asObject(contentOf(params).message);
  const trouble = troubleOf(first);
  if (trouble !== null) return no(trouble);
  const id = ids.message ?? snowflakes.next(now);
  const channel = { id, parent: ids.channel!, name, type: THREAD };
  channels.set(id, channel);
  const shown = channelOf(channels, id);
  if (Object.keys(first).length === 0) return done(shown, [id]);
  const message = write(scene, first, { chat: id });
  return done({ ...shown, message: viewOf(message) }, [id]);
}

function createWebhook({ ids, bot, secret, snowflakes, now, webhooks }: DiscordScene): ActEnding {
  const id = snowflakes.next(now);
  const hook = { id, token: `${secret}-${id}-${bot}`, channel: ids.channel!, bot };
  webhooks.set(id, hook);
  return done({ type: 1, ...shownHook(hook) });
}

function shownHook({ id, token, channel }: Webhook): object {
  return { id, token, channel_id: channel, name: 'simulated' };
}

// null: there is none. One whose token begins with `sandbox` is there as soon as it is named.
export function hookOf({ ids, webhooks }: Pick<DiscordScene, 'ids' | 'webhooks'>): Webhook | null {
  const { webhook: id = '', token = '' } = ids;
  const known = webhooks.get(id);
  if (known !== undefined) return known.token === token ? known : null;
  if (!SANDBOX_WEBHOOK.test(token) || !/^\d{1,20}$/.test(id)) return null;
  const hook = { id, token, channel: id, bot: `webhook-${id}` };
  webhooks.set(id, hook);
  return hook;
}

function execute(scene: DiscordScene): ActEnding {
  const { ids, query, params } = scene;
  const interaction = interactionOf(ids.token!);
  if (interaction !== null) {
    const open = openInteraction(scene, interaction);
    if (open === null) return no(INVALID_WEBHOOK_TOKEN);
    return post(scene, params, { chat: open.channel, webhook: ids.webhook!, bot: open.bot });
  }
  const hook = hookOf(scene);
  if (hook === null) return no(UNKNOWN_WEBHOOK);
  const chat = query.thread_id ?? hook.channel;
  const posted = post(scene, params, { chat, webhook: hook.id, bot: hook.bot });
  return posted.kind === 'done' && query.wait !== 'true' ? { ...posted, result: null } : posted;
}

function executed(
  scene: DiscordScene,
  act: (chat: string, id: string, webhook: string) => ActEnding,
): ActEnding {
  const { ids, query, messages } = scene;
  const interaction = interactionOf(ids.token!);
  const open = interaction === null ? null : openInteraction(scene, interaction);
  if (interaction !== null && open === null) return no(INVALID_WEBHOOK_TOKEN);
  const hook = interaction === null ? hookOf(scene) : null;
  if (open === null && hook === null) return no(UNKNOWN_WEBHOOK);
  const chat = open?.channel ?? query.thread_id ?? hook!.channel;
  if (ids.message !== '@original') return act(chat, ids.message!, ids.webhook!);
  const original = messages
    .ofChat(chat)
    .find(({ webhook, parts }) => webhook === ids.webhook && parts.original === interaction);
  return original === undefined ? no(UNKNOWN_MESSAGE) : act(chat, original.id, ids.webhook!);
}

// null: there is none, or its token is not valid any more.
function openInteraction({ interactions, now, options }: DiscordScene, id: string) {
  const at = madeAt(id);
  if (at === null || now - at > options.interactionMs) return null;
  return interactions.get(id) ?? null;
}

function respond(scene: DiscordScene): ActEnding {
  const { ids, params: given, now, options, interactions, query } = scene;
  const id = ids.interaction!;
  const at = madeAt(id);
  const open = interactions.get(id) ?? null;
  if (at === null || open === null || interactionOf(ids.token!) !== id) {
    return no(UNKNOWN_INTERACTION);
  }
  if (open.isAnswered) return no(ACKNOWLEDGED);
  if (now - at > options.firstAnswerMs) return no(UNKNOWN_INTERACTION);
  const params = contentOf(given);
  const data = asObject(params.data);
  const trouble = troubleOf(data);
  if (trouble !== null) return no(trouble);
  const type = Number(params.type);
  if (!Number.isInteger(type)) return no(NOT_FOUND);
  open.isAnswered = true;
  if (!MESSAGE_TYPES.includes(type)) return done(null);
  const message = write(scene, data, { chat: open.channel, webhook: open.bot, bot: open.bot });
  message.parts = { ...message.parts, original: id };
  const said = query.with_response === 'true' ? { interaction: { id, type: 2 } } : null;
  return done(said, [message.id]);
}
