// Texts on Slack: its markup (that of several platforms, and <https://…|links>), which escapes three letters and nothing
// else; messages in plain words; and texts that grow. Slack's own streaming only appends, once and in order, while a
// text here is shown anew, newest first: it is left to clients that stream themselves, whose calls go as they come.

import { scalarText } from '../../domain/scalar.ts';
import { editedOutput } from '../shared/edited-output.ts';
import { type Signs, sharedSigns, writtenParts } from '../shared/markup.ts';
import { tableMessages } from '../shared/method-table.ts';
import { CALLS, TABLE } from './calls.ts';
import { GONE } from './wire.ts';

// The first is what chat.update takes.
export const SIZE = { unitsMax: 4000, partUnits: 3500 };
const LETTERS = Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

export function escapeText(text: string): string {
  return LETTERS.reduce((all, [letter, written]) => all.replaceAll(letter, written), text);
}

function plainText(text: string): string {
  return LETTERS.reduceRight((all, [letter, written]) => all.replaceAll(written, letter), text);
}

const SIGNS: Signs = {
  escape: escapeText,
  around: sharedSigns((url) => {
    const isAddress = /^https?:\/\/\S+$/.test(url);
    return isAddress ? [`<${escapeText(url).replaceAll('|', '%7C')}|`, '>'] : ['', ''];
  }),
};

export const MESSAGES = tableMessages(TABLE, {
  wording: (_method, { text, markdown_text: markdown }) =>
    plainText(scalarText(text)) || scalarText(markdown) || null,
  plain: (text) => ({ text: escapeText(text) }),
});

export const LIVE_OUTPUT = editedOutput({
  methods: TABLE,
  address: CALLS.address,
  idName: 'ts',
  onLast: ['blocks'],
  ours: ['text', 'ts'],
  strategy: 'coalesce_only',
  // Of the tier of chat.update, which all channels share.
  editsMpm: 40,
  messagesMpm: 60,
  gone: GONE,
  render: (text, format, isFinal) =>
    writtenParts(text, { format, isFinal }, SIGNS, SIZE).map((part) => ({ text: part })),
});
