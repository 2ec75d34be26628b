// One chat in the list: its name, the limit that is nearest to its end, what froze it, and the operator's hand on it.

import { sentence } from '../../lib/format.ts';
import { hrefOf } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import type { ChatLimits, Rule } from '../../lib/wire/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { AccountName, ChatName } from '../../ui/parts.tsx';
import { UntilTime } from '../../ui/time.tsx';
import { ChatKeyButton } from '../keys/key-dialogs.tsx';
import { Budget } from './budget.tsx';
import { FreezeButton, ThawButton, useFreeze } from './freezing.tsx';

const RULES_SHOWN = 2;

interface RowProps {
  // null: it is being asked for.
  readonly limits: ChatLimits | null;
  readonly onChange: () => void;
}

export function ChatRow({ limits, onChange }: RowProps) {
  if (limits === null) return <div class="chat-row dim">…</div>;
  const { account, chat, rules } = limits;
  const shown = [...rules].sort(byUse).slice(0, RULES_SHOWN);
  return (
    <div class="chat-row">
      <span class="chat-name">
        <a
          data-row
          class="mono"
          href={hrefOf('messages', chat === '' ? { account } : { account, chat })}
        >
          {chat === '' ? 'the account itself' : <ChatName account={account} chat={chat} />}
        </a>
        <span class="dim small">
          <AccountName id={account} />
        </span>
      </span>
      <span class="chat-budgets">
        {shown.map((rule) => (
          <Budget key={rule.name} rule={rule} isShort />
        ))}
      </span>
      <Frost limits={limits} onChange={onChange} />
    </div>
  );
}

// The fullest first; of equals the one that gives the least.
function byUse(a: Rule, b: Rule): number {
  return b.used / b.count - a.used / a.count || a.count / a.perMs - b.count / b.perMs;
}

function Frost({ limits, onChange }: RowProps & { limits: ChatLimits }) {
  const { account, chat } = limits;
  const freeze = useFreeze(limits);
  const target = { account, chat: chat === '' ? null : chat };
  return (
    <>
      {freeze === null ? (
        <span class="frost">
          <span class="dim">open</span>
        </span>
      ) : (
        <span class="frost" title={sentence(freeze.cause)}>
          <Badge word="frozen" tone="cool" /> <UntilTime at={freeze.until} />
          <span class="dim small">{sentence(freeze.cause)}</span>
        </span>
      )}
      {may('operator') ? (
        <span class="chat-actions">
          {freeze === null ? null : <ThawButton target={target} done={onChange} />}
          <FreezeButton target={target} done={onChange} />
          <ChatKeyButton account={account} chat={chat} />
        </span>
      ) : null}
    </>
  );
}
