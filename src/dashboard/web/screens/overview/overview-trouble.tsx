// What is closed right now, beside the overview: chats and accounts the platform sent away, and accounts that do not
// go.

import { plural } from '../../lib/format.ts';
import { hrefOf } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import type { Frozen, Incident, Overview } from '../../lib/wire/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { AccountName, Panel } from '../../ui/parts.tsx';
import { Empty } from '../../ui/states.tsx';
import { Until, UntilTime } from '../../ui/time.tsx';
import { probe, resume } from '../accounts/account-acts.ts';
import { Standing } from '../accounts/account-standing.tsx';
import { NewTokenButton } from '../accounts/add-account.tsx';
import { ThawButton } from '../accounts/freezing.tsx';

// The platform does not take its token any more.
const REFUSED = 'unauthorized';

// The worst first, each with what to do about it; nothing is there when all is well.
export function IncidentList({ now }: { now: Overview }) {
  if (now.incidents.length === 0) return null;
  return (
    <Panel title="What is wrong">
      <ul class="incidents">
        {now.incidents.map((incident) => (
          <Wrong key={incident.code + incident.account} incident={incident} />
        ))}
      </ul>
    </Panel>
  );
}

function Wrong({ incident }: { incident: Incident }) {
  const { severity, account, waiting, until, summary, remedy } = incident;
  return (
    <li class={severity}>
      <Badge word={severity} tone={severity === 'critical' ? 'bad' : 'warn'} />
      <div>
        <strong>{summary}</strong>{' '}
        {waiting === 0 ? null : (
          <a href={hrefOf('queue', account === null ? {} : { account })}>
            {plural(waiting, 'message waits', 'messages wait')}
          </a>
        )}
        {until === null ? null : (
          <>
            {' '}
            <Until at={until} over="now" />
          </>
        )}
        <p class="dim">{remedy}</p>
      </div>
      <Help incident={incident} />
    </li>
  );
}

// What can be done about it here.
function Help({ incident: { code, account, command } }: { incident: Incident }) {
  if (account === null || command === null || !may('operator')) return null;
  const isPaused = code === 'paused';
  const isRefused = code === REFUSED;
  return (
    <span class="actions">
      {isRefused ? <NewTokenButton account={account} /> : null}
      <button type="button" onClick={() => void (isPaused ? resume(account) : probe(account))}>
        {isPaused ? 'Resume' : 'Try it now'}
      </button>
    </span>
  );
}

export function FreezeList({ now }: { now: Overview }) {
  const { active, shown } = now.freezes;
  const more = active - shown.length;
  return (
    <Panel title="Freezes">
      {active === 0 ? (
        <Empty title="Nothing is frozen">The platform asked for no wait that still runs.</Empty>
      ) : (
        <ul class="lines">
          {shown.map((frozen) => (
            <li key={frozen.account + frozen.scope + frozen.name}>
              <a data-row href={hrefOf('chats', { account: frozen.account, frozen: 'true' })}>
                {nameOf(frozen)}
              </a>
              <span class="dim">{frozen.cause}</span>
              <UntilTime at={frozen.until} />
              <Thaw frozen={frozen} />
            </li>
          ))}
          {more > 0 ? <li class="dim">and {plural(more, 'more freeze')}</li> : null}
        </ul>
      )}
    </Panel>
  );
}

// A freeze of some calls only is thawed with its whole account, where its card says so.
function Thaw({ frozen: { account, scope, name } }: { frozen: Frozen }) {
  if (scope !== 'chat' && scope !== 'account') return null;
  return <ThawButton target={{ account, chat: scope === 'chat' ? name : null }} done={() => {}} />;
}

function nameOf({ account, scope, name }: Frozen): string {
  if (name === '') return `${account}, all of it`;
  switch (scope) {
    case 'chat':
      return `chat ${name}`;
    case 'budget':
      return `${account}, ${name} messages`;
    default:
      return `${account}, calls of the kind ${name}`;
  }
}

export function TroubleList({ now }: { now: Overview }) {
  const { total, trouble } = now.accounts;
  const others = othersInTrouble(now);
  return (
    <Panel title="Accounts" more={<a href={hrefOf('accounts')}>all {total}</a>}>
      {trouble.length + others.length === 0 ? (
        <Empty title={total === 0 ? 'No account yet' : 'All accounts are well'}>
          {total === 0 ? 'An account is known from its first call.' : null}
        </Empty>
      ) : (
        <ul class="lines">
          {trouble.map(({ id, paused, refused, breaker, waiting }) => (
            <li key={id}>
              <a data-row class="mono" href={hrefOf('accounts')}>
                <AccountName id={id} />
              </a>
              <Standing account={{ paused, refused, breaker }} />
              <a href={hrefOf('queue', { account: id })}>{plural(waiting, 'message')} waiting</a>
            </li>
          ))}
          {others.map(({ account, severity, summary }) => (
            <li key={account}>
              <span class="mono">{account}</span>
              <Badge word={severity} tone={severity === 'critical' ? 'bad' : 'warn'} />
              <span class="dim small">{summary}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

// Those that only an incident tells of: frozen as a whole, or not known yet because their platform cannot be asked.
function othersInTrouble({ incidents, accounts }: Overview): Incident[] {
  const told = new Set<string | null>([null, ...accounts.trouble.map(({ id }) => id)]);
  return incidents.filter(({ account }) => !told.has(account) && told.add(account));
}
