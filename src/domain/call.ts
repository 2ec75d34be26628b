// What kind of call a delivery makes; the limits are told apart by these.

// send and edit share a chat's window unless learned otherwise; cosmetic calls are never queued.
export const FAMILIES = ['send', 'edit', 'delete', 'reaction', 'typing', 'draft', 'free'] as const;
export type Family = (typeof FAMILIES)[number];

// Which account-wide budget a call spends: unsolicited messages, answers to people who wrote, paid messages, or none.
export const GATES = ['broadcast', 'reply', 'paid', 'open'] as const;
export type Gate = (typeof GATES)[number];

export const COSMETIC_FAMILIES: readonly Family[] = ['typing', 'draft'];
