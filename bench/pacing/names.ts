// The two runs of Sluice: before a network that jitters, and before one that does not.

export const SLUICE = 'Sluice';
export const SLUICE_STEADY = 'Sluice, no jitter';
