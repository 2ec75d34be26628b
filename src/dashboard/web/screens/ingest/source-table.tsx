// Channels as a table; each row leads to its posts.

import { plural } from '../../lib/format.ts';
import { hrefOf } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import type { Source } from '../../lib/wire/ingest.ts';
import { Badge } from '../../ui/badge.tsx';
import { actsColumn, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { SourceActs } from './source-acts.tsx';
import { gapsText, NextLook, Progress, Trouble } from './standing.tsx';

interface SourceTableProps {
  readonly sources: readonly Source[];
  readonly reload: () => Promise<void>;
}

export function SourceTable({ sources, reload }: SourceTableProps) {
  return (
    <Table
      kind="stacked sources"
      columns={['Channel', 'State', 'Last read', 'Next look', ...actsColumn(may('operator'))]}
    >
      {sources.map((source) => (
        <Row key={source.id} source={source} reload={reload} />
      ))}
    </Table>
  );
}

function Row({ source, reload }: { source: Source; reload: () => Promise<void> }) {
  const { id, kind, state, mode, lastSuccessAt, newestPostDate, gaps, run } = source;
  return (
    <tr>
      <td>
        <a data-row class="row-link" href={hrefOf(`ingest/${id}`)}>
          {source.source}
        </a>
        <span class="dim small">read by {kind}</span>
      </td>
      <td data-label="State" class="cell-reading">
        <span>
          {state === 'active' ? <Badge word={mode} tone="plain" /> : <Badge word={state} />}{' '}
          {gaps.length === 0 ? null : (
            <span title={gapsText(gaps)}>
              <Badge word={plural(gaps.length, 'gap')} tone="warn" />
            </span>
          )}
        </span>
        {run === null ? null : <Progress run={run} />}
        <Trouble source={source} />
      </td>
      <td data-label="Last read" class="cell-when">
        {lastSuccessAt === null ? <span class="dim">not yet</span> : <Ago at={lastSuccessAt} />}
        {newestPostDate === null ? null : (
          <span class="dim small">
            newest post <Ago at={newestPostDate} />
          </span>
        )}
      </td>
      <td data-label="Next look" class="cell-when">
        <NextLook source={source} />
      </td>
      {may('operator') ? (
        <td class="right">
          <SourceActs source={source} reload={reload} />
        </td>
      ) : null}
    </tr>
  );
}
