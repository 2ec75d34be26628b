// The gateway itself: the health of its parts, the nodes of its fleet, where its interfaces are described, and the
// audit log.

import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from '../../lib/api.ts';
import { actionInWords } from '../../lib/audit-actions.ts';
import { count, exactTime, plural, words } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { overview } from '../../lib/live.ts';
import { hrefOf } from '../../lib/route.ts';
import { session } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { AuditEntry, Health } from '../../lib/wire/more.ts';
import type { Account } from '../../lib/wire/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Panel, Screen } from '../../ui/parts.tsx';
import { Answered, Empty, Loading } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { isHeld } from '../accounts/account-standing.tsx';
import { Nodes } from './nodes.tsx';

const PARTS: Readonly<Record<string, string>> = {
  fleet: 'Membership of the fleet',
  scheduler: 'Sending',
  journal: 'Store on disk',
  spill: 'Messages kept while the database is away',
  periodic: 'Periodic work',
};

export function GatewayScreen() {
  const who = useStore(session);
  const { startedAt, version } = useStore(overview) ?? {};
  return (
    <Screen
      title="Gateway"
      hint={
        startedAt === undefined ? undefined : (
          <>
            Sluice {version}, running for <Since at={startedAt} />.
          </>
        )
      }
    >
      <div class="columns">
        <HealthPanel />
        <Panel title="For programs">
          <ul class="lines">
            <li>
              <a data-row href="/docs">
                API reference, with examples
              </a>
              <span class="dim mono">/docs</span>
            </li>
            <li>
              <a data-row href="/openapi.json">
                OpenAPI description
              </a>
              <span class="dim mono">/openapi.json</span>
            </li>
            <li>
              <a data-row href="/metrics">
                Metrics for Prometheus
              </a>
              <span class="dim mono">/metrics</span>
            </li>
          </ul>
        </Panel>
      </div>
      <Nodes />
      {who.kind === 'in' && who.role === 'admin' ? <Audit /> : null}
    </Screen>
  );
}

function HealthPanel() {
  const data = useHealth();
  return (
    <Panel title="Health">
      {data === null ? (
        <Loading />
      ) : (
        <ul class="lines">
          {Object.entries(data.parts).map(([name, { status, code, jobs = [] }]) => (
            <li key={name}>
              <span>{PARTS[name] ?? words(name)}</span>
              <span>
                {code === undefined ? null : <span class="dim">{words(code)} </span>}
                {jobs
                  .filter(({ state }) => state !== 'ok')
                  .map((job) => (
                    <span key={job.name} class="dim">
                      {words(job.name)} is {job.state}{' '}
                    </span>
                  ))}
                <Badge word={status} tone={status === 'ok' ? 'good' : 'bad'} />
              </span>
            </li>
          ))}
          <li>
            <span>Ingest</span>
            <ReaderStatus scheduler={data.scheduler} />
          </li>
          <Platforms />
        </ul>
      )}
    </Panel>
  );
}

// One that is switched off has never had a turn.
function ReaderStatus({ scheduler }: Pick<Health, 'scheduler'>) {
  const { status, interval_sec: everyS } = scheduler;
  if (everyS === null) return <Badge word="off" tone="plain" />;
  return <Badge word={status} tone={status === 'ok' ? 'good' : 'bad'} />;
}

// Each that has an account: how many of them go.
function Platforms() {
  const mark = useStore(overview)?.marks.deliveries ?? null;
  const { data } = useFetched<{ accounts: readonly Account[] }>('/v1/accounts', mark);
  const groups = Map.groupBy(data?.accounts ?? [], ({ platform }) => platform);
  return (
    <>
      {[...groups].map(([platform, accounts]) => {
        const held = accounts.filter(isHeld).length;
        return (
          <li key={platform}>
            <a data-row href={hrefOf('accounts')}>
              Connection to {platform}
            </a>
            <span>
              <span class="dim">
                {held === 0 ? '' : `${count(held)} of `}
                {plural(accounts.length, 'account')} {held === 0 ? 'well' : 'in trouble'}{' '}
              </span>
              <Badge word={held === 0 ? 'ok' : 'held'} tone={held === 0 ? 'good' : 'warn'} />
            </span>
          </li>
        );
      })}
    </>
  );
}

// A part that is down makes the answer a 503, which tells of the parts all the same.
function useHealth(): Health | null {
  const at = useStore(overview)?.at ?? null;
  const [health, setHealth] = useState<Health | null>(null);
  // Answers may come in another order than they were asked for.
  const turns = useRef({ asked: 0, shown: 0 });
  useEffect(() => {
    const read = async () => {
      turns.current.asked += 1;
      const turn = turns.current.asked;
      const { value } = session;
      const proof = value.kind === 'in' ? value.proof : {};
      const answer = await send('GET', '/health/details', undefined, proof);
      if (!answer.ok && answer.status !== 503) return;
      const told = (await answer.json()) as Health;
      if (turn < turns.current.shown) return;
      turns.current.shown = turn;
      setHealth(told);
    };
    // Away: the page says so already.
    read().catch(() => {});
  }, [at]);
  return health;
}

// What was asked for is noted as it came: as a person reads it, `chat 43, freezeSeconds 28`.
function readable(action: string, target: string): string {
  // A channel is named by its number there.
  if (action.includes('/sources/:id')) return `channel ${target}`;
  if (!target.startsWith('{')) return target;
  try {
    const fields = Object.entries(JSON.parse(target) as Record<string, unknown>);
    return fields
      .filter(([, value]) => value !== '[secret]')
      .map(
        ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      )
      .join(', ');
  } catch {
    // It was cut off.
    return target;
  }
}

function Audit() {
  const { data, error, reload } = useFetched<{ entries: readonly AuditEntry[] }>('/v1/audit');
  return (
    <Panel title="Audit log" more={<span class="dim small">newest first</span>}>
      <Answered to={{ data, error, reload }}>
        {(data) =>
          data.entries.length === 0 ? (
            <Empty title="Nothing yet">Pauses, retries, keys and the like are noted here.</Empty>
          ) : (
            <Table
              kind="stacked"
              columns={['Who', 'Action', 'Target', 'Status', { name: 'When', look: 'right' }]}
            >
              {data.entries.map(({ at, by, action, target, result }) => (
                <tr key={at + action + target}>
                  <td data-label="Who">{by}</td>
                  <td data-label="Action">
                    <span>
                      {actionInWords(action)} <code class="code">{action}</code>
                    </span>
                  </td>
                  <td class="cell-target" data-label="Target">
                    {readable(action, target)}
                  </td>
                  <td class="mono" data-label="Status">
                    {result}
                  </td>
                  <td class="right" data-label="When" title={exactTime(at)}>
                    <Ago at={at} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Answered>
    </Panel>
  );
}
