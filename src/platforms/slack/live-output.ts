// Live output on Slack: one message that is updated, and further ones for what does not fit. Slack's own streaming only
// appends, once and in order, while a text here is shown anew, newest first: so it is left to clients that stream
// themselves, whose calls are delivered as they come.

import { priorityOf } from '../../domain/priority.ts';
import type { LiveOutput } from '../live-output.ts';
import { type PartSize, writtenParts } from '../markup.ts';
import { address } from './calls.ts';
import { isGone } from './classify.ts';
import { SIGNS } from './mrkdwn.ts';

// What chat.update takes.
export const TEXT_UNITS_MAX = 4000;
const SIZE: PartSize = { unitsMax: TEXT_UNITS_MAX, partUnits: 3500 };
// Of the tier of chat.update, which all channels share.
const UPDATES_MPM = 40;
const MESSAGES_MPM = 60;

export const LIVE_OUTPUT: LiveOutput = {
  methods: { open: 'chat.postMessage', edit: 'chat.update' },
  strategy: 'coalesce_only',
  transportOf: () => 'edit',
  budgetMpm: () => UPDATES_MPM,
  messageMpm: () => MESSAGES_MPM,
  priorityOf,
  render: (text, format, isFinal) =>
    writtenParts(text, { format, isFinal }, SIGNS, SIZE).map((part) => ({ text: part })),
  open: (content, place) => {
    const { blocks, ...params } = place.params;
    const last = place.isLast && blocks !== undefined ? { blocks } : {};
    return {
      method: 'chat.postMessage',
      params: address({ ...params, ...last, ...content }, place),
    };
  },
  edit: (content, place, ts) => ({
    method: 'chat.update',
    params: address({ ...content, ts }, place),
  }),
  remove: (place, ts) => ({ method: 'chat.delete', params: address({ ts }, place) }),
  isGone,
  lacksDrafts: () => true,
};
