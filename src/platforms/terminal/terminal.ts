// A terminal as a platform, put together: messages go to a screen in memory, and whoever watches it sees them.
// An account needs no credential: its name is enough, and nobody outside is asked.

import type { Plan, Rule } from '../../limits/limits.ts';
import type { Platform } from '../platform.ts';
import { referencesIn } from '../references.ts';
import { CHANGES } from './changes.ts';
import { CREDENTIALS, identify } from './credentials.ts';
import { address, BUDGETS, describe, isIdempotent, targets } from './describe.ts';
import { LIVE_OUTPUT } from './live-output.ts';
import type { Screens } from './screens.ts';
import { classify, send } from './send.ts';

export { Screens } from './screens.ts';

// Nobody limits a terminal, and nobody reads faster than this: a flood must not eat the process.
const FLOOD: Rule = Object.freeze({
  name: 'screen_second',
  scope: 'chat',
  count: 1000,
  perMs: 1000,
});
const PLAN: Plan = Object.freeze({
  account: Object.freeze([]),
  chat: Object.freeze([FLOOD]),
});

export function createTerminal(screens: Screens): Platform {
  return {
    name: 'terminal',
    credentials: CREDENTIALS,
    calls: {
      describe,
      address,
      textMethod: 'sendMessage',
      textParams: (text) => ({ text }),
      isIdempotent,
      targets,
    },
    budgets: BUDGETS,
    limits: { planOf: () => PLAN },
    wire: {
      isLocal: () => true,
      identify,
      send: async (call) => send(screens, call),
      classify: (_method, reply) => classify(reply),
    },
    references: referencesIn(['message_id']),
    content: {
      // An edit costs nothing here, so none is spared.
      touch: () => null,
      wording: (_method, { text }) => (typeof text === 'string' ? text : null),
    },
    changes: CHANGES,
    live: LIVE_OUTPUT,
    screens,
  };
}
