// The simulated Telegram as one of the simulators there are: what it is called, and which of its limits can be set.

import type { SimulatorKind } from '../model.ts';
import { SimPages } from '../pages.ts';
import { createTelegramModel, type JudgedCall, type TelegramModel } from './model.ts';
import type { SimTelegramOptions } from './options.ts';

export const TELEGRAM_SIMULATOR: SimulatorKind<SimTelegramOptions, JudgedCall, TelegramModel> = {
  title: 'Telegram',
  setting: 'SLUICE_TELEGRAM_API',
  create: createTelegramModel,
  peopleOf: (model) => model,
  pagesOf: (ports) => new SimPages(ports),
  limits: {
    group_mpm: (count) => ({ groupMinute: { count, perMs: 60_000 } }),
    group_spacing_ms: (perMs) => ({ groupSpacing: { count: 1, perMs } }),
    private_burst: (count) => ({ privateBurst: { count, perMs: 5000 } }),
    broadcast_per_s: (count) => ({ broadcast: { count, perMs: 1000 } }),
    paid_per_s: (count) => ({ paid: { count, perMs: 1000 } }),
  },
  edits: ['shared', 'separate', 'free'],
};
