// One message to many chats: how far each is, how fast it goes, when it is done; paused, resumed and cancelled here.

import { ask } from '../lib/api.ts';
import { count, perSecond } from '../lib/format.ts';
import { useFetched } from '../lib/hooks/use-fetched.ts';
import { firstClick } from '../lib/hooks/use-once.ts';
import { useMark } from '../lib/mark.ts';
import { useNow } from '../lib/now.ts';
import { hrefOf } from '../lib/route.ts';
import { may } from '../lib/session-store.ts';
import type { Broadcast } from '../lib/wire/more.ts';
import { isState, type Page } from '../lib/wire/wire.ts';
import { Badge } from '../ui/badge.tsx';
import { Command } from '../ui/command.tsx';
import { confirm } from '../ui/dialog.tsx';
import { AccountName, Meter, Panel, Screen } from '../ui/parts.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { Ago, Until } from '../ui/time.tsx';
import { attempt } from '../ui/toast.tsx';

type Deed = 'pause' | 'resume' | 'cancel';

export function Broadcasts() {
  const mark = useMark('deliveries');
  const { data, error, reload } = useFetched<Page<Broadcast>>('/v1/broadcasts', mark);
  return (
    <Screen
      title="Broadcasts"
      hint="Whoever writes to a bot is answered first; a broadcast takes what is left."
    >
      <Panel title="Broadcasts" more={<span class="dim small">newest first</span>}>
        <Answered to={{ data, error, reload }}>
          {(data) =>
            data.items.length === 0 ? (
              <Empty title="No broadcast yet">
                Start one:{' '}
                <Command
                  before="printf 'chat\n42\n43\n' | "
                  words="broadcast --to - --account 1:sandbox --text hello"
                />
                , or by <code>POST /v1/broadcasts</code>.
              </Empty>
            ) : (
              <ul class="cards">
                {data.items.map((each) => (
                  <li key={each.id}>
                    <Card broadcast={each} reload={reload} />
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

function Card({ broadcast, reload }: { broadcast: Broadcast; reload: () => Promise<void> }) {
  const { id, name, state, total, progress, account, createdAt } = broadcast;
  const done = total - (progress.pending ?? 0) - (progress.queued ?? 0);
  return (
    <article class="card">
      <header>
        <h3>
          <a data-row href={hrefOf('messages', { correlation: id })}>
            {name ?? id}
          </a>
        </h3>
        <Badge word={state} />
      </header>
      <p class="num">
        {count(done)} of {count(total)} <Pace broadcast={broadcast} />
      </p>
      <Meter share={total === 0 ? 1 : done / total} tone="good" label={`${name ?? id} done`} />
      <p class="outcomes">
        {Object.entries(progress)
          .filter(([, n]) => n > 0)
          .map(([outcome, n]) => (
            <Outcome key={outcome} broadcast={broadcast} outcome={outcome} n={n} />
          ))}
      </p>
      <footer>
        <span class="dim small">
          <AccountName id={account} />, created <Ago at={createdAt} />
        </span>
        <Steering broadcast={broadcast} reload={reload} />
      </footer>
    </article>
  );
}

// Those that became a delivery lead to them; who is still to come, or was left out, has none.
function Outcome(props: { broadcast: Broadcast; outcome: string; n: number }) {
  const { broadcast, outcome, n } = props;
  const badge = <Badge word={outcome} />;
  if (!isState(outcome)) {
    return (
      <span class="outcome num">
        {badge} {count(n)}
      </span>
    );
  }
  const href = hrefOf('messages', { correlation: broadcast.id, state: outcome });
  return (
    <a class="outcome num" href={href}>
      {badge} <span>{count(n)}</span>
    </a>
  );
}

function Pace({ broadcast }: { broadcast: Broadcast }) {
  const { state, perSecond: rate, eta, notBefore, progress } = broadcast;
  if (state !== 'running') return null;
  if (notBefore !== null && rate === null) {
    return (
      <span class="dim">
        begins <Until at={notBefore} />
      </span>
    );
  }
  return (
    <span class="dim">
      {rate === null ? '' : `${perSecond(rate)} a second, `}
      <End at={eta} isLast={(progress.pending ?? 0) === 0} />
    </span>
  );
}

// What was expected and has not come is no longer known, unless only the last are under way.
function End({ at, isLast }: { at: string | null; isLast: boolean }) {
  const now = useNow();
  if (at === null || (!isLast && Date.parse(at) < now)) return <>its end is not known</>;
  return (
    <>
      done <Until at={at} over="any moment" />
    </>
  );
}

function Steering({ broadcast, reload }: { broadcast: Broadcast; reload: () => Promise<void> }) {
  const { id, state } = broadcast;
  if (!may('operator') || (state !== 'running' && state !== 'paused')) return null;
  const steer = async (deed: Deed, told: string) => {
    await attempt(async () => {
      await ask('POST', `/v1/broadcasts/${encodeURIComponent(id)}/${deed}`);
      return told;
    });
    await reload();
  };
  const cancel = async () => {
    const text = 'Whoever has not got it yet will not get it. This cannot be taken back.';
    if (
      await confirm({ title: 'Cancel this broadcast?', text, yes: 'Cancel it', isDangerous: true })
    ) {
      await steer('cancel', 'The broadcast is cancelled.');
    }
  };
  return (
    <span class="actions">
      {state === 'running' ? (
        <button
          type="button"
          onClick={firstClick(() => steer('pause', 'The broadcast is paused.'))}
        >
          Pause
        </button>
      ) : (
        <button type="button" onClick={firstClick(() => steer('resume', 'The broadcast goes on.'))}>
          Resume
        </button>
      )}
      <button type="button" class="danger" onClick={() => void cancel()}>
        Cancel
      </button>
    </span>
  );
}
