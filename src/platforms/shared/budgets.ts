// The budgets of platforms that have no limit of their own for what nobody asked for: the words tell apart what people
// wait for from what they do not, so that trouble with the one does not hold the other.

import type { Budgets } from '../platform.ts';

// A call that is no message.
export const OPEN = 'open';

export const MESSAGE_BUDGETS = {
  names: ['broadcast', 'reply', OPEN],
  unsolicited: 'broadcast',
  reply: 'reply',
} as const satisfies Budgets;
