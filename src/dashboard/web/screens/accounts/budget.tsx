// One limit: how much of it is used now, and what was learned of it.

import { perWindow, sentence } from '../../lib/format.ts';
import type { Rule } from '../../lib/wire/wire.ts';
import { Meter } from '../../ui/parts.tsx';

export function Budget({ rule, isShort = false }: { rule: Rule; isShort?: boolean }) {
  const { name, says, used, count, perMs, learned } = rule;
  const share = count === 0 ? 1 : used / count;
  return (
    <span
      class="budget"
      title={`${sentence(says)}; ${used} of ${perWindow(count, perMs)} used (${name})`}
    >
      <span class="budget-words">
        <span class="budget-says">
          {sentence(says)} {isShort ? null : <code class="code">{name}</code>}
        </span>
        <span class="num">
          {used} / {count}
        </span>
      </span>
      <Meter share={share} tone={share >= 1 ? 'warn' : ''} label={`${says}, used`} />
      {learned < 1 ? (
        <span class="small learned">learned: {Math.round(learned * 100)} % of it</span>
      ) : null}
    </span>
  );
}
