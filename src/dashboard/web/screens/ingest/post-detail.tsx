// One post: what it says, and what it said before.

import { pathOf } from '../../lib/api.ts';
import { fileSize, words } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import { hrefOf } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import type { PostContent, WholePost } from '../../lib/wire/ingest.ts';
import { Panel, Screen } from '../../ui/parts.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { PostMarks } from './post-marks.tsx';

export function PostScreen({ source, id }: { source: string; id: string }) {
  const mark = useMark('ingest');
  const path = `/v1/ingest/sources/${encodeURIComponent(source)}/posts/${encodeURIComponent(id)}`;
  const { data, error, reload } = useFetched<WholePost>(path, mark);
  const back = <a href={hrefOf(`ingest/${source}`)}>All posts of this channel</a>;
  return (
    <Screen title={`Post ${id}`} hint={back}>
      <Answered to={{ data, error, reload }}>
        {(data) => (
          <>
            <Now post={data} />
            <Former history={data.history} />
          </>
        )}
      </Answered>
    </Screen>
  );
}

function Now({ post }: { post: WholePost }) {
  const { date, editedAt, deletedAt, author, storedAt } = post;
  return (
    <Panel
      title={deletedAt === null ? 'What it says' : 'What it said'}
      more={<PostMarks post={post} />}
    >
      <Words of={post} />
      <dl class="facts">
        <div>
          <dt>Posted</dt>
          <dd>
            <Ago at={date} />
            {author === null ? '' : ` by ${author}`}
          </dd>
        </div>
        {editedAt === null ? null : (
          <div>
            <dt>Edited</dt>
            <dd>
              <Ago at={editedAt} />
            </dd>
          </div>
        )}
        {deletedAt === null ? null : (
          <div>
            <dt>Deleted</dt>
            <dd>
              seen <Ago at={deletedAt} />
            </dd>
          </div>
        )}
        <Files post={post} />
        <div>
          <dt>Stored</dt>
          <dd>
            <Ago at={storedAt} />
          </dd>
        </div>
      </dl>
    </Panel>
  );
}

// Fetched from the channel when they are asked for; what has no file there says so then.
function Files({ post: { source, messageId, media } }: { post: WholePost }) {
  if (media.length === 0 || !may('sender')) return null;
  const path = `/v1/ingest/posts/${source}/${messageId}/media`;
  return (
    <div>
      <dt>{media.length === 1 ? 'File' : 'Files'}</dt>
      <dd class="actions">
        {media.map(({ kind, name, bytes }, index) => (
          <a key={index} href={pathOf(path, { index: String(index) })} download>
            {name ?? words(kind)}
            {bytes === null ? '' : ` (${fileSize(bytes)})`}
          </a>
        ))}
      </dd>
    </div>
  );
}

function Former({ history }: { history: WholePost['history'] }) {
  return (
    <Panel title="Former states">
      {history.length === 0 ? (
        <Empty title="It was never changed" />
      ) : (
        <ol class="versions">
          {history.toReversed().map((version) => (
            <li key={version.until}>
              <span class="dim small">
                until <Ago at={version.until} />
              </span>
              <Words of={version} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Words({ of: { text } }: { of: PostContent }) {
  if (text === null) return <p class="panel-body dim">What posts say is not shown to viewers.</p>;
  if (text === '') return <p class="panel-body dim">Without text.</p>;
  return <p class="panel-body post-text">{text}</p>;
}
