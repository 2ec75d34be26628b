// How plans of limits are written down: made once, when the limits are known, and frozen, because one is asked for at
// every decision.

import type { Family } from '../../domain/call.ts';
import type { Plan, Priors, Rule } from '../../limits/limits.ts';

// At most `count` in any `perMs`.
export function windowed(name: string, scope: Rule['scope'], count: number, perMs: number): Rule {
  return Object.freeze({ name, scope, count, perMs });
}

// So many may be borrowed at once, each of which time pays back: in `perMs` all of them.
export function debt(name: string, scope: Rule['scope'], count: number, perMs: number): Rule {
  return Object.freeze({ name, scope, count, perMs, kind: 'debt' });
}

export function plan(account: readonly Rule[], chat: readonly Rule[]): Plan {
  return Object.freeze({
    account: Object.freeze([...account]),
    chat: Object.freeze([...chat]),
  });
}

export interface PlannedMethod {
  readonly method: string;
  readonly family: Family;
  readonly plan: Plan;
}

// A call of whose method nothing is known counts as the first of its family does.
export function priorsBy(planned: readonly PlannedMethod[]): Priors {
  const byMethod = new Map(planned.map((each) => [each.method, each.plan]));
  const byFamily = new Map(planned.toReversed().map((each) => [each.family, each.plan]));
  const unbound = plan([], []);
  return {
    planOf: ({ method = '', family }) => byMethod.get(method) ?? byFamily.get(family) ?? unbound,
  };
}
