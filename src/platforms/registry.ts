// The platforms there are, one line each. The configuration, the accounts and the gateway are made from this list, and
// it is the one place outside a platform's folder that names it.

import { DISCORD } from './discord/definition.ts';
import { SLACK } from './slack/definition.ts';
import { TELEGRAM } from './telegram/definition.ts';
import { TERMINAL } from './terminal/definition.ts';
import { WHATSAPP } from './whatsapp/definition.ts';

// Of two whose URLs overlap, the one with the narrower pattern stands first.
export const PLATFORMS = [TELEGRAM, SLACK, DISCORD, WHATSAPP, TERMINAL] as const;
// The one that is meant where none is named, and in most examples; and the one that needs no credential.
export const PLATFORM_DEFAULT = TELEGRAM;
export const PLATFORM_LOCAL = TERMINAL;
