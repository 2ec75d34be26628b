// How a channel stands, in words: what its present look has done, when the next one is and why, and what is wrong.

import { count, sentence, words } from '../../lib/format.ts';
import type { Run, Source } from '../../lib/wire/ingest.ts';
import { Meter } from '../../ui/parts.tsx';
import { Since, Until } from '../../ui/time.tsx';

const WHY: Readonly<Record<string, string>> = {
  first: 'its first',
  rate: 'by how often it posts',
  interval: 'each has the same interval',
  failed: 'again after a failure',
  wait: 'the platform asked to wait',
  more: 'there is more to read',
  manual: 'asked for by hand',
  no_reader: 'nothing to read it with yet',
  elsewhere: 'another node reads it',
  pushed: 'its posts come by themselves',
};

export function NextLook({ source }: { source: Source }) {
  const { state, nextLookAt, nextLookReason, run } = source;
  const why = WHY[nextLookReason] ?? words(nextLookReason);
  if (run !== null) return <span class="dim">under way</span>;
  if (nextLookAt === null) {
    return <span class="dim">{nextLookReason === 'pushed' ? why : `none: it is ${state}`}</span>;
  }
  return (
    <>
      <Until at={nextLookAt} over="any moment" />
      <span class={nextLookReason === 'wait' ? 'small warn-words' : 'dim small'}>{why}</span>
    </>
  );
}

export function Progress({ run }: { run: Run }) {
  const { lastId, newestId, added, changed, deleted, startedAt } = run;
  const found = [
    `${count(added)} new`,
    ...(changed > 0 ? [`${count(changed)} changed`] : []),
    ...(deleted > 0 ? [`${count(deleted)} deleted`] : []),
  ].join(', ');
  return (
    <span class="progress">
      <span class="num small">
        {found} in <Since at={startedAt} />; at {lastId}
        {newestId === null ? '' : ` of ${newestId}`}
      </span>
      {newestId === null ? null : (
        <Meter share={shareOf(lastId, newestId)} tone="good" label="Read of the channel" />
      )}
    </span>
  );
}

function shareOf(lastId: string, newestId: string): number {
  const newest = Number(newestId);
  return newest === 0 ? 1 : Number(lastId) / newest;
}

export function Trouble({ source: { failure, trouble } }: { source: Source }) {
  if (failure === null) {
    return trouble === null ? null : <span class="small warn-words">{sentence(trouble)}</span>;
  }
  return (
    <span class="small bad-words">
      {sentence(words(failure.reason))} <code class="code">{failure.detail}</code>
      <span class="dim">
        {' '}
        {failure.count === 1 ? 'failed once' : `failed ${count(failure.count)} times`},{' '}
        <Since at={failure.since} /> ago
      </span>
    </span>
  );
}

export function gapsText(gaps: Source['gaps']): string {
  const between = gaps.map(({ after, before }) => `${after} and ${before}`).join('; ');
  return `Posts may be missing between ${between}.`;
}
