// Live output on a terminal: one message that is edited, as soon as there is more of it. Nothing has to be spared, so
// there is no budget. Text is shown as it is written: what language models write is made to be read so, too.

import { editedOutput } from '../shared/edited-output.ts';
import { address } from './describe.ts';

// Of one message. A cut depends on nothing that comes later, so that what is shown stays where it is.
const TEXT_UNITS_MAX = 8192;
// The first half of a character whose second is still on its way.
const HALF_AT_END = /[\ud800-\udbff]$/;

const METHODS = { open: 'sendMessage', edit: 'editMessageText', remove: 'deleteMessage' };

export const LIVE_OUTPUT = editedOutput({
  methods: METHODS,
  address,
  idName: 'message_id',
  idOf: Number,
  strategy: 'coalesce_only',
  editsMpm: null,
  messagesMpm: null,
  gone: ['message_not_found'],
  render: (text, _format, isFinal) => partsOf(isFinal ? text : text.replace(HALF_AT_END, '')),
  typing: (place) => ({ method: 'sendChatAction', params: address({}, place) }),
});

function partsOf(text: string): { text: string }[] {
  const parts: { text: string }[] = [];
  for (let from = 0; from < text.length; ) {
    const to = from + TEXT_UNITS_MAX < text.length ? cutAt(text, from) : text.length;
    const part = text.slice(from, to);
    if (part.trim() !== '') parts.push({ text: part });
    from = to;
  }
  return parts;
}

// After the last line that fits, if that leaves no more than half of the room unused; else between two characters.
function cutAt(text: string, from: number): number {
  const end = from + TEXT_UNITS_MAX;
  const window = text.slice(from, end);
  const line = window.lastIndexOf('\n') + 1;
  if (line > TEXT_UNITS_MAX / 2) return from + line;
  return HALF_AT_END.test(window) ? end - 1 : end;
}
