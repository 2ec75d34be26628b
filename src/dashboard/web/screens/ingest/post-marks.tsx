// What is to be known of a post besides its text: deleted, edited, part of an album, what it shows.

import { plural } from '../../lib/format.ts';
import type { Post } from '../../lib/wire/ingest.ts';
import { Badge } from '../../ui/badge.tsx';

export function PostMarks({ post }: { post: Post }) {
  const { deletedAt, editedAt, versions, groupId, media } = post;
  const isEdited = editedAt !== null || versions > 0;
  if (deletedAt === null && !isEdited && groupId === null && media.length === 0) return null;
  return (
    <span class="marks">
      {deletedAt === null ? null : <Badge word="deleted" tone="bad" />}
      {isEdited ? <Badge word="edited" tone="warn" /> : null}
      {groupId === null ? null : <Badge word="album" tone="plain" />}
      {media.map(({ kind, name }, i) => (
        <Badge key={i} word={name ?? kind} tone="cool" />
      ))}
      {versions === 0 ? null : <span class="dim small">{plural(versions, 'former state')}</span>}
    </span>
  );
}
