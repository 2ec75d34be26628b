// What is known of terminals before they are opened.

import type { PlatformDefinition } from '../definition.ts';
import { CREDENTIALS, NAME_DEFAULT } from './credentials.ts';

export const TERMINAL = {
  name: 'terminal',
  settings: {},
  credentials: CREDENTIALS,
  accountDefault: `terminal:${NAME_DEFAULT}`,
  async open({ clock }) {
    const { createTerminal, Screens } = await import('./terminal.ts');
    return createTerminal(new Screens(clock));
  },
} as const satisfies PlatformDefinition;
