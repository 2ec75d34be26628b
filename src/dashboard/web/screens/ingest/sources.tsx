// All channels that are followed: how fresh each is, when it is looked at next and why, and what is wrong with it; and
// the accounts they are read with.

import { useState } from 'preact/hooks';
import { pathOf } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { usePages } from '../../lib/hooks/use-pages.ts';
import { overview } from '../../lib/live.ts';
import { useMark } from '../../lib/mark.ts';
import { go, requery, route } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { Readers, Source } from '../../lib/wire/ingest.ts';
import { Command } from '../../ui/command.tsx';
import { Tabs, TextField } from '../../ui/field.tsx';
import { More } from '../../ui/more.tsx';
import { Panel, Screen } from '../../ui/parts.tsx';
import { Empty, Loading, Trouble } from '../../ui/states.tsx';
import { AddSource } from './add-source.tsx';
import { ReadersPanel } from './readers.tsx';
import { SourceTable } from './source-table.tsx';

const PAGE = '100';
const STATES = [
  ['', 'all'],
  ['active', 'active'],
  ['paused', 'paused'],
  ['dead', 'dead'],
] as const;

export function Sources() {
  const { query } = useStore(route);
  const mark = useMark('ingest');
  const { state = '', find = '' } = query;
  const path = pathOf('/v1/ingest/sources', { limit: PAGE, state, find: find.trim() });
  const pages = usePages<Source>(path, 'sources', mark);
  const readers = useFetched<Readers>('/v1/ingest/accounts', mark);
  const [isAdding, setIsAdding] = useState(false);
  const { items } = pages;
  return (
    <Screen
      title="Ingest"
      hint="Channels that are followed. Every post is stored once, with its edits and deletions."
      actions={
        may('operator') ? (
          <button type="button" class="primary" onClick={() => setIsAdding(true)}>
            Follow a channel
          </button>
        ) : null
      }
    >
      <div class="filters">
        <Tabs
          label="Which"
          value={state}
          options={STATES}
          onChange={(value) => requery({ ...query, state: value })}
        />
        <TextField
          label="Find"
          value={find}
          placeholder="part of a channel’s name"
          onInput={(value) => requery({ ...query, find: value })}
        />
      </div>
      <Panel title="Channels" more={<Count />}>
        {pages.error !== null && items === null ? (
          <Trouble error={pages.error} retry={() => void pages.reload()} />
        ) : items === null ? (
          <Loading />
        ) : items.length === 0 ? (
          <Nothing
            isFiltered={state !== '' || find.trim() !== ''}
            kinds={readers.data?.kinds ?? []}
          />
        ) : (
          <>
            <SourceTable sources={items} reload={pages.reload} />
            <More pages={pages} />
          </>
        )}
      </Panel>
      <ReadersPanel readers={readers.data} reload={readers.reload} />
      {isAdding && readers.data !== null ? (
        <AddSource
          readers={readers.data}
          close={() => setIsAdding(false)}
          added={({ id }) => {
            setIsAdding(false);
            go(`ingest/${id}`);
          }}
        />
      ) : null}
    </Screen>
  );
}

function Count() {
  const tally = useStore(overview)?.ingest ?? null;
  return <span class="dim num">{tally === null ? '' : plural(tally.sources, 'channel')}</span>;
}

function Nothing({ isFiltered, kinds }: { isFiltered: boolean; kinds: readonly string[] }) {
  if (isFiltered) return <Empty title="No such channel">None that is followed is like this.</Empty>;
  const isSandbox = kinds.includes('sandbox');
  return (
    <Empty title="No channel is followed yet">
      Follow one: <Command words={`ingest add @daily_news${isSandbox ? ' --sandbox' : ''}`} />
    </Empty>
  );
}
