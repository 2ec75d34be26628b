// The frame of every table: it scrolls by itself where it is too wide and names its columns; on a small screen its
// rows become blocks (`kind` says how). Its rows are the screen's own.

import type { ComponentChildren } from 'preact';

// `hidden`: a name for those who hear the table; the column itself speaks for itself.
export type Column = string | { readonly name: string; readonly look: 'right' | 'hidden' };

// Of the column with buttons; left out where nobody may press them.
export function actsColumn(isShown: boolean): readonly Column[] {
  return isShown ? [{ name: 'What can be done', look: 'hidden' }] : [];
}

export function Table(props: {
  kind: string;
  columns: readonly Column[];
  children: ComponentChildren;
}) {
  const { kind, columns, children } = props;
  return (
    <div class="table-wrap">
      <table class={kind}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={nameOf(column)} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Head({ column }: { column: Column }) {
  const look = typeof column === 'string' ? '' : column.look;
  const name = nameOf(column);
  return (
    <th scope="col" class={look === 'right' ? 'right' : ''}>
      {look === 'hidden' ? <span class="hidden">{name}</span> : name}
    </th>
  );
}

function nameOf(column: Column): string {
  return typeof column === 'string' ? column : column.name;
}
