// Texts that grow right now: how far each is known and how far it is shown, at which pace, and what it waits for. One
// that nobody wants any more is cancelled here.

import { ask } from '../lib/api.ts';
import { count, duration, plural } from '../lib/format.ts';
import { useFetched } from '../lib/hooks/use-fetched.ts';
import { useMark } from '../lib/mark.ts';
import { hrefOf } from '../lib/route.ts';
import { may } from '../lib/session-store.ts';
import type { StreamView } from '../lib/wire/more.ts';
import { Badge } from '../ui/badge.tsx';
import { Command } from '../ui/command.tsx';
import { confirm } from '../ui/dialog.tsx';
import { ChatCell, Correlation, deliveryHref, Meter, Panel, Screen } from '../ui/parts.tsx';
import { Why } from '../ui/reason.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { actsColumn, Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { attempt } from '../ui/toast.tsx';

type Reload = () => Promise<void>;

export function Streams() {
  const mark = useMark('streams');
  const { data, error, reload } = useFetched<{ streams: readonly StreamView[] }>(
    '/v1/streams',
    mark,
  );
  const sessions = new Set(data?.streams.map(({ session, id }) => session ?? id)).size;
  return (
    <Screen
      title="Streams and sessions"
      hint="The newest text is shown at the pace its chat affords; the final always arrives."
    >
      <Panel
        title="Open streams"
        more={
          sessions === 0 ? null : (
            <span class="dim num">
              {count(data?.streams.length ?? 0)} in {plural(sessions, 'session')}
            </span>
          )
        }
      >
        <Answered to={{ data, error, reload }}>
          {(data) =>
            data.streams.length === 0 ? (
              <Empty title="No text is growing">
                Play one in the <a href={hrefOf('sandbox')}>sandbox</a>, or pipe one in:{' '}
                <Command before="echo hello | " words="stream --account 1:sandbox --chat 42" />
              </Empty>
            ) : (
              <StreamTable streams={data.streams} reload={reload} />
            )
          }
        </Answered>
      </Panel>
    </Screen>
  );
}

function StreamTable(props: { streams: readonly StreamView[]; reload: Reload }) {
  const { streams, reload } = props;
  return (
    <Table
      kind="streams"
      columns={[
        'Session',
        'Chat',
        'Shown of known',
        'Pace',
        'Waits for',
        ...actsColumn(may('sender')),
      ]}
    >
      {streams.map((stream) => (
        <Row key={stream.id} stream={stream} reload={reload} />
      ))}
    </Table>
  );
}

function Row({ stream, reload }: { stream: StreamView; reload: Reload }) {
  const { id, session, state, account, chat, transport, units, shownUnits, messages } = stream;
  const { cadenceMs, superseded, waitsFor, changedAt, correlation } = stream;
  const [first] = messages;
  return (
    <tr>
      <td class="cell-session">
        <a
          data-row
          class="row-link"
          href={first ? deliveryHref(first.id) : hrefOf('messages', { account, chat })}
        >
          {session ?? id}
        </a>
        <span class="small">
          <Badge word={state} />{' '}
          <span class="dim">
            changed <Ago at={changedAt} />
          </span>
        </span>
        <Correlation id={id} own={correlation} />
      </td>
      <ChatCell account={account} chat={chat} />
      <td class="cell-meter">
        <span class="num">
          {count(shownUnits)} of {count(units)} characters
        </span>
        <Meter share={units === 0 ? 1 : shownUnits / units} label="shown" />
      </td>
      <td class="num">
        {cadenceMs === null ? '–' : `every ${duration(Math.max(1000, cadenceMs))}`}
        <span class="dim small">
          by {transport}, {count(superseded)} replaced
        </span>
      </td>
      <td class="cell-why">
        {waitsFor === null ? <span class="dim">nothing</span> : <Why why={waitsFor} />}
      </td>
      {may('sender') ? (
        <td class="right">
          <Cancel stream={stream} reload={reload} />
        </td>
      ) : null}
    </tr>
  );
}

// What finishes has its final on disk, and a final always arrives.
function Cancel({ stream, reload }: { stream: StreamView; reload: Reload }) {
  const { id, session, state } = stream;
  if (state !== 'open') return null;
  const name = session ?? id;
  const cancel = async () => {
    const title = `Cancel the text of ${name}?`;
    const text =
      'No more of it is shown, and its final is not sent. What the chat has seen stays there.';
    if (!(await confirm({ title, text, yes: 'Cancel it', isDangerous: true }))) return;
    await attempt(async () => {
      await ask('DELETE', `/v1/streams/${encodeURIComponent(id)}`);
      return `The text of ${name} is cancelled.`;
    });
    await reload();
  };
  return (
    <button
      type="button"
      class="danger"
      aria-label={`Cancel ${name}`}
      onClick={() => void cancel()}
    >
      Cancel
    </button>
  );
}
