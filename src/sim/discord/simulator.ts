// The simulated Discord as one of the simulators there are: what it is called, and which of its limits can be set.

import type { SimulatorKind } from '../model.ts';
import { createDiscordModel, type DiscordCall, type DiscordModel } from './model.ts';
import { DISCORD_DEFAULTS, type SimBucketName, type SimDiscordOptions } from './options.ts';

const bucket =
  (name: SimBucketName) =>
  (count: number): Partial<SimDiscordOptions> => {
    const { buckets } = DISCORD_DEFAULTS;
    return { buckets: { ...buckets, [name]: { ...buckets[name], count } } };
  };

export const DISCORD_SIMULATOR: SimulatorKind<SimDiscordOptions, DiscordCall, DiscordModel> = {
  title: 'Discord',
  setting: 'SLUICE_DISCORD_API',
  create: createDiscordModel,
  peopleOf: (model) => model,
  limits: {
    global_per_s: (count) => ({ global: { count, perMs: 1000 } }),
    create_per_5s: bucket('create'),
    edit_per_5s: bucket('edit'),
    webhook_per_2s: bucket('webhook'),
    webhook_per_minute: (count) => ({ hiddenWebhook: { count, perMs: 60_000 } }),
    invalid_per_10min: (count) => ({ invalid: { count, perMs: 600_000 } }),
  },
};
