// Live output on Discord: one message that is edited, and further ones for what does not fit. What language models
// write is rendered in Discord's own Markdown.

import type { Format } from '../../domain/live.ts';
import { priorityOf } from '../../domain/priority.ts';
import { parseCommonMark } from '../../text/commonmark.ts';
import { isBlank, type RichText, wellFormed } from '../../text/rich-text.ts';
import { splitText } from '../../text/split.ts';
import { validEntities } from '../../text/valid-entities.ts';
import type { LiveOutput, LivePlace } from '../live-output.ts';
import { address, type DiscordParams } from './describe.ts';
import { escapeText, toMarkdown } from './markdown.ts';
import type { DiscordReason } from './reasons.ts';

export const CONTENT_UNITS_MAX = 2000;
// The markup that is written into a part makes it longer: it is cut shorter until it fits.
const SHORTER = 0.8;
const EDITS_MPM = 60;
const OUTPUT_SHARE = 0.8;

const METHODS = { open: 'createMessage', edit: 'editMessage' };
const GONE: readonly DiscordReason[] = [
  'message_not_found',
  'message_not_editable',
  'reference_lost',
];
// The content is ours.
const CONTENT = ['content', 'embeds', 'nonce', 'enforce_nonce'];
const ONCE = 'message_reference';
const BUTTONS = 'components';

export const LIVE_OUTPUT: LiveOutput = {
  methods: METHODS,
  strategy: 'off',
  transportOf: () => 'edit',
  budgetMpm: () => EDITS_MPM * OUTPUT_SHARE,
  messageMpm: () => EDITS_MPM,
  priorityOf,
  render,
  open: (content, place) => ({
    method: METHODS.open,
    params: address({ ...without(place.params, unsaid(place)), ...content }, place),
  }),
  edit: (content, place, messageId) => ({
    method: METHODS.edit,
    params: address({ ...editable(place), ...content, message_id: messageId }, place),
  }),
  remove: (place, messageId) => ({
    method: 'deleteMessage',
    params: address({ message_id: messageId }, place),
  }),
  typing: (place) => ({ method: 'triggerTyping', params: address({}, place) }),
  isGone: (reason) => GONE.some((gone) => gone === reason),
  lacksDrafts: () => false,
};

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

function unsaid({ isFirst, isLast }: LivePlace): string[] {
  return [...CONTENT, ...(isFirst ? [] : [ONCE]), ...(isLast ? [] : [BUTTONS])];
}

function editable({ params, isLast }: LivePlace): DiscordParams {
  const kept = isLast ? ['allowed_mentions', BUTTONS] : ['allowed_mentions'];
  return Object.fromEntries(kept.filter((name) => name in params).map((n) => [n, params[n]]));
}

function without(params: DiscordParams, names: readonly string[]): DiscordParams {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));
}
