// A person uses a command of the bot: what the channel shows of it, and the interaction that the bot is told of.

import type { SimDiscordMessage } from './messages.ts';
import { interactionToken, type Snowflakes, secretFor } from './snowflake.ts';

const COMMAND = 2;

export function incoming(
  snowflakes: Snowflakes,
  bot: { readonly id: string; readonly token: string },
  chat: string,
  text: string,
  now: number,
): { message: SimDiscordMessage; interaction: string; posted: object } {
  const id = snowflakes.next(now);
  const interaction = snowflakes.next(now);
  const user = { id: '7', username: 'someone', discriminator: '0' };
  const option = { name: 'text', type: 3, value: text };
  const message: SimDiscordMessage = {
    ...{ bot: bot.id, chat, thread: null, id, type: 0, text, webhook: null, nonce: null },
    parts: {},
    ...{ date: now / 1000, fromBot: false, isDeleted: false, editedAt: null, reactions: new Map() },
  };
  const posted = {
    id: interaction,
    application_id: bot.id,
    type: COMMAND,
    data: { id: '1', name: 'say', type: 1, options: [option] },
    guild_id: '1',
    channel_id: chat,
    channel: { id: chat, type: 0 },
    member: { user, roles: [], permissions: '0' },
    token: interactionToken(interaction, secretFor(bot.token)),
    version: 1,
  };
  return { message, interaction, posted };
}
