// Dead letters: grouped by cause, so that one decision serves for all that died of the same; below, the letters of the
// chosen group, to be retried, changed or given up one by one, several at once, or all that the filter finds.

import { pathOf } from '../../lib/api.ts';
import { count } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import { useReachless } from '../../lib/reasons.ts';
import { requery, route } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { DeadGroup } from '../../lib/wire/more.ts';
import { Tabs, TextField } from '../../ui/field.tsx';
import { AccountName, Panel, Screen } from '../../ui/parts.tsx';
import { Reason } from '../../ui/reason.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { handleAll } from './all-letters.ts';
import { DeadLetters } from './dead-letters.tsx';

export function Dead() {
  const { query } = useStore(route);
  const { state = 'dead', chat = '', text = '' } = query;
  const mark = useMark('deliveries');
  const change = (changes: Readonly<Record<string, string>>) => requery({ ...query, ...changes });
  return (
    <Screen
      title="Dead letters"
      hint="They will not be tried again unless someone says so. Nothing is lost: retry, edit and retry, or discard."
    >
      <div class="filters">
        <Tabs
          label="State"
          value={state}
          onChange={(value) => requery({ state: value })}
          options={[
            ['dead', 'dead'],
            ['uncertain', 'in doubt'],
          ]}
        />
        <TextField
          label="Chat"
          placeholder="its id"
          value={chat}
          onInput={(value) => change({ chat: value.trim() })}
        />
        {may('sender') ? (
          <TextField
            label="Text"
            placeholder="words of the message"
            value={text}
            onInput={(value) => change({ text: value })}
          />
        ) : null}
      </div>
      {state === 'dead' ? <Groups mark={mark} /> : null}
      <DeadLetters key={JSON.stringify(query)} filter={{ ...query, state }} mark={mark} />
    </Screen>
  );
}

// Those about which nothing can be done come last.
function alarmingFirst(groups: readonly DeadGroup[], reachless: readonly string[]): DeadGroup[] {
  const rank = ({ reason }: DeadGroup) => Number(reachless.includes(reason));
  return groups.toSorted((a, b) => rank(a) - rank(b));
}

// One decision for all that died of one cause.
function RetryGroup({ group }: { group: DeadGroup }) {
  const { query } = useStore(route);
  const { reason, account, count: total } = group;
  const filter = { ...query, state: 'dead', reason, account };
  if (!may('operator')) return null;
  return (
    <button type="button" onClick={() => void handleAll('retry', filter)}>
      Retry {total === 1 ? 'it' : `all ${count(total)}`}
    </button>
  );
}

function Groups({ mark }: { mark: number | null }) {
  const { query } = useStore(route);
  const { reason = '', account = '' } = query;
  const path = pathOf('/v1/dead', {
    group: 'cause',
    chat: query.chat ?? '',
    text: query.text ?? '',
  });
  const { data, error, reload } = useFetched<{ groups: readonly DeadGroup[] }>(path, mark);
  const reachless = useReachless();
  const choose = (group: DeadGroup) => {
    const isChosen = group.reason === reason && group.account === account;
    const { reason: _reason, account: _account, ...rest } = query;
    requery(isChosen ? rest : { ...rest, reason: group.reason, account: group.account });
  };
  return (
    <Panel title="By cause">
      <Answered to={{ data, error, reload }}>
        {(data) =>
          data.groups.length === 0 ? (
            <Empty title="No dead letters">
              Whatever was accepted went out, or still waits to.
            </Empty>
          ) : (
            <ul class="groups">
              {alarmingFirst(data.groups, reachless).map((group) => (
                <li key={group.account + group.reason}>
                  <button
                    type="button"
                    data-row
                    aria-pressed={group.reason === reason && group.account === account}
                    onClick={() => choose(group)}
                  >
                    <b class={reachless.includes(group.reason) ? 'num dim' : 'num'}>
                      {count(group.count)}
                    </b>
                    <span>
                      <Reason code={group.reason} />
                    </span>
                    <span class="dim mono">
                      <AccountName id={group.account} />
                    </span>
                    <span class="dim">
                      newest <Ago at={group.newestAt} />
                    </span>
                  </button>
                  <RetryGroup group={group} />
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Panel>
  );
}
