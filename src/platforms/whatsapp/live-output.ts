// Live output on WhatsApp: nothing can be edited, so a growing text is a typing sign and a few messages of finished
// paragraphs, the final last. A typing sign answers a message: without one there is none.

import { priorityOf } from '../../domain/priority.ts';
import { fieldsOf, scalarText } from '../../domain/scalar.ts';
import type { LiveOutput } from '../live-output.ts';
import { address, MESSAGES, type WhatsappParams } from './describe.ts';
import { renderLive } from './live-text.ts';

const CONTENT = ['text', 'type'];
// What is said once, at the first message.
const ONCE = ['context'];

export const LIVE_OUTPUT: LiveOutput = {
  methods: { open: MESSAGES, edit: MESSAGES },
  strategy: 'chunks',
  transportOf: () => 'chunks',
  rates: () => ({ budgetMpm: () => null, messageMpm: () => null }),
  priorityOf,
  render: (text, format, isFinal) =>
    renderLive(text, format, isFinal).map((body) => ({ type: 'text', text: { body } })),
  open: (content, place) => {
    const unsaid = place.isFirst ? CONTENT : [...CONTENT, ...ONCE];
    return {
      method: MESSAGES,
      params: address({ ...without(place.params, unsaid), ...content }, place),
    };
  },
  typing: ({ params }) => {
    const id = scalarText(fieldsOf(params.context).message_id);
    if (id === '') return null;
    const sign = { status: 'read', message_id: id, typing_indicator: { type: 'text' } };
    return { method: 'typing', params: { messaging_product: 'whatsapp', ...sign } };
  },
  isGone: () => false,
  lacksDrafts: () => true,
};

function without(params: WhatsappParams, names: readonly string[]): WhatsappParams {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));
}
