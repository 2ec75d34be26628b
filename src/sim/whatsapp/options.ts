// What the simulated Cloud API is told to be like. The numbers are those of Meta's documents.

export interface SimWhatsappOptions {
  // Messages of one number, in and out together, in any second.
  readonly throughputPerS: number;
  // To one user: so many at once, each of which has to be earned again for so long.
  readonly pairBurst: number;
  readonly pairEachMs: number;
  // Users outside their service window that a portfolio reaches in any 24 hours.
  readonly tier: number;
  // `enforced`: only templates reach users who have not written for a day. `open`: everybody has just written.
  readonly serviceWindow: 'enforced' | 'open';
  // All limits times this, to be stricter than is believed.
  readonly truth: number;
  // Statuses: how long until the first, how long between two, and whether they come in order and once.
  readonly statusMs: number;
  readonly statuses: 'in_order' | 'shuffled';
  // Of 100 statuses so many are posted twice.
  readonly repeatedPercent: number;
}

export const WHATSAPP_DEFAULTS: SimWhatsappOptions = Object.freeze({
  throughputPerS: 80,
  pairBurst: 45,
  pairEachMs: 6000,
  tier: 100_000,
  serviceWindow: 'enforced',
  truth: 1,
  statusMs: 200,
  statuses: 'in_order',
  repeatedPercent: 0,
});
