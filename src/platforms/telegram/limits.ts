// The priors: what is known of Telegram's limits before anything was learned, and where it is from.
// Official (the Bot FAQ): about one message per second in a chat, 20 per minute in a group, about
// 30 per second of unsolicited messages, 1000 of paid ones. Measured: the 20 are of any 60 s, all
// topics together; reactions have 20 of their own. Said by Telegram's engineers: edits share the
// limit of sends, answers to queries have none. The rest is ours. All plans are made at the start
// and frozen: planOf runs for every decision and must not allocate.

import { FAMILIES, type Family } from '../../domain/call.ts';
import { type Charge, type Plan, type Rule, sayWindow } from '../../limits/limits.ts';
import { assert } from '../../system/assert.ts';
import { BUDGETS, type TelegramBudget } from './budgets.ts';
import { INLINE, QUERY } from './describe.ts';

// Named as the settings are (`group_mpm`, …).
export interface TelegramLimits {
  // Messages per minute in one group or channel; of these, live output leaves `reserveMpm` free and
  // takes at most the share `outputBudgetRatio`.
  readonly groupMpm: number;
  readonly reserveMpm: number;
  readonly outputBudgetRatio: number;
  // Per second in one chat of any kind.
  readonly privatePerS: number;
  readonly broadcastPerS: number;
  readonly paidPerS: number;
  readonly reactionMpm: number;
  readonly draftPerS: number;
  readonly deletePerS: number;
  readonly typingSpacingMs: number;
  // On behalf of one user; null: no such limit.
  readonly userPerMinute: number | null;
}

export const TELEGRAM_LIMITS_DEFAULT: TelegramLimits = Object.freeze({
  groupMpm: 20,
  reserveMpm: 4,
  outputBudgetRatio: 0.8,
  privatePerS: 1,
  broadcastPerS: 30,
  paidPerS: 1000,
  reactionMpm: 20,
  draftPerS: 1,
  // Nothing is published and nobody reports a 429: generous, but no flood.
  deletePerS: 5,
  // The sign lasts five seconds; sooner is wasted.
  typingSpacingMs: 4000,
  userPerMinute: null,
});

// Between two signs in topics of one chat: typing loops of many topics have added up to a ban.
const TYPING_CHAT_MS = 1000;

type ChatClass = 'private' | 'group' | 'inline' | 'query';
const PLACES: readonly ChatClass[] = ['private', 'group', 'inline', 'query'];

export function createPriors(limits: TelegramLimits): (charge: Charge) => Plan {
  const rules = rulesOf(limits);
  const plans = new Map<
    ChatClass,
    Readonly<Record<Family, Readonly<Record<string, readonly Plan[]>>>>
  >();
  for (const place of PLACES) {
    plans.set(
      place,
      table(FAMILIES, (family) =>
        table(BUDGETS.names, (budget) => [
          planFor(rules, place, family, budget, false),
          planFor(rules, place, family, budget, true),
        ]),
      ),
    );
  }
  return ({ chat, family, budget, live }) => {
    const byBudget = plans.get(placeOf(chat))![family];
    // A word of an older version counts as what nobody asked for: it is the safe side.
    return (byBudget[budget] ?? byBudget[BUDGETS.unsolicited]!)[live ? 1 : 0]!;
  };
}

// Channels and names are taken for groups: nothing better is known, and it is the safe side.
function placeOf(chat: string): ChatClass {
  if (chat.startsWith(INLINE)) return 'inline';
  if (chat.startsWith(QUERY)) return 'query';
  return chat.startsWith('-') || chat.startsWith('@') ? 'group' : 'private';
}

// Live output's own, smaller window inside the group's; what it leaves is free for answers.
export function outputMpm(limits: OutputLimits): number {
  const { groupMpm, reserveMpm, outputBudgetRatio } = limits;
  return Math.max(1, Math.min(groupMpm - reserveMpm, Math.floor(groupMpm * outputBudgetRatio)));
}

type OutputLimits = Pick<TelegramLimits, 'groupMpm' | 'reserveMpm' | 'outputBudgetRatio'>;

export function isGroup(chat: string): boolean {
  return placeOf(chat) === 'group';
}

// A rule without its numbers: its name in code, and who takes what, in words.
type Naming = readonly [
  name: string,
  scope: Rule['scope'],
  who: string,
  what: readonly [string, string],
];

const MESSAGE = ['message', 'messages'] as const;
const TYPING = ['typing indicator', 'typing indicators'] as const;
const CHAT_SECOND: Naming = ['chat_second', 'chat', 'this chat', MESSAGE];
const GROUP_MINUTE: Naming = ['group_minute', 'chat', 'this group', MESSAGE];
const SHOWING = ['showing', 'showings'] as const;
const GROUP_OUTPUT: Naming = ['group_output', 'chat', 'live output in this group', SHOWING];
const DELETE_SECOND: Naming = ['delete_second', 'chat', 'this chat', ['deletion', 'deletions']];
const REACTION_MINUTE: Naming = ['reaction_minute', 'chat', 'this chat', ['reaction', 'reactions']];
const TYPING_SPACING: Naming = ['typing_spacing', 'thread', 'this topic', TYPING];
const TYPING_SECOND: Naming = ['typing_second', 'chat', 'this chat', TYPING];
const DRAFT_SECOND: Naming = ['draft_second', 'chat', 'this chat', ['draft', 'drafts']];
const USER_MINUTE: Naming = ['user_minute', 'user', 'one user', MESSAGE];
const UNASKED = ['unsolicited message', 'unsolicited messages'] as const;
const ACCOUNT_BROADCAST: Naming = ['account_broadcast', 'account', 'this bot', UNASKED];
const PAID = ['paid message', 'paid messages'] as const;
const ACCOUNT_PAID: Naming = ['account_paid', 'account', 'this bot', PAID];

type Rules = ReturnType<typeof rulesOf>;

function rulesOf(limits: TelegramLimits) {
  const { userPerMinute } = limits;
  return {
    second: perSecond(CHAT_SECOND, limits.privatePerS),
    groupMinute: perMinute(GROUP_MINUTE, limits.groupMpm),
    groupOutput: perMinute(GROUP_OUTPUT, outputMpm(limits)),
    delete: perSecond(DELETE_SECOND, limits.deletePerS),
    reaction: perMinute(REACTION_MINUTE, limits.reactionMpm),
    typing: rule(TYPING_SPACING, 1, limits.typingSpacingMs),
    typingSecond: rule(TYPING_SECOND, 1, TYPING_CHAT_MS),
    draft: perSecond(DRAFT_SECOND, limits.draftPerS),
    user: userPerMinute === null ? null : perMinute(USER_MINUTE, userPerMinute),
    broadcast: perSecond(ACCOUNT_BROADCAST, limits.broadcastPerS),
    paid: perSecond(ACCOUNT_PAID, limits.paidPerS),
  };
}

function planFor(
  rules: Rules,
  place: ChatClass,
  family: Family,
  budget: TelegramBudget,
  live: boolean,
): Plan {
  return Object.freeze({
    account: Object.freeze(accountRules(rules, budget)),
    chat: Object.freeze(chatRules(rules, place, family, live)),
  });
}

function accountRules(rules: Rules, budget: TelegramBudget): Rule[] {
  switch (budget) {
    case 'broadcast':
      return [rules.broadcast];
    case 'paid':
      return [rules.paid];
    case 'reply':
    case 'open':
      return [];
  }
}

function chatRules(rules: Rules, place: ChatClass, family: Family, live: boolean): Rule[] {
  switch (family) {
    case 'send':
    case 'edit': {
      const chosen = [rules.second];
      if (place === 'group') chosen.push(rules.groupMinute);
      if (place === 'group' && live) chosen.push(rules.groupOutput);
      if (rules.user !== null) chosen.push(rules.user);
      return chosen;
    }
    case 'delete':
      return [rules.delete];
    case 'reaction':
      return [rules.reaction];
    case 'typing':
      return [rules.typing, rules.typingSecond];
    case 'draft':
      return [rules.draft];
    case 'free':
      return [];
  }
}

function perMinute(naming: Naming, count: number): Rule {
  return rule(naming, count, 60_000);
}

// A rate below one, or between whole numbers, stretches the window instead of the count.
function perSecond(naming: Naming, rate: number): Rule {
  const count = Math.max(1, Math.floor(rate));
  return rule(naming, count, Math.round((count / rate) * 1000));
}

function rule([name, scope, who, what]: Naming, count: number, perMs: number): Rule {
  assert(count >= 1 && perMs >= 1, `${name}: ${count} in ${perMs} ms is not a limit`);
  return Object.freeze({ name, scope, count, perMs, says: sayWindow(who, what, { count, perMs }) });
}

function table<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}
