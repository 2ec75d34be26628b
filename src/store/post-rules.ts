// What every store decides alike about posts: whether one that is read again differs, and what a search finds.

import {
  type NewPost,
  POSTS_SCANNED_MAX,
  type PostPage,
  type PostQuery,
  type StoredPost,
} from './ports/ingest.ts';

type Content = Omit<NewPost, 'id' | 'date' | 'references'> & { readonly deletedAt: number | null };

// An answer may be older than what is known: pages and changes are read one after the other. What was edited later is
// the newer one; what is not older and differs is taken, also one that was thought to be deleted.
export function replaces(post: NewPost, known: Content): boolean {
  if ((post.editedAt ?? 0) < (known.editedAt ?? 0)) return false;
  return (
    known.deletedAt !== null ||
    post.editedAt !== known.editedAt ||
    post.text !== known.text ||
    post.author !== known.author ||
    post.groupId !== known.groupId ||
    post.media !== known.media
  );
}

// Of rows in the order asked for, from the cursor on: read until the page is full, or enough were looked at.
export function pageOf(rows: Iterable<StoredPost>, query: PostQuery): PostPage {
  const posts: StoredPost[] = [];
  let scanned = 0;
  let last = '';
  for (const post of rows) {
    if (posts.length === query.max || scanned === POSTS_SCANNED_MAX) return { posts, next: last };
    if (isFound(query, post)) posts.push(post);
    scanned += 1;
    last = placeOf(query, post);
  }
  return { posts, next: null };
}

export function placeOf({ source }: Pick<PostQuery, 'source'>, { id, n }: StoredPost): string {
  return source === null ? String(n) : id;
}

function isFound(
  { since, text }: Pick<PostQuery, 'since' | 'text'>,
  post: { readonly date: number; readonly text: string },
): boolean {
  if (since !== null && post.date < since) return false;
  return text === null || post.text.toLowerCase().includes(text.toLowerCase());
}
