// The priors, from Slack's documents: each method has its tier, so many calls a minute of one app in one workspace. A
// channel takes a message a second and short bursts, of which nobody says how long: a debt that time pays back.

import type { Family } from '../../domain/call.ts';
import type { Plan, Priors, Rule } from '../../limits/limits.ts';
import { METHODS } from './calls.ts';

// Named as the settings are.
export interface SlackLimits {
  readonly slackMpm: number;
  readonly slackChannelBurst: number;
}

export const SLACK_LIMITS_DEFAULT: SlackLimits = Object.freeze({
  slackMpm: 300,
  slackChannelBurst: 3,
});
// Of calls of whose method nothing is known.
const OF_FAMILY: Partial<Readonly<Record<Family, string>>> = {
  ...{ send: 'chat.postMessage', edit: 'chat.update' },
  ...{ delete: 'chat.delete', reaction: 'reactions.add' },
};
const MINUTE_MS = 60_000;
const MESSAGE_MS = 1000;
const UNBOUND = planOf([], []);

export function slackPriors(given: Partial<SlackLimits>): Priors {
  const { slackMpm, slackChannelBurst: burst } = { ...SLACK_LIMITS_DEFAULT, ...given };
  const channel = { name: 'channel_debt', scope: 'chat', kind: 'debt', count: burst } as const;
  const spaced: Rule = Object.freeze({ ...channel, perMs: burst * MESSAGE_MS });
  const plans = new Map<string, Plan>();
  for (const [method, { family, mpm }] of METHODS) {
    const name = `${method.replace('.', '_')}_minute`;
    const rule = { name, scope: 'account', count: mpm ?? slackMpm, perMs: MINUTE_MS } as const;
    plans.set(method, planOf([Object.freeze(rule)], family === 'send' ? [spaced] : []));
  }
  return {
    planOf: (charge) => plans.get(charge.method ?? OF_FAMILY[charge.family] ?? '') ?? UNBOUND,
  };
}

function planOf(account: Rule[], chat: Rule[]): Plan {
  return Object.freeze({ account: Object.freeze(account), chat: Object.freeze(chat) });
}
