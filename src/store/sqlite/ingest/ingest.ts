// Ingest in SQL, in the worker, inside the batch's transaction. Must give the same answers as memory/ingest.ts, word
// for word.

import { unreachable } from '../../../system/assert.ts';
import type { Database, SqlRow, Statement } from '../../../system/databases/sqlite.ts';
import type {
  IngestCommand,
  LeaseAnswer,
  LeaseRequest,
  NewSource,
  SourceChange,
} from '../../ports/ingest.ts';
import { commitPage, dropPosts, findPosts } from './posts.ts';
import { INGEST_SQL, type IngestStatements } from './statements.ts';

export class SqliteIngest {
  readonly #sql: IngestStatements<Statement>;

  constructor(db: Database) {
    const prepared = Object.entries(INGEST_SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
  }

  run(command: IngestCommand): unknown {
    const sql = this.#sql;
    switch (command.kind) {
      case 'addSource':
        return this.#addSource(command.source);
      case 'source':
        return plainOrNull(sql.source.get(command.id));
      case 'sources':
        return sql.sources.all(command.after, command.max).map(plain);
      case 'sourceHeads':
        return sql.sourceHeads.all(command.after, command.max).map(plain);
      case 'changeSource':
        return this.#changeSource(command);
      case 'removeSource':
        return this.#removeSource(command.id, command.max);
      case 'commit':
        return commitPage(sql, command);
      case 'post':
        return plainOrNull(sql.post.get(command.source, command.id));
      case 'versions':
        return sql.versions.all(command.source, command.id, command.max).map(plain);
      case 'posts':
        return findPosts(sql, command);
      case 'knownIds': {
        const { source, upTo, max } = command;
        const newestFirst = sql.knownIds.all(source, upTo, max).map(({ id }) => String(id));
        return newestFirst.reverse();
      }
      case 'unforwarded':
        return sql.unforwarded.all(command.source, command.max).map(plain);
      case 'forwarded':
        for (const id of command.ids) sql.dropForward.run(command.source, id);
        return null;
      case 'channel':
        return sql.channel.get(command.reader, command.name)?.channel ?? null;
      case 'saveChannel':
        sql.saveChannel.run(command.reader, command.name, command.channel);
        return null;
      case 'saveWait':
        sql.saveWait.run(command.reader, command.method, command.until, command.at);
        return null;
      case 'dropWait':
        sql.dropWait.run(command.reader, command.method);
        return null;
      case 'waits':
        return sql.waits.all().map(plain);
      case 'saveReader': {
        const { readerKind, account, name, sealed, createdAt } = command;
        sql.saveReader.run(readerKind, account, name, sealed, createdAt);
        return null;
      }
      case 'removeReader':
        return sql.removeReader.run(command.readerKind, command.account).changes === 1;
      case 'readers':
        return sql.readers.all().map(plain);
      case 'takeLease':
        return this.#takeLease(command);
      case 'releaseLease':
        return sql.releaseLease.run(command.name, command.token).changes === 1;
      default:
        return unreachable(command);
    }
  }

  #addSource({ readerKind, name, settings, progress, createdAt }: NewSource) {
    const known = this.#sql.sourceNamed.get(readerKind, name);
    if (known !== undefined) return { isNew: false, source: plain(known) };
    this.#sql.addSource.run(readerKind, name, settings, progress, createdAt);
    return { isNew: true, source: plain(this.#sql.sourceNamed.get(readerKind, name)!) };
  }

  #changeSource({ id, state, settings }: SourceChange) {
    this.#sql.changeSource.run(state, settings, id);
    return plainOrNull(this.#sql.source.get(id));
  }

  #removeSource(id: number, max: number): boolean {
    const isMore = dropPosts(this.#sql, id, max);
    if (isMore) this.#sql.setRemoved.run(id);
    else this.#sql.dropSource.run(id);
    return isMore;
  }

  #takeLease({ name, token, node, now, ttlMs }: LeaseRequest): LeaseAnswer {
    const row = this.#sql.lease.get(name) as LeaseRow | undefined;
    const until = now + ttlMs;
    if (row !== undefined && row.token === token) {
      this.#sql.saveLease.run(name, token, row.node, row.epoch, until);
      return { kind: 'held', epoch: row.epoch, isTaken: false };
    }
    if (row !== undefined && row.token !== null && now < row.until) {
      return { kind: 'busy', node: row.node, until: row.until };
    }
    const epoch = (row?.epoch ?? 0) + 1;
    this.#sql.saveLease.run(name, token, node, epoch, until);
    return { kind: 'held', epoch, isTaken: true };
  }
}

interface LeaseRow {
  readonly token: string | null;
  readonly node: string;
  readonly epoch: number;
  readonly until: number;
}

// The driver's rows have no prototype; what crosses to the main thread are plain objects.
function plain(row: SqlRow): object {
  return { ...row };
}

function plainOrNull(row: SqlRow | undefined): object | null {
  return row === undefined ? null : plain(row);
}
