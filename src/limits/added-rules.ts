// The rules that an operator has added to a platform's own: a call must satisfy all of them together. Plans are made
// once per kind of call, because the scheduler asks for them at every decision.

import type { Family } from '../domain/call.ts';
import type { LimitRule, LimitScope } from '../domain/limit-rule.ts';
import { unreachable } from '../system/assert.ts';
import type { Plan, Priors, Rule } from './types.ts';
import { sayDebt, sayWindow } from './wording.ts';

const WHO: Readonly<Record<LimitScope, string>> = {
  account: 'this account',
  chat: 'this chat',
  user: 'one user',
};
const MESSAGE: readonly [string, string] = ['message', 'messages'];
const CALL: readonly [string, string] = ['call', 'calls'];

interface Added {
  readonly rule: Rule;
  readonly families: readonly Family[];
}

export function withRules(priors: Priors, rules: readonly LimitRule[]): Priors {
  if (rules.length === 0) return priors;
  const added = rules.map((rule): Added => ({ rule: ruleOf(rule), families: rule.families }));
  const made = new WeakMap<Plan, Partial<Record<Family, Plan>>>();
  return {
    planOf(charge) {
      const own = priors.planOf(charge);
      const plans = made.get(own) ?? {};
      made.set(own, plans);
      plans[charge.family] ??= joined(own, added, charge.family);
      return plans[charge.family]!;
    },
    pacesUsers: priors.pacesUsers === true || rules.some(({ scope }) => scope === 'user'),
    longestMs: Math.max(priors.longestMs ?? 0, ...added.map(({ rule }) => rule.perMs)),
  };
}

function joined(own: Plan, added: readonly Added[], family: Family): Plan {
  const binding = added.filter(({ families }) => families.includes(family)).map(({ rule }) => rule);
  if (binding.length === 0) return own;
  const ofAccount = ({ scope }: Rule) => scope === 'account';
  return Object.freeze({
    account: Object.freeze([...own.account, ...binding.filter(ofAccount)]),
    chat: Object.freeze([...own.chat, ...binding.filter((rule) => !ofAccount(rule))]),
  });
}

function ruleOf({ name, scope, amount, families }: LimitRule): Rule {
  const isMessages = families.every((family) => family === 'send' || family === 'edit');
  const what = isMessages ? MESSAGE : CALL;
  const named = (says: string) => ({ name, scope, says: `${name}: ${says}`, isOperators: true });
  switch (amount.kind) {
    case 'window': {
      const { count, perMs } = amount;
      return Object.freeze({ ...named(sayWindow(WHO[scope], what, amount)), count, perMs });
    }
    case 'debt': {
      const { burst: count, everyMs } = amount;
      const says = sayDebt(WHO[scope], what, amount);
      return Object.freeze({ ...named(says), kind: 'debt', count, perMs: count * everyMs });
    }
    default:
      return unreachable(amount);
  }
}
