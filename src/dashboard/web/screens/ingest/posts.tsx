// A channel's posts, newest first, searched by their text; and all of them as a file.

import { pathOf } from '../../lib/api.ts';
import { usePages } from '../../lib/hooks/use-pages.ts';
import { useMark } from '../../lib/mark.ts';
import { hrefOf, requery, route } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { Post } from '../../lib/wire/ingest.ts';
import { TextField } from '../../ui/field.tsx';
import { More } from '../../ui/more.tsx';
import { Panel } from '../../ui/parts.tsx';
import { Empty, Loading, Trouble } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { PostMarks } from './post-marks.tsx';

const PAGE = '50';

export function Posts({ source }: { source: string }) {
  const { query } = useStore(route);
  const mark = useMark('ingest');
  const { text = '' } = query;
  const path = pathOf('/v1/ingest/posts', { source, text: text.trim(), limit: PAGE });
  const pages = usePages<Post>(path, 'posts', mark);
  const { items, next } = pages;
  return (
    <>
      {may('sender') ? (
        <div class="filters">
          <TextField
            label="Text"
            value={text}
            placeholder="in a post"
            onInput={(value) => requery({ ...query, text: value })}
          />
        </div>
      ) : null}
      <Panel title="Posts" more={<Export source={source} text={text.trim()} />}>
        {pages.error !== null && items === null ? (
          <Trouble error={pages.error} retry={() => void pages.reload()} />
        ) : items === null ? (
          <Loading />
        ) : items.length === 0 && next === null ? (
          <Empty title={text === '' ? 'No post yet' : 'Nothing found'}>
            {text === '' ? 'What is read appears here by itself.' : 'No post has this in its text.'}
          </Empty>
        ) : (
          <>
            <PostTable posts={items} />
            <More pages={pages} label={text === '' ? 'Show more' : 'Look further back'} />
          </>
        )}
      </Panel>
    </>
  );
}

function Export({ source, text }: { source: string; text: string }) {
  if (!may('sender')) return null;
  const href = (format: string) => pathOf('/v1/ingest/export', { source, text, format });
  return (
    <span class="actions small">
      <a href={href('csv')} download>
        Export as CSV
      </a>
      <a href={href('ndjson')} download>
        as NDJSON
      </a>
    </span>
  );
}

function PostTable({ posts }: { posts: readonly Post[] }) {
  return (
    <Table kind="stacked posts" columns={['Post', 'Message', { name: 'Posted', look: 'right' }]}>
      {posts.map((post) => (
        <Row key={post.messageId} post={post} />
      ))}
    </Table>
  );
}

function Row({ post }: { post: Post }) {
  const { source, messageId, text, deletedAt, date } = post;
  return (
    <tr>
      <td class="cell-post">
        <a data-row class="row-link" href={hrefOf(`ingest/${source}/${messageId}`)}>
          {text === null || text === '' ? (
            <span class="dim">{text === null ? `Post ${messageId}` : 'without text'}</span>
          ) : (
            <span class={deletedAt === null ? 'said' : 'said gone'}>{text}</span>
          )}
        </a>
        <PostMarks post={post} />
      </td>
      <td data-label="Message" class="num">
        {messageId}
      </td>
      <td data-label="Posted" class="right">
        <Ago at={date} />
      </td>
    </tr>
  );
}
