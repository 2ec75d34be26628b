// The simulated WhatsApp as one of the simulators there are. Everybody in it has just written, so that a first message
// needs no template. With a tier, which counts those who have not, nobody has.

import type { SimulatorKind } from '../model.ts';
import type { WhatsappCall } from './calls.ts';
import { createWhatsappModel, type WhatsappModel } from './model.ts';
import type { SimWhatsappOptions } from './options.ts';

export const WHATSAPP_SIMULATOR: SimulatorKind<SimWhatsappOptions, WhatsappCall, WhatsappModel> = {
  title: 'WhatsApp',
  setting: 'SLUICE_WHATSAPP_API',
  create: (given) =>
    createWhatsappModel({ ...given, options: { serviceWindow: 'open', ...given.options } }),
  peopleOf: (model) => model,
  limits: {
    throughput_per_s: (throughputPerS) => ({ throughputPerS }),
    pair_burst: (pairBurst) => ({ pairBurst }),
    pair_each_ms: (pairEachMs) => ({ pairEachMs }),
    tier: (tier) => ({ tier, serviceWindow: 'enforced' }),
  },
};
