// The statements of ingest, one for each move. Ids of posts are digits, which a parameter of the column's type takes.

import { POSTS_SCANNED_MAX } from '../../ports/ingest.ts';

const SOURCE = `id, reader_kind AS "readerKind", name, state, settings, progress, revision,
  created_at AS "createdAt"`;
const STATE =
  'edited_at AS "editedAt", deleted_at AS "deletedAt", text, author, group_id AS "groupId", media';
const POST = `source, id::text AS id, n, date, ${STATE}, media_references AS "references",
  stored_at AS "storedAt", versions`;
// One more than a page looks at, so that it knows whether there are more.
const SCAN = POSTS_SCANNED_MAX + 1;

export const INGEST_SQL = {
  addSource: `INSERT INTO ingest_sources
      (reader_kind, name, state, settings, progress, revision, created_at)
    VALUES ($1, $2, 'active', $3, $4, 0, $5)`,
  sourceNamed: `SELECT ${SOURCE} FROM ingest_sources WHERE reader_kind = $1 AND name = $2`,
  source: `SELECT ${SOURCE} FROM ingest_sources WHERE id = $1`,
  sources: `SELECT ${SOURCE} FROM ingest_sources WHERE id > $1 ORDER BY id LIMIT $2`,
  sourceHeads: `SELECT id, state, settings, revision FROM ingest_sources
    WHERE id > $1 ORDER BY id LIMIT $2`,
  changeSource: `UPDATE ingest_sources SET state = coalesce($1, state),
      settings = coalesce($2, settings)
    WHERE id = $3 AND state <> 'removed'`,
  setRemoved: `UPDATE ingest_sources SET state = 'removed' WHERE id = $1`,
  dropSource: 'DELETE FROM ingest_sources WHERE id = $1',
  lowestPosts: `SELECT n, id::text AS id FROM ingest_posts
    WHERE source = $1 ORDER BY ingest_posts.id LIMIT $2`,
  dropPost: 'DELETE FROM ingest_posts WHERE n = $1',
  dropVersions: `DELETE FROM ingest_versions WHERE source = $1 AND id = $2`,
  hasPosts: 'SELECT 1 AS found FROM ingest_posts WHERE source = $1 LIMIT 1',

  head: 'SELECT state, revision FROM ingest_sources WHERE id = $1',
  epoch: 'SELECT epoch FROM ingest_leases WHERE name = $1',
  moveOn: `UPDATE ingest_sources SET progress = $1, revision = $2,
      state = CASE WHEN $3::boolean AND state = 'active' THEN 'dead' ELSE state END
    WHERE id = $4`,
  // Asked first: ON CONFLICT DO NOTHING would use up a number for each post that is there already.
  isKnown: `SELECT 1 AS found FROM ingest_posts WHERE source = $1 AND id = $2`,
  addPost: `INSERT INTO ingest_posts (source, id, date, edited_at, stored_at, text, author, group_id,
      media, media_references)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  keepVersion: `INSERT INTO ingest_versions (source, id, version, until, edited_at, deleted_at, text,
      author, group_id, media)
    SELECT source, id, versions, $1::float8, edited_at, deleted_at, text, author, group_id, media
    FROM ingest_posts WHERE source = $2 AND id = $3`,
  replacePost: `UPDATE ingest_posts SET date = $1, edited_at = $2, deleted_at = NULL, text = $3,
      author = $4, group_id = $5, media = $6, media_references = $7, versions = versions + 1
    WHERE source = $8 AND id = $9`,
  deletePost: `UPDATE ingest_posts SET deleted_at = $1, versions = versions + 1
    WHERE source = $2 AND id = $3`,
  isThere: `SELECT 1 AS found FROM ingest_posts
    WHERE source = $1 AND id = $2 AND deleted_at IS NULL`,

  addForward: 'INSERT INTO ingest_forwards (source, id) VALUES ($1, $2)',
  dropForward: 'DELETE FROM ingest_forwards WHERE source = $1 AND id = $2',
  unforwarded: `SELECT ${POST} FROM ingest_posts
    WHERE source = $1 AND id IN
      (SELECT id FROM ingest_forwards WHERE source = $1 ORDER BY id LIMIT $2)
    ORDER BY ingest_posts.id`,

  saveReader: `INSERT INTO ingest_readers (reader_kind, account, name, sealed, created_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (reader_kind, account) DO UPDATE SET name = excluded.name, sealed = excluded.sealed,
      created_at = excluded.created_at`,
  removeReader: 'DELETE FROM ingest_readers WHERE reader_kind = $1 AND account = $2',
  readers: `SELECT reader_kind AS "readerKind", account, name, sealed, created_at AS "createdAt"
    FROM ingest_readers ORDER BY reader_kind, account`,

  post: `SELECT ${POST} FROM ingest_posts WHERE source = $1 AND id = $2`,
  versions: `SELECT version, until, ${STATE} FROM ingest_versions
    WHERE source = $1 AND id = $2 ORDER BY version LIMIT $3`,
  ofOneOldest: `SELECT ${POST} FROM ingest_posts
    WHERE source = $1 AND id > $2 ORDER BY ingest_posts.id LIMIT ${SCAN}`,
  ofOneNewest: `SELECT ${POST} FROM ingest_posts
    WHERE source = $1 AND id <= $2 ORDER BY ingest_posts.id DESC LIMIT ${SCAN}`,
  ofAllOldest: `SELECT ${POST} FROM ingest_posts WHERE n > $1 ORDER BY n LIMIT ${SCAN}`,
  ofAllNewest: `SELECT ${POST} FROM ingest_posts WHERE n <= $1 ORDER BY n DESC LIMIT ${SCAN}`,
  knownIds: `SELECT id::text AS id FROM ingest_posts
    WHERE source = $1 AND id <= $2 AND deleted_at IS NULL ORDER BY ingest_posts.id DESC LIMIT $3`,

  channel: 'SELECT channel FROM ingest_channels WHERE reader = $1 AND name = $2',
  saveChannel: `INSERT INTO ingest_channels (reader, name, channel) VALUES ($1, $2, $3)
    ON CONFLICT (reader, name) DO UPDATE SET channel = excluded.channel`,
  saveWait: `INSERT INTO ingest_waits (reader, method, until, at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (reader, method) DO UPDATE SET until = excluded.until, at = excluded.at
    WHERE excluded.until > ingest_waits.until`,
  dropWait: 'DELETE FROM ingest_waits WHERE reader = $1 AND method = $2',
  waits: `SELECT reader, method, until, at FROM ingest_waits
    WHERE reader >= '' ORDER BY reader, method`,

  lease: 'SELECT token, node, epoch, until FROM ingest_leases WHERE name = $1',
  saveLease: `INSERT INTO ingest_leases (name, token, node, epoch, until) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (name) DO UPDATE SET token = excluded.token, node = excluded.node,
      epoch = excluded.epoch, until = excluded.until`,
  releaseLease: 'UPDATE ingest_leases SET token = NULL WHERE name = $1 AND token = $2',
} as const;
