// What a filter finds, page by page. The first page is live; whoever asks for older ones reads on undisturbed.

import { useState } from 'preact/hooks';
import { ask, pathOf } from '../../lib/api.ts';
import { useMark } from '../../lib/mark.ts';
import type { Query } from '../../lib/route.ts';
import { useFetched } from '../../lib/use-fetched.ts';
import type { Brief, Page } from '../../lib/wire.ts';
import { deliveryHref, Panel } from '../../ui/parts.tsx';
import { Empty, Loading, Trouble } from '../../ui/states.tsx';
import { attempt } from '../../ui/toast.tsx';
import { DeliveryTable } from './delivery-table.tsx';

const ID = /^[0-9a-z]{5}-[0-9a-z]{1,11}$/;

export function MessageLog({ query }: { query: Query }) {
  const path = pathOf('/v1/messages', { ...query, preview: 'true' });
  const mark = useMark('deliveries');
  // The pages after the first, as they were when asked for, behind the first as it was then.
  const [older, setOlder] = useState<Page<Brief> | null>(null);
  const { data, error, reload } = useFetched<Page<Brief>>(path, older === null ? mark : null);
  const shown = older ?? data;
  if (ID.test(query.text ?? '')) return <Meant id={query.text ?? ''} />;
  const showMore = () =>
    attempt(async () => {
      const page = await ask<Page<Brief>>('GET', `${path}&cursor=${shown?.next}`);
      setOlder({ items: [...(shown?.items ?? []), ...page.items], next: page.next });
      return `${page.items.length} more.`;
    });
  const showNewest = () => {
    setOlder(null);
    void reload();
  };
  return (
    <Panel title="Deliveries" more={<Live isLive={older === null} onNewest={showNewest} />}>
      {error !== null && shown === null ? (
        <Trouble error={error} retry={() => void reload()} />
      ) : shown === null ? (
        <Loading />
      ) : shown.items.length === 0 ? (
        <Nothing isFiltered={Object.values(query).some((value) => value !== '')} />
      ) : (
        <>
          <DeliveryTable items={shown.items} />
          {shown.next === null ? null : (
            <p class="panel-body">
              <button type="button" onClick={() => void showMore()}>
                Show more
              </button>
            </p>
          )}
        </>
      )}
    </Panel>
  );
}

function Live({ isLive, onNewest }: { isLive: boolean; onNewest: () => void }) {
  if (isLive) return <span class="dim small">new ones appear by themselves</span>;
  return (
    <button type="button" class="quiet" onClick={onNewest}>
      Back to the newest
    </button>
  );
}

function Meant({ id }: { id: string }) {
  return (
    <Empty title="This looks like the id of a delivery">
      <a data-row href={deliveryHref(id)}>
        Open {id}
      </a>
    </Empty>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <Empty title="No message yet">The first one appears here.</Empty>;
  return (
    <Empty title="Nothing found">
      Text is looked for in the newest 100,000 deliveries unless another field narrows it.
    </Empty>
  );
}
