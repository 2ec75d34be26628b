// A platform's limits, asked for every decision of the loop. When the platform throws instead of answering, its calls
// go on at a careful pace of their own, rather than stopping everyone or going without any limit.

import type { Plan, Priors, Rule } from '../../limits/limits.ts';

const EACH_CHAT: Rule = { name: 'careful_chat', scope: 'chat', count: 1, perMs: 1000 };
const EACH_ACCOUNT: Rule = { name: 'careful_account', scope: 'account', count: 1, perMs: 1000 };
const CAREFUL: Plan = Object.freeze({ account: [EACH_ACCOUNT], chat: [EACH_CHAT] });

export function safePriors(priors: Priors, report: (error: unknown) => void): Priors {
  return {
    planOf(charge) {
      try {
        return priors.planOf(charge);
      } catch (error) {
        report(error);
        return CAREFUL;
      }
    },
  };
}
