// The limits as text for a person: why does it wait, and what is known of this chat?

import { type Branch, type Freeze, isFrozenBy } from './branch.ts';
import type { LearningSettings } from './learning.ts';
import type { Meter } from './projection.ts';
import type { Slot } from './slot.ts';
import type { Cause, Charge, ChatView, Rule } from './types.ts';
import { sayWindow, seconds } from './wording.ts';

export interface Circumstances {
  readonly now: number;
  // When unanswered calls are taken to be judged, and when the next answer is expected.
  readonly heldAt: number;
  readonly answerAt: number;
  readonly settings: LearningSettings;
}

export function causeOfFreeze(
  freeze: Freeze,
  charge: Charge,
  { now, answerAt }: Circumstances,
): Cause | null {
  if (!isFrozenBy(freeze, charge)) return null;
  const { scope, until, cause, probe } = freeze;
  const name = freeze.name === '' ? 'account' : freeze.name;
  if (until > now) return { kind: 'freeze', name, scope, until, detail: cause };
  if (probe === null) return null;
  const detail = 'one call goes first after a freeze; its answer is awaited';
  return { kind: 'probe', name, scope, until: answerAt, detail };
}

export function causeOfRule(
  rule: Rule,
  slot: Slot,
  cost: number,
  { now, heldAt, settings }: Circumstances,
): Cause | null {
  const share = slot.share(now, settings);
  const count = slot.count(rule, now, settings);
  const perMs = slot.perMs(rule, now, settings);
  if (slot.earliest(cost, count, perMs, now) <= now) return null;
  return {
    kind: 'window',
    name: rule.name,
    scope: rule.scope,
    until: Math.max(now, slot.freeAt(cost, count, perMs, now, heldAt)),
    detail: useOf({ rule, slot, share, count, perMs }, now),
  };
}

// The window that those before it will have used up when its turn comes.
export function causeAhead(meter: Meter, ahead: number, until: number, now: number): Cause {
  const { name, scope } = meter.rule;
  const use = useOf(meter, now);
  const detail =
    ahead === 0 ? use : `${use}, and ${ahead} ${ahead === 1 ? 'goes' : 'go'} before it`;
  return { kind: 'window', name, scope, until, detail, ahead };
}

// "this group takes 20 messages a minute; 20 were sent".
function useOf({ rule, slot, share, count, perMs }: Meter, now: number): string {
  // Calls that were answered late may all have been judged in one moment; more than all of it is all of it.
  const used = Math.min(slot?.used(perMs, now) ?? 0, rule.count);
  const sent = used === 1 ? '1 was sent' : `${used} were sent`;
  const held = slot === null || slot.held === 0 ? '' : `, ${slot.held} of them not answered yet`;
  const percent = Math.round(share * 100);
  const learned =
    share === 1 ? '' : ` (learned: ${percent} % of it, ${count} in ${seconds(perMs)})`;
  return `${sayingOf(rule)}${learned}; ${sent}${held}`;
}

const WHO: Readonly<Record<Rule['scope'], string>> = {
  account: 'this account',
  chat: 'this chat',
  thread: 'this thread',
  user: 'one user',
};

function sayingOf(rule: Rule): string {
  return rule.says ?? sayWindow(WHO[rule.scope], ['call', 'calls'], rule);
}

export function viewOf(branch: Branch, { now, heldAt, settings }: Circumstances): ChatView {
  return {
    chat: branch.name,
    rules: branch.slots.map((slot) => {
      const { rule } = slot;
      const learned = slot.share(now, settings);
      const count = slot.count(rule, now, settings);
      const perMs = slot.perMs(rule, now, settings);
      return {
        name: rule.name,
        scope: rule.scope,
        says: sayingOf(rule),
        used: Math.min(slot.used(perMs, now), count),
        count,
        // The believed window, without the try that lets a call go early.
        perMs: slot.spanMs(rule, now, settings),
        learned,
        freeAt: Math.max(now, slot.freeAt(1, count, perMs, now, heldAt)),
      };
    }),
    freezes: branch.freezes.map(({ scope, since, until, cause }) => ({
      scope,
      since,
      until,
      cause,
    })),
  };
}
