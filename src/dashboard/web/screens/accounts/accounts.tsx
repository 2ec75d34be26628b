// The accounts: whether each goes, what it has waiting, what its own limits say; and the operator's hand on it.

import { useEffect, useState } from 'preact/hooks';
import { count, plural, sentence } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import { hrefOf } from '../../lib/route.ts';
import { smallScreen } from '../../lib/screen-size.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { LimitSettings } from '../../lib/wire/more.ts';
import type { Account, LimitsPage } from '../../lib/wire/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { DayCharts } from '../../ui/day-charts.tsx';
import { AccountName, Panel, Screen } from '../../ui/parts.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { UntilTime } from '../../ui/time.tsx';
import { pause, probe, remove, resume } from './account-acts.ts';
import { isHeld, Standing } from './account-standing.tsx';
import { AddAccountButton, accountsAdded, NewTokenButton } from './add-account.tsx';
import { Budget } from './budget.tsx';
import { FreezeButton, ThawButton, useFreeze } from './freezing.tsx';
import { LimitsButton, limitsPath, SetByHand } from './limit-form.tsx';

const DAYS_SHOWN_MAX = 3;

export function Accounts() {
  const mark = useMark('deliveries');
  const { data, error, reload } = useFetched<{ accounts: readonly Account[] }>(
    '/v1/accounts',
    mark,
  );
  const added = useStore(accountsAdded);
  useEffect(() => void (added > 0 && reload()), [added, reload]);
  return (
    <Screen
      title="Accounts"
      hint="One credential on a platform each. None delays another."
      actions={<AddAccountButton />}
    >
      <Panel title="Accounts">
        <Answered to={{ data, error, reload }}>
          {(data) =>
            data.accounts.length === 0 ? (
              <Empty title="No account yet">Add one, or let it make its first call.</Empty>
            ) : (
              <ul class="cards">
                {data.accounts.toSorted(byTrouble).map((account) => (
                  <li key={account.id}>
                    <Card
                      {...{ account, reload, mark }}
                      isDayShown={data.accounts.length <= DAYS_SHOWN_MAX}
                    />
                  </li>
                ))}
              </ul>
            )
          }
        </Answered>
      </Panel>
    </Screen>
  );
}

// Those that the platform keeps from sending first, then those that a person paused.
function byTrouble(a: Account, b: Account): number {
  const rank = (account: Account) => (isHeld(account) ? 0 : account.paused ? 1 : 2);
  return rank(a) - rank(b);
}

// Of a few accounts it is shown at once; else asked for when somebody wants to see it: there may be thousands.
function LastDay({ account, isShown }: { account: string; isShown: boolean }) {
  const [isOpen, setIsOpen] = useState(isShown && !smallScreen.value);
  return (
    <details
      class="last-day"
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Last 24 hours</summary>
      {isOpen ? <DayCharts account={account} hours="24" /> : null}
    </details>
  );
}

interface CardProps {
  readonly account: Account;
  readonly reload: () => Promise<void>;
  readonly mark: number | null;
  readonly isDayShown: boolean;
}

function Card({ account, reload, mark, isDayShown }: CardProps) {
  const { id, waiting, inFlight } = account;
  // An account's own limits are those of the chat without a name, which comes first.
  const path = `/v1/limits?account=${encodeURIComponent(id)}&limit=1`;
  const { data, reload: reloadLimits } = useFetched<LimitsPage>(path, mark);
  const numbers = useFetched<LimitSettings>(limitsPath(id));
  const onLimits = () => void numbers.reload().then(reloadLimits);
  const own = data?.limits.find(({ chat }) => chat === '');
  const freeze = useFreeze(own ?? { freezes: [] });
  const target = { account: id, chat: null };
  return (
    <article class="card">
      <header>
        <h3>
          <a data-row class="mono" href={hrefOf('chats', { account: id })}>
            <AccountName id={id} />
          </a>
        </h3>
        <Standing account={account} />
      </header>
      <p class="num">
        <a href={hrefOf('queue', { account: id })}>{count(waiting)} waiting</a>
        {', '}
        <a href={hrefOf('messages', { account: id, state: 'sending' })}>
          {count(inFlight)} in flight
        </a>
        {data === null ? null : (
          <>
            {', '}
            <a href={hrefOf('chats', { account: id })}>
              {plural(Math.max(0, data.total - 1), 'chat')} with limits in use
            </a>
          </>
        )}
      </p>
      {freeze === null ? null : (
        <div class="frozen">
          <span class="frost" title={sentence(freeze.cause)}>
            <Badge word="frozen" tone="cool" /> <UntilTime at={freeze.until} />{' '}
            <span class="dim small">{freeze.cause}</span>
          </span>
          <ThawButton target={target} done={() => void reloadLimits()} />
        </div>
      )}
      <div class="budgets">
        {own?.rules.map((rule) => (
          <Budget key={rule.name} rule={rule} />
        ))}
      </div>
      <SetByHand settings={numbers.data?.settings ?? []} />
      <LastDay account={id} isShown={isDayShown} />
      <Acts {...{ account, reload, reloadLimits, onLimits }} isFrozen={freeze !== null} />
    </article>
  );
}

interface ActsProps {
  readonly account: Account;
  readonly isFrozen: boolean;
  readonly reload: () => Promise<void>;
  readonly reloadLimits: () => Promise<void>;
  readonly onLimits: () => void;
}

function Acts({ account, isFrozen, reload, reloadLimits, onLimits }: ActsProps) {
  const { id, paused } = account;
  if (!may('operator')) return null;
  return (
    <footer>
      {account.refused === null ? null : <NewTokenButton account={id} />}
      <button type="button" onClick={() => void (paused ? resume(id) : pause(id)).then(reload)}>
        {paused ? 'Resume' : 'Pause'}
      </button>
      {isHeld(account) || isFrozen ? (
        <button type="button" onClick={() => void probe(id).then(reload).then(reloadLimits)}>
          Try it now
        </button>
      ) : null}
      <FreezeButton target={{ account: id, chat: null }} done={() => void reloadLimits()} />
      <LimitsButton account={id} done={onLimits} />
      {may('admin') ? (
        <button type="button" class="danger" onClick={() => void remove(id).then(reload)}>
          Remove
        </button>
      ) : null}
    </footer>
  );
}
