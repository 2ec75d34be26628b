// The letters that a filter finds, and what can be done to those chosen or to all of them.

import { useState } from 'preact/hooks';
import { pathOf } from '../../lib/api.ts';
import { type DeadFilter, type Deed, doToAll, doToSome } from '../../lib/dead.ts';
import { count, plural } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useOnce } from '../../lib/hooks/use-once.ts';
import { usePages } from '../../lib/hooks/use-pages.ts';
import { may } from '../../lib/session-store.ts';
import type { DeadGroup } from '../../lib/wire/more.ts';
import type { Brief } from '../../lib/wire/wire.ts';
import { More } from '../../ui/more.tsx';
import { Panel } from '../../ui/parts.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { attempt } from '../../ui/toast.tsx';
import { DeliveryTable } from '../messages/delivery-table.tsx';
import { sureOf, sureOfAll } from './all-letters.ts';
import { DeadActions } from './dead-actions.tsx';

export function DeadLetters({ filter, mark }: { filter: DeadFilter; mark: number | null }) {
  const path = pathOf('/v1/dead', { ...filter, preview: 'true' });
  const pages = usePages<Brief>(path, 'items', mark);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const items = pages.items ?? [];
  const done = async () => {
    setIds(new Set());
    await pages.reload();
  };
  const toggle = (id: string) => {
    const changed = new Set(ids);
    if (!changed.delete(id)) changed.add(id);
    setIds(changed);
  };
  const one = ids.size === 1 ? items.find(({ id }) => ids.has(id)) : undefined;
  return (
    <Panel
      title="Letters"
      more={<Bulk {...{ filter, mark }} hasAny={items.length > 0} onDone={done} />}
    >
      {may('operator') && ids.size > 0 ? (
        <div class="chosen">
          <span>{ids.size} chosen</span>
          {one === undefined ? (
            <Several ids={[...ids]} onDone={done} />
          ) : (
            <DeadActions letter={one} onDone={() => void done()} />
          )}
        </div>
      ) : null}
      <Answered to={{ data: pages.items, error: pages.error, reload: pages.reload }}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No letters here" />
          ) : (
            <DeliveryTable
              items={items}
              {...(may('operator') ? { chosen: { ids, toggle } } : {})}
            />
          )
        }
      </Answered>
      <More pages={pages} />
    </Panel>
  );
}

function Several({ ids, onDone }: { ids: readonly string[]; onDone: () => Promise<void> }) {
  const run = async (deed: Deed) => {
    const title = `Give up ${plural(ids.length, 'letter')}?`;
    if (deed === 'discard' && !(await sureOf(deed, title, null))) return;
    await attempt(() => doToSome(deed, ids));
    await onDone();
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => void run('retry')}>
        Retry them
      </button>
      <button type="button" class="danger" onClick={() => void run('discard')}>
        Discard them
      </button>
    </>
  );
}

function Bulk(props: {
  filter: DeadFilter;
  mark: number | null;
  hasAny: boolean;
  onDone: () => Promise<void>;
}) {
  const { filter, mark, hasAny, onDone } = props;
  const found = useFetched<{ groups: readonly DeadGroup[] }>(
    pathOf('/v1/dead', { ...filter, group: 'cause' }),
    mark,
  );
  const total = found.data?.groups.reduce((sum, group) => sum + group.count, 0) ?? null;
  // null: nothing is under way.
  const [done, setDone] = useState<number | null>(null);
  const run = useOnce(async (deed: Deed) => {
    if (!(await sureOfAll(deed, filter))) return;
    setDone(0);
    await attempt(() => doToAll(deed, filter, setDone));
    setDone(null);
    await onDone();
  });
  if (!may('operator') || (!hasAny && done === null)) return null;
  return (
    <span class="actions">
      <span class="dim num" role="status">
        {done !== null ? `${count(done)} done…` : total === null ? '' : plural(total, 'letter')}
      </span>
      <button type="button" disabled={done !== null} onClick={() => run('retry')}>
        Retry all
      </button>
      <button type="button" class="danger" disabled={done !== null} onClick={() => run('discard')}>
        Discard all
      </button>
    </span>
  );
}
