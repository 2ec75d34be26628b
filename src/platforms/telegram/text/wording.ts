// What a new message says in plain words, for observers on other platforms: its text without markup; of a file its
// kind and its caption. Markup that cannot be read is shown as it is: better odd than lost.

import type { BotApiParams } from '../describe.ts';
import { readText } from '../parts.ts';

const FILES: Readonly<Record<string, string>> = {
  sendPhoto: 'photo',
  sendAudio: 'audio',
  sendDocument: 'document',
  sendVideo: 'video',
  sendAnimation: 'animation',
  sendVoice: 'voice message',
  sendVideoNote: 'video message',
  sendSticker: 'sticker',
};

export function wording(method: string, params: BotApiParams): string | null {
  const { text, caption } = params;
  if (method === 'sendMessage') return typeof text === 'string' ? plainText(params, text) : null;
  const kind = FILES[method];
  if (kind === undefined) return null;
  return typeof caption === 'string' && caption !== ''
    ? `[${kind}] ${plainText({ ...params, entities: params.caption_entities }, caption)}`
    : `[${kind}]`;
}

export function plainText(params: BotApiParams, text: string): string {
  return readText(params, text)?.text ?? text;
}
