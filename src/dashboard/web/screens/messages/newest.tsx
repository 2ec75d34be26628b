// The newest messages on the overview: on a fresh gateway the first one, and before it how to send it.

import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import { hrefOf } from '../../lib/route.ts';
import type { Brief, Page } from '../../lib/wire/wire.ts';
import { Panel } from '../../ui/parts.tsx';
import { Empty, Loading } from '../../ui/states.tsx';
import { DeliveryTable } from './delivery-table.tsx';

const SHOWN = 5;

export function Newest() {
  const path = `/v1/messages?limit=${SHOWN}&preview=true`;
  const { data } = useFetched<Page<Brief>>(path, useMark('deliveries'));
  return (
    <Panel title="Newest messages" more={<a href={hrefOf('messages')}>all messages</a>}>
      {data === null ? (
        <Loading />
      ) : data.items.length === 0 ? (
        <Empty title="No message yet">
          The first one appears here. To try it without an account anywhere, write in the{' '}
          <a href={hrefOf('sandbox')}>sandbox</a>; for programs there is <a href="/docs">the API</a>
          .
        </Empty>
      ) : (
        <DeliveryTable items={data.items} />
      )}
    </Panel>
  );
}
