// Who waits, as a table: what it says, where it goes, since when, when it is expected to go, and why not yet.

import { count, plural } from '../../lib/format.ts';
import type { Waiting } from '../../lib/wire/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { ChatCell, Correlation, deliveryHref, Said } from '../../ui/parts.tsx';
import { Why } from '../../ui/reason.tsx';
import { Table } from '../../ui/table.tsx';
import { Since, Until } from '../../ui/time.tsx';

export function WaitingTable({ items }: { items: readonly Waiting[] }) {
  return (
    <Table
      kind="waiting"
      columns={[
        'Message',
        'Chat',
        { name: 'Waits', look: 'right' },
        { name: 'Expected', look: 'right' },
        'Why it has not gone',
      ]}
    >
      {items.map((item) => (
        <Row key={item.id} item={item} />
      ))}
    </Table>
  );
}

function Row({ item }: { item: Waiting }) {
  const { id, account, chat, priority, since, why, cause, position, behind, session } = item;
  const { correlation } = item;
  return (
    <tr>
      <td class="cell-said">
        <a data-row class="row-link" href={deliveryHref(id)}>
          <Said of={item} />
        </a>
        <span class="dim small">
          <Badge word={priority} />{' '}
          {position > 1 ? `number ${count(position)} in its queue` : 'next in its queue'}
          {behind > 0 ? `, ${plural(behind, 'more', 'more')} behind it` : ''}
          {session === null ? '' : `, session ${session}`}
        </span>
        <Correlation id={id} own={correlation} />
      </td>
      <ChatCell account={account} chat={chat} />
      <td class="right" data-label="waits">
        <Since at={since} />
      </td>
      <td class="right" data-label="expected">
        <Expected item={item} />
      </td>
      <td class="cell-why">
        <Why why={why} code={cause} />
      </td>
    </tr>
  );
}

// Of an account that is held, and of one that was tried before, the next try is known, not that it goes out; else what
// ends the wait.
function Expected({ item: { eta, waitsFor, kinds, tries, position } }: { item: Waiting }) {
  if (eta === null && waitsFor !== null) return <span class="small">waits for {waitsFor}</span>;
  const isRetried = tries > 0 && position === 1 && kinds.includes('due');
  if (eta === null || !(isRetried || kinds.includes('held'))) {
    return <Until at={eta} over="any moment" />;
  }
  return (
    <span class="small">
      tried again <Until at={eta} />
    </span>
  );
}
