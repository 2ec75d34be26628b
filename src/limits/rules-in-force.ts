// The rules that priors have for a chat, by name: asked when an operator changes them, to tell the windows that are
// there already. Priors answer for one call at a time, so every kind of call is asked for. And those of a call that
// hold only if it is live output.

import { FAMILIES } from '../domain/call.ts';
import type { Branch } from './branch.ts';
import type { Charge, Plan, Priors, Rule } from './types.ts';

type Rules = ReadonlyMap<string, Rule>;

// There may be half a million chats: those whose messages have one plan have all plans in common.
export function rulesByChat(priors: Priors, budgets: readonly string[]): (branch: Branch) => Rules {
  const known = new Map<Plan, Rules>();
  return ({ scope, name }) => {
    const chat = scope === 'chat' ? name : '';
    const plan = priors.planOf(charge(chat, 'send', budgets[0]!, false));
    const rules = known.get(plan) ?? rulesOf(priors, budgets, chat);
    known.set(plan, rules);
    return rules;
  };
}

export function liveRules(priors: Priors, charge: Charge): readonly Rule[] {
  const plain = priors.planOf({ ...charge, live: false }).chat;
  const { chat } = priors.planOf({ ...charge, live: true });
  return chat.filter(({ name }) => !plain.some((rule) => rule.name === name));
}

function rulesOf(priors: Priors, budgets: readonly string[], chat: string): Rules {
  const rules = new Map<string, Rule>();
  for (const family of FAMILIES) {
    for (const budget of budgets) {
      for (const live of [false, true]) {
        const plan = priors.planOf(charge(chat, family, budget, live));
        for (const rule of [...plan.chat, ...plan.account]) {
          const other = rules.get(rule.name);
          // The widest, as everywhere where one name has several.
          if (other === undefined || other.count < rule.count) rules.set(rule.name, rule);
        }
      }
    }
  }
  return rules;
}

function charge(chat: string, family: Charge['family'], budget: string, live: boolean): Charge {
  return { chat, user: null, family, budget, live, cost: 1 };
}
