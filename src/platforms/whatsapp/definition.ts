// What is known of WhatsApp before it is opened.

import type { PlatformDefinition } from '../definition.ts';
import { CREDENTIALS } from './credentials.ts';
import { WHATSAPP_SETTINGS, type WhatsappSettings } from './settings.ts';

const VERSION = /^v\d{1,3}\.\d{1,2}$/;

export const WHATSAPP = {
  name: 'whatsapp',
  settings: WHATSAPP_SETTINGS,
  relate({ whatsappVersion }: WhatsappSettings) {
    if (VERSION.test(whatsappVersion)) return [];
    return [{ key: 'whatsappVersion', expected: 'expected a version such as v23.0' }];
  },
  credentials: CREDENTIALS,
  async open({ settings, connect, sandbox, files }) {
    const { createWhatsapp } = await import('./whatsapp.ts');
    return createWhatsapp({
      transport: connect(settings.whatsappApi),
      ...(sandbox === null ? null : { sandbox }),
      version: settings.whatsappVersion,
      limits: settings,
      files,
    });
  },
} as const satisfies PlatformDefinition<typeof WHATSAPP_SETTINGS>;
