// What is closed right now, beside the overview: chats and accounts the platform sent away, and accounts that do not
// go.

import { plural, words } from '../lib/format.ts';
import { hrefOf } from '../lib/route.ts';
import type { Frozen, Overview } from '../lib/wire.ts';
import { Badge } from '../ui/badge.tsx';
import { Panel } from '../ui/parts.tsx';
import { Empty } from '../ui/states.tsx';
import { Until } from '../ui/time.tsx';
import { ThawButton } from './freezing.tsx';

// The worst first, each with what to do about it; nothing is there when all is well.
export function IncidentList({ now }: { now: Overview }) {
  if (now.incidents.length === 0) return null;
  return (
    <Panel title="What is wrong">
      <ul class="incidents">
        {now.incidents.map(({ code, severity, account, waiting, until, summary, remedy }) => (
          <li key={code + account} class={severity}>
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
          </li>
        ))}
      </ul>
    </Panel>
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
              <Until at={frozen.until} over="over" />
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
  return scope === 'chat' ? `chat ${name}` : `${account}, ${words(scope)} ${name}`;
}

export function TroubleList({ now }: { now: Overview }) {
  const { total, trouble } = now.accounts;
  return (
    <Panel title="Accounts" more={<a href={hrefOf('accounts')}>all {total}</a>}>
      {trouble.length === 0 ? (
        <Empty title={total === 0 ? 'No account yet' : 'All accounts are well'}>
          {total === 0 ? 'An account is known from its first call.' : null}
        </Empty>
      ) : (
        <ul class="lines">
          {trouble.map(({ id, paused, refused, breaker, waiting }) => (
            <li key={id}>
              <a data-row class="mono" href={hrefOf('accounts')}>
                {id}
              </a>
              {refused !== null ? (
                <Badge word="refused" />
              ) : paused ? (
                <Badge word="paused" />
              ) : (
                <Badge word={`breaker_${breaker.state}`} tone="warn" />
              )}
              <span class="dim">
                {refused ?? (paused ? 'by hand' : breaker.detail || breaker.cause)},{' '}
                {plural(waiting, 'message')} waiting
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
