// Why it was late: the time of one delivery from its acceptance to its end, each wait as a bar where and as long as it
// was.

import { clockTime, lasted, sentence } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { type Wait, type WaitKind, waitsOf } from '../../lib/waits.ts';
import type { Delivery, Explanation } from '../../lib/wire/more.ts';
import { Panel } from '../../ui/parts.tsx';
import { withoutExpected } from '../../ui/reason.tsx';

const NAMES: Readonly<Record<WaitKind, string>> = {
  scheduled: 'Scheduled for later',
  turn: 'In the queue, until its turn',
  held: 'Its account does not send',
  freeze: 'Frozen: its chat or the account',
  window: 'In the queue, for a limit',
  ahead: 'In the queue, behind others',
  retry: 'Until the next try',
  rest: 'At rest, until moved by hand',
  call: 'Call to the platform',
  now: 'In the queue now',
};

export function Timeline(props: { delivery: Delivery; explanation: Explanation | null }) {
  const { delivery, explanation } = props;
  const now = useNow();
  if (explanation === null) return null;
  const waits = waitsOf(delivery, explanation, now);
  const from = Date.parse(delivery.acceptedAt);
  const last = waits.at(-1);
  if (last === undefined) return null;
  const wholeMs = Math.max(1, last.from + last.ms - from);
  const isOver = explanation.past !== undefined;
  return (
    <Panel
      title="Where the time went"
      more={
        <span class="dim num">
          {lasted(wholeMs)}
          {isOver ? ' in all' : ' so far'}
        </span>
      }
    >
      <ol class="timeline">
        {waits.map((wait) => (
          <li key={`${wait.kind}${wait.from}`}>
            <Bar wait={wait} from={from} wholeMs={wholeMs} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Bar({ wait, from, wholeMs }: { wait: Wait; from: number; wholeMs: number }) {
  const { kind, detail, ms } = wait;
  const style = {
    left: `${(100 * (wait.from - from)) / wholeMs}%`,
    width: `${(100 * ms) / wholeMs}%`,
  };
  return (
    <>
      <span class="wait-name">
        {NAMES[kind]}
        <span class="dim small">
          {clockTime(wait.from)} · {sentence(withoutExpected(detail))}
        </span>
      </span>
      <span class="wait-track" aria-hidden="true">
        <i class={`wait ${kind}`} style={style} />
      </span>
      <span class="num right">{lasted(ms)}</span>
    </>
  );
}
