// One chat in the list: its name, the limit that is nearest to its end, and what froze it.

import { sentence } from '../lib/format.ts';
import { useNow } from '../lib/now.ts';
import { hrefOf } from '../lib/route.ts';
import type { ChatLimits, Rule } from '../lib/wire.ts';
import { Badge } from '../ui/badge.tsx';
import { Until } from '../ui/time.tsx';
import { Budget } from './budget.tsx';

const RULES_SHOWN = 2;

// null: it is being asked for.
export function ChatRow({ limits }: { limits: ChatLimits | null }) {
  if (limits === null) return <div class="chat-row dim">…</div>;
  const { account, chat, rules } = limits;
  const shown = [...rules].sort(byUse).slice(0, RULES_SHOWN);
  return (
    <div class="chat-row">
      <span class="chat-name">
        <a
          data-row
          class="mono"
          href={hrefOf('search', chat === '' ? { account } : { account, chat })}
        >
          {chat === '' ? 'the account itself' : chat}
        </a>
        <span class="dim small">{account}</span>
      </span>
      <span class="chat-budgets">
        {shown.map((rule) => (
          <Budget key={rule.name} rule={rule} />
        ))}
      </span>
      <Frost limits={limits} />
    </div>
  );
}

// The fullest first; of equals the one that gives the least.
function byUse(a: Rule, b: Rule): number {
  return b.used / b.count - a.used / a.count || a.count / a.perMs - b.count / b.perMs;
}

function Frost({ limits }: { limits: ChatLimits }) {
  const now = useNow();
  const active = limits.freezes.filter(({ until }) => until !== null && Date.parse(until) > now);
  const [first] = active.toSorted((a, b) => ((a.until ?? '') < (b.until ?? '') ? 1 : -1));
  if (first === undefined) {
    return (
      <span class="frost">
        <Badge word="open" tone="good" />
      </span>
    );
  }
  return (
    <span class="frost" title={sentence(first.cause)}>
      <Badge word="frozen" tone="cool" /> <Until at={first.until} />
      <span class="dim small">{first.cause}</span>
    </span>
  );
}
