// The priors: what Meta's documents say of a number's limits. 80 messages a second (1000 after an upgrade, 20 where the
// app is used beside the API). To one user a message each 6 s, of which up to 45 may be borrowed at once: a debt that
// time pays back. And so many users outside their service window in any 24 hours. All plans are made at the start and
// frozen: planOf runs for every decision and must not allocate.

import { FAMILIES, type Family } from '../../domain/call.ts';
import type { Charge, Plan, Priors } from '../../limits/limits.ts';
import { MESSAGE_BUDGETS } from '../shared/budgets.ts';
import { debt, plan, windowed } from '../shared/plans.ts';

// Named as the settings are.
export interface WhatsappLimits {
  readonly whatsappPerS: number;
  readonly whatsappPairBurst: number;
  readonly whatsappPairEachMs: number;
  // null: no such limit.
  readonly whatsappTier: number | null;
}

export const WHATSAPP_LIMITS_DEFAULT: WhatsappLimits = Object.freeze({
  whatsappPerS: 80,
  whatsappPairBurst: 45,
  whatsappPairEachMs: 6000,
  whatsappTier: null,
});

// The sign lasts 25 s.
const TYPING_SPACING_MS = 5000;
const SECOND_MS = 1000;
export const DAY_MS = 86_400_000;
// A debt outlives the calls that a start looks back on unless they reach back so many times its length.
const DEBTS_KEPT = 4;

export function whatsappPriors(given: Partial<WhatsappLimits>): Priors {
  const limits = { ...WHATSAPP_LIMITS_DEFAULT, ...given };
  const rules = rulesOf(limits);
  const plans = table(
    FAMILIES,
    (family): Readonly<Record<string, Plan>> =>
      table(MESSAGE_BUDGETS.names, (budget) => planFor(rules, family, budget)),
  );
  return {
    // A word of an older version counts as what nobody asked for: it is the safe side.
    planOf: ({ family, budget }: Charge) =>
      plans[family][budget] ?? plans[family][MESSAGE_BUDGETS.unsolicited]!,
    longestMs: rules.tier === null ? rules.pair.perMs * DEBTS_KEPT : DAY_MS,
  };
}

type Rules = ReturnType<typeof rulesOf>;

function rulesOf(limits: WhatsappLimits) {
  const { whatsappPerS, whatsappPairBurst, whatsappPairEachMs, whatsappTier } = limits;
  const pairMs = whatsappPairBurst * whatsappPairEachMs;
  return {
    second: windowed('number_second', 'account', whatsappPerS, SECOND_MS),
    pair: debt('pair_debt', 'chat', whatsappPairBurst, pairMs),
    typing: windowed('typing_spacing', 'chat', 1, TYPING_SPACING_MS),
    tier:
      whatsappTier === null
        ? null
        : Object.freeze({
            ...windowed('portfolio_tier', 'account', whatsappTier, DAY_MS),
            kind: 'chats' as const,
          }),
  };
}

function planFor(rules: Rules, family: Family, budget: string): Plan {
  switch (family) {
    case 'send':
    case 'edit':
    case 'delete':
    case 'reaction': {
      const isUnsolicited = budget === MESSAGE_BUDGETS.unsolicited;
      const account =
        isUnsolicited && rules.tier !== null ? [rules.second, rules.tier] : [rules.second];
      return plan(account, [rules.pair]);
    }
    case 'typing':
      return plan([], [rules.typing]);
    case 'draft':
    case 'free':
      return plan([], []);
  }
}

function table<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}
