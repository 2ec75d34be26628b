// What the simulated Slack believes about its limits, from its documents: tiers by method, a message a second in a
// channel with short bursts, a bound of the workspace. How short a burst and how high the bound is nobody says.

import { type SimRate, scaled } from '../window.ts';

export interface SimSlackOptions {
  // Scales all rates at once.
  readonly truth: number;
  readonly workspace: SimRate;
  // So many at once, each of which is earned again for so long.
  readonly channelBurst: number;
  readonly channelEachMs: number;
  // By method; those that are not here are of the second tier.
  readonly tiers: Readonly<Record<string, SimRate>>;
}

const perMinute = (count: number): SimRate => ({ count, perMs: 60_000 });
export const TIER_2 = perMinute(20);
const TIER_3 = perMinute(50);
const TIER_4 = perMinute(100);

const SLACK_DEFAULTS: SimSlackOptions = Object.freeze({
  truth: 1,
  workspace: perMinute(300),
  channelBurst: 3,
  channelEachMs: 1000,
  tiers: {
    'api.test': TIER_4,
    'auth.test': { count: 600, perMs: 60_000 },
    'chat.postEphemeral': TIER_4,
    'chat.meMessage': TIER_3,
    'chat.update': TIER_3,
    'chat.delete': TIER_3,
    'chat.appendStream': TIER_4,
    'reactions.add': TIER_3,
    'conversations.history': TIER_3,
    'conversations.replies': TIER_3,
    'conversations.info': TIER_3,
  },
});

export function slackOptions(given: Partial<SimSlackOptions>): SimSlackOptions {
  const all = { ...SLACK_DEFAULTS, ...given };
  const tiers = Object.entries({ ...SLACK_DEFAULTS.tiers, ...given.tiers });
  return {
    ...all,
    workspace: scaled(all.workspace, all.truth),
    channelEachMs: all.channelEachMs / all.truth,
    tiers: Object.fromEntries(tiers.map(([method, rate]) => [method, scaled(rate, all.truth)])),
  };
}
