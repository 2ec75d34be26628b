// The simulated Slack as one of the simulators there are: what it is called, and which of its limits can be set.

import type { SimulatorKind } from '../model.ts';
import { createSlackModel, type SlackCall, type SlackModel } from './model.ts';
import type { SimSlackOptions } from './options.ts';

export const SLACK_SIMULATOR: SimulatorKind<SimSlackOptions, SlackCall, SlackModel> = {
  title: 'Slack',
  setting: 'SLUICE_SLACK_API',
  create: createSlackModel,
  peopleOf: (model) => model,
  limits: {
    workspace_per_minute: (count) => ({ workspace: { count, perMs: 60_000 } }),
    channel_burst: (channelBurst) => ({ channelBurst }),
    channel_each_ms: (channelEachMs) => ({ channelEachMs }),
    update_per_minute: (count) => ({ tiers: { 'chat.update': { count, perMs: 60_000 } } }),
  },
};
