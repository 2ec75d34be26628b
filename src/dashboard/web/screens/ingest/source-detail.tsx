// One channel: how it is read, how far a look that is under way has come, and its posts.

import { useState } from 'preact/hooks';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import { may } from '../../lib/session-store.ts';
import type { Source } from '../../lib/wire/ingest.ts';
import { Badge } from '../../ui/badge.tsx';
import { AccountName, ChatLink, Panel, Screen } from '../../ui/parts.tsx';
import { Trouble as Failed, Loading } from '../../ui/states.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { ChangeSource } from './change-source.tsx';
import { Posts } from './posts.tsx';
import { RemoveSource, SourceActs } from './source-acts.tsx';
import { gapsText, NextLook, Progress, Trouble } from './standing.tsx';

export function SourceScreen({ id }: { id: string }) {
  const mark = useMark('ingest');
  const path = `/v1/ingest/sources/${encodeURIComponent(id)}`;
  // While it is removed it is not asked for: it may be gone before its screen is.
  const [isLeaving, setLeaving] = useState(false);
  const [isChanging, setIsChanging] = useState(false);
  const { data, error, reload } = useFetched<Source>(isLeaving ? null : path, mark);
  if (error !== null && data === null) {
    return (
      <Screen title={`Source ${id}`}>
        <Failed error={error} retry={() => void reload()} />
      </Screen>
    );
  }
  if (data === null) return <Loading />;
  return (
    <Screen
      title={data.source}
      hint={
        <>
          <Badge word={data.state} /> read by {data.kind}
        </>
      }
      actions={
        <>
          <SourceActs source={data} reload={reload} />
          <RemoveSource source={data} leave={setLeaving} />
        </>
      }
    >
      <div class="columns">
        <Reading source={data} />
        <Order source={data} change={() => setIsChanging(true)} />
      </div>
      <Posts source={id} />
      {isChanging ? (
        <ChangeSource
          source={data}
          close={() => setIsChanging(false)}
          changed={() => {
            setIsChanging(false);
            void reload();
          }}
        />
      ) : null}
    </Screen>
  );
}

function Reading({ source }: { source: Source }) {
  const { mode, run, cursor, lastSuccessAt, gaps, failure, trouble } = source;
  const hasTrouble = failure !== null || trouble !== null;
  return (
    <Panel title="How it is read">
      <dl class="facts">
        <div>
          <dt>Mode</dt>
          <dd>
            <Badge word={mode} tone="plain" />{' '}
            <span class="dim small">
              {mode === 'historical' ? 'all from where it was, upwards' : 'what is new or changed'}
            </span>
          </dd>
        </div>
        {run === null ? null : (
          <div>
            <dt>Under way</dt>
            <dd>
              <Progress run={run} />
            </dd>
          </div>
        )}
        <div>
          <dt>Read up to</dt>
          <dd class="num">{cursor.lastId === '0' ? 'nothing yet' : `message ${cursor.lastId}`}</dd>
        </div>
        <div>
          <dt>Last success</dt>
          <dd>{lastSuccessAt === null ? 'none yet' : <Ago at={lastSuccessAt} />}</dd>
        </div>
        <div>
          <dt>Next look</dt>
          <dd>
            <NextLook source={source} />
          </dd>
        </div>
        {hasTrouble ? (
          <div>
            <dt>Trouble</dt>
            <dd>
              <Trouble source={source} />
            </dd>
          </div>
        ) : null}
        {gaps.length === 0 ? null : (
          <div>
            <dt>Gaps</dt>
            <dd class="warn-words">{gapsText(gaps)}</dd>
          </div>
        )}
      </dl>
    </Panel>
  );
}

function Order({ source, change }: { source: Source; change: () => void }) {
  const { id, account, priority, forwardTo, createdAt, newestPostDate } = source;
  return (
    <Panel
      title="What was asked for"
      more={
        may('operator') ? (
          <button type="button" aria-label={`Change ${source.source}`} onClick={change}>
            Change
          </button>
        ) : null
      }
    >
      <dl class="facts">
        <div>
          <dt>Source</dt>
          <dd class="mono">{id}</dd>
        </div>
        <div>
          <dt>Followed</dt>
          <dd>
            for <Since at={createdAt} />
          </dd>
        </div>
        <div>
          <dt>Newest post</dt>
          <dd>{newestPostDate === null ? 'none yet' : <Ago at={newestPostDate} />}</dd>
        </div>
        <div>
          <dt>Account</dt>
          <dd>{account ?? 'any that can read it'}</dd>
        </div>
        <div>
          <dt>Priority</dt>
          <dd>
            <span class="num">{priority}</span>{' '}
            <span class="dim small">{priorityText(priority)}</span>
          </dd>
        </div>
        <div>
          <dt>Forwarded</dt>
          <dd>
            <Forwarded target={forwardTo} />
          </dd>
        </div>
      </dl>
    </Panel>
  );
}

function priorityText(priority: number): string {
  if (priority === 1) return 'as others';
  return priority > 1 ? 'looked at more often than others' : 'looked at less often than others';
}

function Forwarded({ target }: { target: Source['forwardTo'] }) {
  if (target === null) return <>nowhere</>;
  if ('url' in target) return <span class="address">to {target.url}</span>;
  const { account, chat, thread } = target;
  return (
    <>
      into <ChatLink account={account} chat={chat} />
      {thread === null ? '' : `, topic ${thread}`}, by <AccountName id={account} />
    </>
  );
}
