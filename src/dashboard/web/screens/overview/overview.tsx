// The first thing one sees: does it flow, and if something waits, why. The longest-waiting messages stand here with
// their reason in words; one click leads to the whole story.

import { useDeadCounts } from '../../lib/dead-causes.ts';
import { count, duration, perSecond, plural } from '../../lib/format.ts';
import { overview } from '../../lib/live.ts';
import { useNow } from '../../lib/now.ts';
import { hrefOf } from '../../lib/route.ts';
import { useStore } from '../../lib/store.ts';
import type { Overview, Waiting } from '../../lib/wire/wire.ts';
import { deliveryHref, Panel, Screen, Tile } from '../../ui/parts.tsx';
import { Why } from '../../ui/reason.tsx';
import { Empty, Loading } from '../../ui/states.tsx';
import { Newest } from '../messages/newest.tsx';
import { Charts } from './overview-charts.tsx';
import { FreezeList, IncidentList, TroubleList } from './overview-trouble.tsx';
import { WaitingTable } from './waiting-table.tsx';

const MINUTE_S = 60;
const SHOWN_OF_A_KIND = 2;

export function OverviewScreen() {
  const now = useStore(overview);
  if (now === null) return <Loading />;
  return (
    <Screen title="Overview" hint={<Headline now={now} />}>
      <IncidentList now={now} />
      <Tiles now={now} />
      <Panel title="Why messages wait" more={<a href={hrefOf('queue')}>the whole queue</a>}>
        {now.oldest.length === 0 ? (
          <Empty title="Nothing waits">Every message that was accepted has gone out.</Empty>
        ) : (
          <WaitingTable items={ofEachKind(now.oldest)} />
        )}
      </Panel>
      <Charts series={now.series} />
      <Newest />
      <div class="columns">
        <FreezeList now={now} />
        <TroubleList now={now} />
      </div>
    </Screen>
  );
}

// One sentence that answers the question one came with.
function Headline({ now }: { now: Overview }) {
  const at = useNow();
  const waiting = waitingOf(now);
  const [first] = now.oldest;
  const critical = now.incidents.filter(({ severity }) => severity === 'critical').length;
  if (critical > 0) return <>{plural(critical, 'problem needs', 'problems need')} attention.</>;
  if (first === undefined) {
    const warnings = now.incidents.length;
    const rate = mean(now.series.sent, MINUTE_S);
    const goes = rate === 0 ? '' : `; ${perSecond(rate)} messages a second go out`;
    if (warnings === 0) return <>All clear: nothing waits{goes}.</>;
    return (
      <>
        {plural(warnings, 'warning')}; nothing waits{goes}.
      </>
    );
  }
  const since = duration(at - Date.parse(first.since));
  return (
    <>
      {plural(waiting, 'message waits', 'messages wait')}, the longest for {since}:{' '}
      <Why why={first.why} />.
    </>
  );
}

function waitingOf({ depths }: Overview): number {
  return depths.critical + depths.high + depths.normal + depths.low;
}

// A broadcast that waits would fill the table with one reason.
function ofEachKind(waiting: readonly Waiting[]): Waiting[] {
  const seen = new Map<string, number>();
  return waiting.filter(({ account, priority, kinds }) => {
    const kind = [account, priority, ...kinds].join();
    const before = seen.get(kind) ?? 0;
    seen.set(kind, before + 1);
    return before < SHOWN_OF_A_KIND;
  });
}

function Tiles({ now }: { now: Overview }) {
  const at = useNow();
  const { series, depths, oldest, freezes } = now;
  const { alarming, unreachable } = useDeadCounts();
  const limited = sum(series.limited);
  const first = oldest[0]?.since;
  const oldestMs = first === undefined ? null : at - Date.parse(first);
  return (
    <div class="tiles">
      <Tile
        label="Sent a second"
        value={perSecond(mean(series.sent, MINUTE_S))}
        note={`${count(now.totals.sent)} since the start`}
        href={hrefOf('messages', { state: 'sent' })}
      />
      <Tile
        label="Waiting"
        value={count(waitingOf(now))}
        note={
          depths.retry > 0 ? `${count(depths.retry)} to be tried again` : 'none to be tried again'
        }
        href={hrefOf('queue')}
      />
      <Tile
        label="Oldest wait"
        value={oldestMs === null ? '–' : duration(oldestMs)}
        note={oldestMs === null ? 'nothing waits' : 'longest in the queue'}
        href={oldest[0] === undefined ? hrefOf('queue') : deliveryHref(oldest[0].id)}
      />
      <Tile
        label="In flight"
        value={count(depths.inFlight)}
        note={plural(now.accounts.total, 'account')}
        href={hrefOf('messages', { state: 'sending' })}
      />
      <Tile
        label="Refused with 429"
        value={count(limited)}
        tone={limited > 0 ? 'warn' : ''}
        note={`${plural(freezes.active, 'freeze')} now`}
        href={hrefOf('chats', { frozen: 'true' })}
      />
      <Tile
        label="Dead letters"
        value={count(now.dead)}
        tone={alarming > 0 ? 'bad' : ''}
        note={deadNote(now.uncertain, unreachable)}
        href={hrefOf('dead')}
      />
    </div>
  );
}

function deadNote(uncertain: number, unreachable: number): string {
  if (uncertain > 0) return `${count(uncertain)} in doubt`;
  return unreachable > 0 ? `${count(unreachable)} to people who left` : 'none in doubt';
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[], last: number): number {
  const cut = values.slice(-last);
  return cut.length === 0 ? 0 : sum(cut) / cut.length;
}
