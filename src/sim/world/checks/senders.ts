// Of a fleet: an account has one sender at a time. What a node sends for an account that was not its own is seen where
// it leaves, because the platform cannot tell nodes apart.

import type { Check } from '../evidence.ts';

export const checkSenders: Check = ({ strangers = [] }) =>
  strangers.map((facts) => ({ check: 'senders', facts }));
