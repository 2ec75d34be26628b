// What happened to a delivery, in the order it did: accepted, every try with its outcome, every move by hand or by
// time.

import type { ComponentChildren } from 'preact';
import { duration, exactTime, sentence } from '../../lib/format.ts';
import type { Attempt, Delivery } from '../../lib/wire/more.ts';
import { Badge } from '../../ui/badge.tsx';
import { Panel } from '../../ui/parts.tsx';
import { Reason } from '../../ui/reason.tsx';
import { Ago } from '../../ui/time.tsx';

interface Moment {
  readonly key: string;
  readonly at: string;
  readonly shown: ComponentChildren;
}

export function DeliveryHistory({ delivery }: { delivery: Delivery }) {
  const { acceptedAt, attempts, history } = delivery;
  const moments: Moment[] = [
    { key: 'accepted', at: acceptedAt, shown: <span>Accepted, on disk</span> },
    ...attempts.map((each) => ({
      key: `try ${each.n} ${each.startedAt}`,
      at: each.startedAt,
      shown: <Try attempt={each} />,
    })),
    ...history.map(({ at, from, to, reason, by }) => ({
      key: `${at}${from}${to}`,
      at,
      shown: (
        <span>
          <Badge word={from} /> → <Badge word={to} />{' '}
          <span class="dim">
            <Reason code={reason} />
            {by === '' ? '' : `, by ${by}`}
          </span>
        </span>
      ),
    })),
  ];
  moments.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return (
    <Panel title="History">
      <ol class="history">
        {moments.map(({ key, at, shown }) => (
          <li key={key}>
            {shown}
            <span class="dim small" title={exactTime(at)}>
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Try({ attempt }: { attempt: Attempt }) {
  const { n, startedAt, endedAt, outcome, reason, detail, retryAfterMs } = attempt;
  const tookMs = endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <span>
      Try {n} <Badge word={outcome ?? 'in flight'} />{' '}
      <span class="dim">
        {reason === null || reason === outcome ? '' : <Reason code={reason} />}
        {detail === null ? '' : ` (${sentence(detail)})`}
        {retryAfterMs === null ? '' : `; waits ${duration(retryAfterMs)}`}
        {tookMs === null ? '' : ` · ${tookMs} ms`}
      </span>
    </span>
  );
}
