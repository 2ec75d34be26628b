// The priors: what Meta's documents say of a number's limits. 80 messages a second (1000 after an upgrade, 20 where the
// app is used beside the API). To one user a message each 6 s, of which up to 45 may be borrowed at once: a debt that
// time pays back. And so many users outside their service window in any 24 hours. All plans are made at the start and
// frozen: planOf runs for every decision and must not allocate.

import { FAMILIES, type Family, GATES, type Gate } from '../../domain/call.ts';
import type { Charge, Plan, Priors, Rule } from '../../limits/limits.ts';

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
  const plans = table(FAMILIES, (family) => table(GATES, (gate) => planFor(rules, family, gate)));
  return {
    planOf: ({ family, gate }: Charge) => plans[family][gate],
    longestMs: rules.tier === null ? rules.pair.perMs * DEBTS_KEPT : DAY_MS,
  };
}

type Rules = ReturnType<typeof rulesOf>;

function rulesOf(limits: WhatsappLimits) {
  const { whatsappPerS, whatsappPairBurst, whatsappPairEachMs, whatsappTier } = limits;
  const pairMs = whatsappPairBurst * whatsappPairEachMs;
  return {
    second: rule({
      name: 'number_second',
      scope: 'account',
      count: whatsappPerS,
      perMs: SECOND_MS,
    }),
    pair: rule({
      ...{ name: 'pair_debt', scope: 'chat', kind: 'debt' },
      ...{ count: whatsappPairBurst, perMs: pairMs },
    }),
    typing: rule({ name: 'typing_spacing', scope: 'chat', count: 1, perMs: TYPING_SPACING_MS }),
    tier:
      whatsappTier === null
        ? null
        : rule({
            ...{ name: 'portfolio_tier', scope: 'account', kind: 'chats' },
            ...{ count: whatsappTier, perMs: DAY_MS },
          }),
  };
}

function planFor(rules: Rules, family: Family, gate: Gate): Plan {
  switch (family) {
    case 'send':
    case 'edit':
    case 'delete':
    case 'reaction': {
      const isUnsolicited = gate === 'broadcast' || gate === 'paid';
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

function plan(account: Rule[], chat: Rule[]): Plan {
  return Object.freeze({ account: Object.freeze(account), chat: Object.freeze(chat) });
}

const rule = (given: Rule): Rule => Object.freeze(given);

function table<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}
