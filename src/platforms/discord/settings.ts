// The settings of Discord: where it is, what its limits are before its headers have spoken, how live output is paced.

import { integer, onOff, orNone } from '../../config/parse.ts';
import { limit, pacing, row, type SettingValues, upstream } from '../../config/setting-row.ts';

export const DISCORD_SETTINGS = {
  discordApi: upstream('discord', 'https://discord.com', 'Upstream of Discord (a simulator)'),
  discordInteractions: row<boolean | null>(
    'server',
    'discord_interactions',
    orNone(onOff()),
    null,
    {
      meaning:
        'Whether answers to any interaction of Discord are taken without a credential; off: only to those that were ' +
        'posted to the webhook of an account here, or with the token of a bot; none: on when listening on loopback, ' +
        'else off, since anyone who reaches the gateway could queue them',
    },
  ),
  discordPerS: limit('discord_per_s', integer({ min: 1, max: 10_000 }), 50, {
    meaning: 'Calls of one Discord bot, answers to interactions apart',
    unit: 'per any second',
  }),
  discordChannelBurst: limit('discord_channel_burst', integer({ min: 1, max: 1000 }), 5, {
    meaning:
      'Messages to one Discord channel at once, as many of which come back in 5 s; edits have as many of their own',
    unit: 'messages',
  }),
  discordWebhookMpm: limit('discord_webhook_mpm', integer({ min: 1, max: 6000 }), 30, {
    meaning: 'Messages of one webhook of Discord, which no header reports',
    unit: 'per any minute',
  }),
  discordInvalidMax: row('retry', 'discord_invalid_max', integer({ min: 100, max: 9900 }), 5000, {
    meaning:
      'Refused calls (401, 403, 429) to Discord after which none is made until some are older than ten minutes; ' +
      'at 10,000 it bans the address',
    unit: 'per any 10 minutes',
  }),
  qosDiscord: pacing('discord', 'off', 'Discord'),
} as const;

export type DiscordSettings = SettingValues<typeof DISCORD_SETTINGS>;
