// Live output on Discord: one message that is edited, and further ones for what does not fit. What language models
// write is rendered in Discord's own Markdown.

import type { Format } from '../../domain/live.ts';
import { parseCommonMark } from '../../text/commonmark.ts';
import { isBlank, type RichText, wellFormed } from '../../text/rich-text.ts';
import { splitText } from '../../text/split.ts';
import { validEntities } from '../../text/valid-entities.ts';
import type { LiveOutput } from '../live-output.ts';
import { editedOutput } from '../shared/edited-output.ts';
import { address, type DiscordParams } from './describe.ts';
import { CONTENT_UNITS_MAX, escapeText, toMarkdown } from './markdown.ts';
import type { DiscordReason } from './reasons.ts';

// The markup that is written into a part makes it longer: it is cut shorter until it fits.
const SHORTER = 0.8;
const EDITS_MPM = 60;
const OUTPUT_SHARE = 0.8;

const METHODS = { open: 'createMessage', edit: 'editMessage', remove: 'deleteMessage' };
const GONE: readonly DiscordReason[] = ['message_not_found', 'message_not_editable'];

export const LIVE_OUTPUT: LiveOutput = editedOutput({
  methods: METHODS,
  address,
  idName: 'message_id',
  ours: ['content', 'embeds', 'nonce', 'enforce_nonce'],
  onFirst: ['message_reference'],
  onLast: ['components'],
  inEdits: ['allowed_mentions'],
  strategy: 'off',
  editsMpm: EDITS_MPM * OUTPUT_SHARE,
  messagesMpm: EDITS_MPM,
  gone: GONE,
  render,
  typing: (place) => ({ method: 'triggerTyping', params: address({}, place) }),
});

function render(text: string, format: Format, isFinal: boolean): DiscordParams[] {
  const source = wellFormed(text, isFinal).replace(/\r\n?/g, '\n');
  const isMarkdown = format === 'markdown';
  const rich = isMarkdown
    ? validEntities(parseCommonMark(source, isFinal))
    : { text: source, entities: [] };
  const write = isMarkdown ? toMarkdown : ({ text: plain }: RichText) => escapeText(plain);
  return partsOf(rich, CONTENT_UNITS_MAX, write)
    .filter((part) => !isBlank(part))
    .map((content) => ({ content }));
}

function partsOf(rich: RichText, unitsMax: number, write: (part: RichText) => string): string[] {
  return splitText(rich, unitsMax).flatMap((part) => {
    const written = write(validEntities(part)).trim();
    if (written.length <= CONTENT_UNITS_MAX || part.text.length <= 1) return [written];
    const shorter = Math.max(1, Math.floor(Math.min(unitsMax, part.text.length) * SHORTER));
    return partsOf(part, shorter, write);
  });
}
