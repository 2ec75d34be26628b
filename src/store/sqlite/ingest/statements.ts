// The statements of ingest, one for each move.

const SOURCE = `id, reader_kind AS readerKind, name, state, settings, progress, revision,
  created_at AS createdAt`;
const STATE =
  'edited_at AS editedAt, deleted_at AS deletedAt, text, author, group_id AS groupId, media';
const POST = `source, CAST(id AS TEXT) AS id, n, date, ${STATE}, media_references AS "references",
  stored_at AS storedAt, versions`;
// Digits that come in become an integer here; of a text the engine would make another order.
const ID = 'CAST(? AS INTEGER)';

export const INGEST_SQL = {
  addSource: `INSERT INTO ingest_sources
      (reader_kind, name, state, settings, progress, revision, created_at)
    VALUES (?, ?, 'active', ?, ?, 0, ?)`,
  sourceNamed: `SELECT ${SOURCE} FROM ingest_sources WHERE reader_kind = ? AND name = ?`,
  source: `SELECT ${SOURCE} FROM ingest_sources WHERE id = ?`,
  sources: `SELECT ${SOURCE} FROM ingest_sources WHERE id > ? ORDER BY id LIMIT ?`,
  sourceHeads: `SELECT id, state, settings, revision FROM ingest_sources
    WHERE id > ? ORDER BY id LIMIT ?`,
  changeSource: `UPDATE ingest_sources SET state = coalesce(?, state),
      settings = coalesce(?, settings)
    WHERE id = ? AND state <> 'removed'`,
  setRemoved: `UPDATE ingest_sources SET state = 'removed' WHERE id = ?`,
  dropSource: 'DELETE FROM ingest_sources WHERE id = ?',
  lowestPosts: `SELECT n, CAST(id AS TEXT) AS id FROM ingest_posts
    WHERE source = ? ORDER BY ingest_posts.id LIMIT ?`,
  dropPost: 'DELETE FROM ingest_posts WHERE n = ?',
  dropVersions: `DELETE FROM ingest_versions WHERE source = ? AND id = ${ID}`,
  hasPosts: 'SELECT 1 AS found FROM ingest_posts WHERE source = ? LIMIT 1',

  head: 'SELECT state, revision FROM ingest_sources WHERE id = ?',
  epoch: 'SELECT epoch FROM ingest_leases WHERE name = ?',
  moveOn: `UPDATE ingest_sources SET progress = ?, revision = ?,
      state = CASE WHEN ? AND state = 'active' THEN 'dead' ELSE state END
    WHERE id = ?`,
  // Asked first: ON CONFLICT DO NOTHING would use up a number for each post that is there already.
  isKnown: `SELECT 1 AS found FROM ingest_posts WHERE source = ? AND id = ${ID}`,
  addPost: `INSERT INTO ingest_posts (source, id, date, edited_at, stored_at, text, author, group_id,
      media, media_references)
    VALUES (?, ${ID}, ?, ?, ?, ?, ?, ?, ?, ?)`,
  keepVersion: `INSERT INTO ingest_versions (source, id, version, until, edited_at, deleted_at, text,
      author, group_id, media)
    SELECT source, id, versions, ?, edited_at, deleted_at, text, author, group_id, media
    FROM ingest_posts WHERE source = ? AND id = ${ID}`,
  replacePost: `UPDATE ingest_posts SET date = ?, edited_at = ?, deleted_at = NULL, text = ?,
      author = ?, group_id = ?, media = ?, media_references = ?, versions = versions + 1
    WHERE source = ? AND id = ${ID}`,
  deletePost: `UPDATE ingest_posts SET deleted_at = ?, versions = versions + 1
    WHERE source = ? AND id = ${ID}`,
  isThere: `SELECT 1 AS found FROM ingest_posts
    WHERE source = ? AND id = ${ID} AND deleted_at IS NULL`,

  post: `SELECT ${POST} FROM ingest_posts WHERE source = ? AND id = ${ID}`,
  versions: `SELECT version, until, ${STATE} FROM ingest_versions
    WHERE source = ? AND id = ${ID} ORDER BY version LIMIT ?`,
  ofOneOldest: `SELECT ${POST} FROM ingest_posts
    WHERE source = ? AND id > ${ID} ORDER BY ingest_posts.id`,
  ofOneNewest: `SELECT ${POST} FROM ingest_posts
    WHERE source = ? AND id <= ${ID} ORDER BY ingest_posts.id DESC`,
  ofAllOldest: `SELECT ${POST} FROM ingest_posts WHERE n > ${ID} ORDER BY n`,
  ofAllNewest: `SELECT ${POST} FROM ingest_posts WHERE n <= ${ID} ORDER BY n DESC`,
  knownIds: `SELECT CAST(id AS TEXT) AS id FROM ingest_posts
    WHERE source = ? AND id <= ${ID} AND deleted_at IS NULL ORDER BY ingest_posts.id DESC LIMIT ?`,

  addForward: `INSERT INTO ingest_forwards (source, id) VALUES (?, ${ID})`,
  dropForward: `DELETE FROM ingest_forwards WHERE source = ? AND id = ${ID}`,
  unforwarded: `SELECT ${POST} FROM ingest_posts
    WHERE source = ?1 AND id IN
      (SELECT id FROM ingest_forwards WHERE source = ?1 ORDER BY id LIMIT ?2)
    ORDER BY ingest_posts.id`,

  saveReader: `INSERT INTO ingest_readers (reader_kind, account, name, sealed, created_at)
    VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (reader_kind, account) DO UPDATE SET name = excluded.name, sealed = excluded.sealed,
      created_at = excluded.created_at`,
  removeReader: 'DELETE FROM ingest_readers WHERE reader_kind = ? AND account = ?',
  readers: `SELECT reader_kind AS readerKind, account, name, sealed, created_at AS createdAt
    FROM ingest_readers WHERE reader_kind >= '' ORDER BY reader_kind, account`,

  channel: 'SELECT channel FROM ingest_channels WHERE reader = ? AND name = ?',
  saveChannel: `INSERT INTO ingest_channels (reader, name, channel) VALUES (?, ?, ?)
    ON CONFLICT (reader, name) DO UPDATE SET channel = excluded.channel`,
  saveWait: `INSERT INTO ingest_waits (reader, method, until, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (reader, method) DO UPDATE SET until = excluded.until, at = excluded.at
    WHERE excluded.until > until`,
  dropWait: 'DELETE FROM ingest_waits WHERE reader = ? AND method = ?',
  waits: `SELECT reader, method, until, at FROM ingest_waits
    WHERE reader >= '' ORDER BY reader, method`,

  lease: 'SELECT token, node, epoch, until FROM ingest_leases WHERE name = ?',
  saveLease: `INSERT INTO ingest_leases (name, token, node, epoch, until) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET token = excluded.token, node = excluded.node,
      epoch = excluded.epoch, until = excluded.until`,
  releaseLease: 'UPDATE ingest_leases SET token = NULL WHERE name = ? AND token = ?',
} as const;

export type IngestStatements<Statement> = Readonly<Record<keyof typeof INGEST_SQL, Statement>>;
