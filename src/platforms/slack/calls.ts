// What Slack's methods mean: which of them are deliveries, to which channel, about which message, and what they count
// for. A message is known by its `ts` within its channel, a thread by the `ts` of the message it hangs on.

import { initialsOf } from '../../config/setting-row.ts';
import type { Priors } from '../../limits/limits.ts';
import { type MethodRow, type MethodTable, tableCalls } from '../shared/method-table.ts';
import { debt, plan, priorsBy, windowed } from '../shared/plans.ts';
import { SLACK_SETTINGS, type SlackSettings } from './settings.ts';

// Calls a minute of one app in one workspace; null: as the settings say.
type Tier = 20 | 50 | 100 | null;

export const METHODS = new Map<string, MethodRow & { readonly mpm: Tier }>([
  ['chat.postMessage', { family: 'send', mpm: null }],
  ['chat.postEphemeral', { family: 'send', mpm: 100 }],
  ['chat.meMessage', { family: 'send', mpm: 50 }],
  ['chat.update', { family: 'edit', mpm: 50, changes: 'edit' }],
  ['chat.delete', { family: 'delete', mpm: 50, changes: 'delete' }],
  ['reactions.add', { family: 'reaction', mpm: 50, changes: 'reaction' }],
  ['reactions.remove', { family: 'reaction', mpm: 20, changes: 'reaction' }],
  // A text that the client itself lets grow: what is appended is never left out, so it has no slot.
  ['chat.startStream', { family: 'send', mpm: 20 }],
  ['chat.appendStream', { family: 'edit', mpm: 100 }],
  ['chat.stopStream', { family: 'edit', mpm: 20 }],
]);

export const TABLE: MethodTable = {
  methods: METHODS,
  name: /^[a-z]{1,32}(?:\.[A-Za-z]{1,64}){1,4}$/,
  ofChat: /^conversations\.(?:history|replies|info|members|mark)$/,
  ofNothing: ['auth.test', 'api.test'],
  ...{ open: 'chat.postMessage', edit: 'chat.update', remove: 'chat.delete' },
  ...{ chat: 'channel', thread: 'thread_ts', reaction: 'name' },
  ids: ['ts', 'timestamp', 'thread_ts'],
  // Reactions have another name for it.
  idName: (params) => ('timestamp' in params ? 'timestamp' : 'ts'),
  ...{ unknown: 'unknown_method', unaddressed: 'channel_not_found' },
};
export const CALLS = tableCalls(TABLE);

// From Slack's documents. A channel takes bursts, and nobody says how long they may be: a debt that time pays back.
export function slackPriors(given: Partial<SlackSettings>): Priors {
  const { slackMpm, slackChannelBurst: burst } = { ...initialsOf(SLACK_SETTINGS), ...given };
  const spaced = debt('channel_debt', 'chat', burst, burst * 1000);
  const plans = [...METHODS].map(([method, { family, mpm }]) => {
    const name = `${method.replace('.', '_')}_minute`;
    const tier = windowed(name, 'account', mpm ?? slackMpm, 60_000);
    return { method, family, plan: plan([tier], family === 'send' ? [spaced] : []) };
  });
  return priorsBy(plans);
}
