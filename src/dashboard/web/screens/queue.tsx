// The queue by class: the first of each lane with its place, its time and the reason it waits; or all of one chat.

import { pathOf } from '../lib/api.ts';
import { count } from '../lib/format.ts';
import { useFetched } from '../lib/hooks/use-fetched.ts';
import { useMark } from '../lib/mark.ts';
import { requery, route } from '../lib/route.ts';
import { useStore } from '../lib/store.ts';
import { type Depths, PRIORITIES, type Waiting } from '../lib/wire/wire.ts';
import { Tabs, TextField } from '../ui/field.tsx';
import { Panel, Screen } from '../ui/parts.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { WaitingTable } from './overview/waiting-table.tsx';

interface Answer {
  readonly depths: Depths;
  readonly items: readonly Waiting[];
}

export function Queue() {
  const { query } = useStore(route);
  const { priority = '', account = '', chat = '' } = query;
  const path = pathOf('/v1/queue', { priority, account, chat, limit: '200' });
  const { data, error, reload } = useFetched<Answer>(path, useMark('deliveries'));
  const change = (changes: Readonly<Record<string, string>>) => requery({ ...query, ...changes });
  return (
    <Screen
      title="Queue"
      hint="The first of each chat and session, the longest wait first. They take turns; higher classes go first."
    >
      <div class="filters">
        <Tabs
          label="Class"
          value={priority}
          onChange={(value) => change({ priority: value })}
          options={[
            ['', `all ${data === null ? '' : count(waitingOf(data.depths))}`],
            ...PRIORITIES.map(
              (each) => [each, `${each} ${data === null ? '' : count(data.depths[each])}`] as const,
            ),
          ]}
        />
        <TextField
          label="Chat"
          value={chat}
          placeholder="all that wait in it"
          onInput={(value) => change({ chat: value.trim() })}
        />
        <TextField
          label="Account"
          value={account}
          placeholder="its id"
          onInput={(value) => change({ account: value.trim() })}
        />
      </div>
      <Panel
        title={chat === '' ? 'First in line' : `All that wait in ${chat}`}
        more={<Counts data={data} />}
      >
        <Answered to={{ data, error, reload }}>
          {(data) =>
            data.items.length === 0 ? (
              <Empty title="Nothing waits here">
                {waitingOf(data.depths) === 0
                  ? 'The queue is empty.'
                  : 'Others do: change the filter.'}
              </Empty>
            ) : (
              <WaitingTable items={data.items} />
            )
          }
        </Answered>
      </Panel>
    </Screen>
  );
}

function Counts({ data }: { data: Answer | null }) {
  if (data === null) return null;
  const { retry, inFlight } = data.depths;
  return (
    <span class="dim num">
      {count(retry)} to be tried again · {count(inFlight)} in flight
    </span>
  );
}

function waitingOf({ critical, high, normal, low }: Depths): number {
  return critical + high + normal + low;
}
