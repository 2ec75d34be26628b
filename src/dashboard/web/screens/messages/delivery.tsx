// One delivery's whole story: what it says, where it stands and why in words, every try, every move, what came back.

import { ask } from '../../lib/api.ts';
import { count, sentence, words } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { overview } from '../../lib/live.ts';
import { hrefOf, route } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { Cause, Delivery, Explanation } from '../../lib/wire/more.ts';
import type { State } from '../../lib/wire/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { AccountName, ChatLink, Panel, Screen } from '../../ui/parts.tsx';
import { Reason, Why } from '../../ui/reason.tsx';
import { Loading, Trouble } from '../../ui/states.tsx';
import { Ago, Until } from '../../ui/time.tsx';
import { attempt } from '../../ui/toast.tsx';
import { DeadActions } from '../dead/dead-actions.tsx';
import { DeliveryHistory } from './history.tsx';

import { Timeline } from './timeline.tsx';

const LIVE: readonly State[] = ['queued', 'sending'];

// What holds it back, by the word the gateway has for it.
const KINDS: Readonly<Record<string, string>> = {
  ahead: 'before it',
  due: 'scheduled',
  freeze: 'frozen',
  held: 'account blocked',
  probe: 'one goes first',
  window: 'limit',
};

export function DeliveryScreen() {
  const { rest: id } = useStore(route);
  const at = useStore(overview)?.at ?? null;
  const path = `/v1/messages/${encodeURIComponent(id)}`;
  const { data, error, reload } = useFetched<Delivery>(path, at);
  const isLive = data !== null && LIVE.includes(data.state);
  const whyPath = data === null ? null : `${path}/explain`;
  const explained = useFetched<Explanation>(whyPath, isLive ? at : data?.state);
  if (error !== null && data === null) {
    return (
      <Screen title={`Delivery ${id}`}>
        <Trouble error={error} retry={() => void reload()} />
      </Screen>
    );
  }
  if (data === null) return <Loading />;
  return (
    <Screen
      title={`Delivery ${data.id}`}
      hint={<Badge word={data.state} />}
      actions={<Actions delivery={data} reload={reload} />}
    >
      <Panel title={isLive ? 'Why it has not gone out' : 'What became of it'}>
        <WhyPanel explanation={explained.data} />
      </Panel>
      <Timeline delivery={data} explanation={explained.data} />
      <div class="columns">
        <Facts delivery={data} />
        <DeliveryHistory delivery={data} />
      </div>
      <div class="columns">
        <Json title="Content" value={data.body} none="It is no longer kept." />
        <Json title="The platform’s answer" value={data.result} none="There was none." />
      </div>
    </Screen>
  );
}

function WhyPanel({ explanation }: { explanation: Explanation | null }) {
  if (explanation === null) return <Loading />;
  const { summary, cause, waitsFor, causes, position, eta } = explanation;
  const freeze = causes.find(({ kind }) => kind === 'freeze');
  const isHeld = causes.some(({ kind }) => kind === 'held');
  // Of the first in its queue the retry is its own.
  const isRetried = isHeld || (position === 1 && causes.some(isRetry));
  return (
    <div class="panel-body why">
      <p class="why-words">
        <Why why={summary} code={cause} until={freeze?.until ?? null} />
      </p>
      {causes.length === 0 ? null : (
        <>
          <p class="dim">
            Number {count(position ?? 1)} in its queue
            {eta === null ? (
              `; ${waitsFor === null ? 'when it will go out is not known' : `it waits for ${waitsFor}`}.`
            ) : (
              <>
                , {isRetried ? 'tried again' : 'expected'}{' '}
                <Until at={eta} over={isRetried ? 'now' : 'any moment'} />.
              </>
            )}
          </p>
          <ul class="lines causes">
            {causes.map((each) => (
              <li key={each.kind + each.name + each.detail}>
                <CauseLine cause={each} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function CauseLine({ cause }: { cause: Cause }) {
  const { kind, until, detail } = cause;
  const word = isRetry(cause) ? 'retry' : (KINDS[kind] ?? kind);
  return (
    <>
      <Badge word={word} tone={kind === 'freeze' || kind === 'held' ? 'cool' : 'plain'} />
      <span>
        <Why why={detail} />
      </span>
      {until === null ? <span /> : <Until at={until} over="any moment" />}
    </>
  );
}

function isRetry({ kind, name }: Cause): boolean {
  return kind === 'due' && name === 'retry';
}

function Actions({ delivery, reload }: { delivery: Delivery; reload: () => Promise<void> }) {
  const { id, state } = delivery;
  if (state === 'dead' || state === 'uncertain') {
    return <DeadActions letter={delivery} onDone={() => void reload()} />;
  }
  if (state !== 'queued' || !may('operator')) return null;
  const cancel = async () => {
    const text = 'It has not been sent, and will not be. Its record stays.';
    if (!(await confirm({ title: `Cancel ${id}?`, text, yes: 'Cancel it', isDangerous: true })))
      return;
    await attempt(async () => {
      await ask('DELETE', `/v1/messages/${encodeURIComponent(id)}`);
      return `${id} is cancelled.`;
    });
    await reload();
  };
  return (
    <button type="button" class="danger" onClick={() => void cancel()}>
      Cancel it
    </button>
  );
}

function Facts({ delivery }: { delivery: Delivery }) {
  const { account, chat, thread, session, correlation, method, priority } = delivery;
  const { acceptedAt, expiresAt, messageId, reason, detail, doubts, cures, supersededBy } =
    delivery;
  const rows: [string, preact.ComponentChildren][] = [
    ['To', <ChatLink key="chat" account={account} chat={chat} />],
    [
      'Account',
      <span key="account" class="mono">
        <AccountName id={account} />
      </span>,
    ],
    ['Call', method],
    ['Class', <Badge key="class" word={priority} />],
    ['Accepted', <Ago key="at" at={acceptedAt} />],
  ];
  if (thread !== null) rows.push(['Thread', thread]);
  if (session !== null)
    rows.push([
      'Session',
      <a key="s" href={hrefOf('messages', { session })}>
        {session}
      </a>,
    ]);
  rows.push([
    'Correlation',
    <a key="c" href={hrefOf('messages', { correlation })}>
      {correlation}
    </a>,
  ]);
  if (messageId !== null) rows.push(['Platform message id', messageId]);
  if (expiresAt !== null) rows.push(['Expires', <Until key="e" at={expiresAt} over="over" />]);
  if (reason !== null)
    rows.push([
      'Reason',
      <>
        <Reason code={reason} />
        {detail === null ? '' : <span class="small dim">{sentence(detail)}</span>}
      </>,
    ]);
  if (doubts > 0) rows.push(['Doubts', `${doubts}: the chat may have it twice`]);
  if (cures.length > 0) rows.push(['Cured', cures.map(words).join(', ')]);
  if (supersededBy !== null) {
    const href = hrefOf(`delivery/${encodeURIComponent(supersededBy)}`);
    rows.push([
      'Replaced by',
      <a key="r" href={href}>
        {supersededBy}
      </a>,
    ]);
  }
  return (
    <Panel title="Details">
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Json({ title, value, none }: { title: string; value: unknown; none: string }) {
  return (
    <Panel title={title}>
      {value === null ? (
        <p class="panel-body dim">{none}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <pre class="json" tabIndex={0}>
          {JSON.stringify(value, null, 2)}
        </pre>
      )}
    </Panel>
  );
}
