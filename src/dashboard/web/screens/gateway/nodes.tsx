// The nodes of a fleet, what each of them has, and who does not answer. A gateway that is alone shows none.

import { count, words } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { overview } from '../../lib/live.ts';
import { useStore } from '../../lib/store.ts';
import type { FleetNode } from '../../lib/wire/more.ts';
import { Badge } from '../../ui/badge.tsx';
import { Panel } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { Since } from '../../ui/time.tsx';

const COLUMNS = [
  'Node',
  'State',
  { name: 'Accounts', look: 'right' },
  { name: 'Waiting', look: 'right' },
  { name: 'In flight', look: 'right' },
  { name: 'Running for', look: 'right' },
] as const;

export function Nodes() {
  const at = useStore(overview)?.at ?? null;
  const { data } = useFetched<{ nodes: readonly FleetNode[] }>('/v1/nodes', at);
  const nodes = data?.nodes.filter(({ url }) => url !== null) ?? [];
  if (nodes.length === 0) return null;
  return (
    <Panel title="Nodes">
      <Table kind="stacked" columns={COLUMNS}>
        {nodes.map((node) => (
          <NodeRow key={`${node.name} ${node.startedAt}`} node={node} />
        ))}
      </Table>
    </Panel>
  );
}

function NodeRow({ node }: { readonly node: FleetNode }) {
  const { name, url, self, startedAt } = node;
  return (
    <tr>
      <td data-label="Node" title={url ?? undefined}>
        <span>
          {name} {self ? <span class="dim">(this one)</span> : null}
        </span>
      </td>
      <td data-label="State">
        <State node={node} />
      </td>
      <td class="right" data-label="Accounts">
        {shown(node.accounts)}
      </td>
      <td class="right" data-label="Waiting">
        {shown(node.waiting)}
      </td>
      <td class="right" data-label="In flight">
        {shown(node.inFlight)}
      </td>
      <td class="right" data-label="Running for">
        {startedAt === null ? '' : <Since at={startedAt} />}
      </td>
    </tr>
  );
}

function State({ node: { state, answers } }: { readonly node: FleetNode }) {
  if (!answers) return <Badge word="does not answer" tone="bad" />;
  return <Badge word={words(state)} tone={state === 'ready' ? 'good' : 'warn'} />;
}

function shown(value: number | null): string {
  return value === null ? '?' : count(value);
}
