// The simulated Discord as one of the simulators there are: what it is called, and which of its limits can be set.

import type { SimulatorKind } from '../model.ts';
import { createDiscordModel, type DiscordCall, type DiscordModel } from './model.ts';
import type { SimDiscordOptions } from './options.ts';

export const DISCORD_SIMULATOR: SimulatorKind<SimDiscordOptions, DiscordCall, DiscordModel> = {
  title: 'Discord',
  setting: 'SLUICE_DISCORD_API',
  create: createDiscordModel,
  peopleOf: (model) => model,
  limits: {
    global_per_s: (count) => ({ global: { count, perMs: 1000 } }),
    create_per_5s: (createCount) => ({ createCount }),
    edit_per_5s: (editCount) => ({ editCount }),
    read_per_5s: (readCount) => ({ readCount }),
    webhook_per_2s: (webhookCount) => ({ webhookCount }),
    webhook_per_minute: (count) => ({ hiddenWebhook: { count, perMs: 60_000 } }),
    invalid_per_10min: (count) => ({ invalid: { count, perMs: 600_000 } }),
  },
};
