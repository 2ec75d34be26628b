// Deliveries as a table; each row leads to its story. With `choice` rows can be ticked.

import type { Brief } from '../../lib/wire/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { ChatCell, deliveryHref, Said } from '../../ui/parts.tsx';
import { Reason } from '../../ui/reason.tsx';
import { Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';

interface Chosen {
  readonly ids: ReadonlySet<string>;
  toggle(id: string): void;
}

export function DeliveryTable({ items, chosen }: { items: readonly Brief[]; chosen?: Chosen }) {
  return (
    <Table
      kind="deliveries"
      columns={[
        ...(chosen === undefined ? [] : [{ name: 'Chosen', look: 'hidden' } as const]),
        'Message',
        'Chat',
        'State',
        { name: 'Accepted', look: 'right' },
      ]}
    >
      {items.map((item) => (
        <Row key={item.id} item={item} {...(chosen === undefined ? {} : { chosen })} />
      ))}
    </Table>
  );
}

function Row({ item, chosen }: { item: Brief; chosen?: Chosen }) {
  const { id, account, chat, state, reason, detail, correlation, acceptedAt, tries } = item;
  return (
    <tr>
      {chosen === undefined ? null : (
        <td>
          <input
            type="checkbox"
            aria-label={`Choose ${id}`}
            checked={chosen.ids.has(id)}
            onChange={() => chosen.toggle(id)}
          />
        </td>
      )}
      <td class="cell-said">
        <a data-row class="row-link" href={deliveryHref(id)}>
          <Said of={item} />
        </a>
        <span class="dim small mono">
          {id}
          {correlation === id ? '' : ` · ${correlation}`}
        </span>
      </td>
      <ChatCell account={account} chat={chat} />
      <td class="cell-state">
        <Badge word={state} />
        <span class="dim small" title={detail ?? ''}>
          {reason !== null ? <Reason code={reason} /> : tries > 1 ? `after ${tries} tries` : ''}
        </span>
      </td>
      <td class="right">
        <Ago at={acceptedAt} />
      </td>
    </tr>
  );
}
