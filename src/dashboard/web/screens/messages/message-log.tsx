// What a filter finds, page by page. The first page is live; whoever asks for older ones reads on undisturbed.

import { pathOf } from '../../lib/api.ts';
import { usePages } from '../../lib/hooks/use-pages.ts';
import { useMark } from '../../lib/mark.ts';
import type { Query } from '../../lib/route.ts';
import type { Brief } from '../../lib/wire/wire.ts';
import { deliveryHref, Panel } from '../../ui/parts.tsx';
import { Empty, Loading, Trouble } from '../../ui/states.tsx';
import { attempt } from '../../ui/toast.tsx';
import { DeliveryTable } from './delivery-table.tsx';

const ID = /^[0-9a-z]{5}-[0-9a-z]{1,11}$/;

export function MessageLog({ query }: { query: Query }) {
  const path = pathOf('/v1/messages', { ...query, preview: 'true' });
  const mark = useMark('deliveries');
  const pages = usePages<Brief>(path, 'items', mark);
  const { items, next, error, isLive } = pages;
  if (ID.test(query.text ?? '')) return <Meant id={query.text ?? ''} />;
  const showMore = () =>
    attempt(async () => {
      return `${await pages.more()} more.`;
    });
  return (
    <Panel title="Deliveries" more={<Live isLive={isLive} onNewest={() => void pages.reload()} />}>
      {error !== null && items === null ? (
        <Trouble error={error} retry={() => void pages.reload()} />
      ) : items === null ? (
        <Loading />
      ) : items.length === 0 ? (
        <Nothing isFiltered={Object.values(query).some((value) => value !== '')} />
      ) : (
        <>
          <DeliveryTable items={items} />
          {next === null ? null : (
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
