// What is known of Discord before it is opened.

import type { PlatformDefinition } from '../definition.ts';
import { CREDENTIALS } from './credentials.ts';
import { DISCORD_SETTINGS } from './settings.ts';

export const DISCORD = {
  name: 'discord',
  settings: DISCORD_SETTINGS,
  credentials: CREDENTIALS,
  async open({ settings, connect, sandbox, clock, files, isLoopback, warn }) {
    const { createDiscord } = await import('./discord.ts');
    return createDiscord({
      transport: connect(settings.discordApi),
      ...(sandbox === null ? null : { sandbox }),
      clock,
      limits: settings,
      invalidMax: settings.discordInvalidMax,
      takesInteractions: settings.discordInteractions ?? isLoopback,
      files,
      warn,
    });
  },
} as const satisfies PlatformDefinition<typeof DISCORD_SETTINGS>;
