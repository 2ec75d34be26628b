// Files of a fleet: in the database, in chunks, so that whichever node owns an account can send them, and on the disk
// of the node that received them, which reads its own from there and goes on receiving while the database is away.
// What it received meanwhile is copied when the database is back. In the database a file goes when no delivery names
// it and nobody has received it for a while: a node does not know what others hold in their hands.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../system/clock.ts';
import { isAnswer, type PostgresConnection } from '../system/databases/postgres.ts';
import type { Claimant } from '../system/shares.ts';
import type { FileSpool, ReceivedFile, Spool } from './spool.ts';

export const CHUNK_BYTES = 256 * 1024;
// Longer than a form takes to arrive, of which the first file may be there long before the last.
const UNUSED_S_MAX = 3_600;
const SWEEP_EVERY_MS = 60_000;

// Files that are being written count for the bound with their whole size.
const FLEET_SQL = {
  begin: `INSERT INTO uploads AS u (id, size, is_whole, touched_at)
    SELECT $1::text, $2::bigint, false, now() WHERE EXISTS (SELECT 1 FROM uploads WHERE id = $1)
      OR (SELECT coalesce(sum(size), 0) FROM uploads) + $2 <= $3::bigint
    ON CONFLICT (id) DO UPDATE SET touched_at = now() RETURNING is_whole`,
  write: `INSERT INTO upload_chunks (id, n, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
  finish: 'UPDATE uploads SET is_whole = true, touched_at = now() WHERE id = $1',
  read: 'SELECT bytes FROM upload_chunks WHERE id = $1 AND n = $2',
  size: 'SELECT size FROM uploads WHERE id = $1 AND is_whole',
  whole: 'SELECT id FROM uploads WHERE is_whole AND id = ANY ($1::text[])',
  sweep: `DELETE FROM uploads u WHERE touched_at < now() - make_interval(secs => $1::float8)
    AND NOT EXISTS (SELECT 1 FROM spooled s WHERE s.id = u.id)`,
} as const;

export interface FleetSpoolOptions {
  // On this node's disk.
  readonly local: Spool;
  readonly connection: PostgresConnection;
  readonly bytesMax: number;
  readonly clock: Clock;
  readonly unusedSMax?: number;
}

export class FleetSpool implements FileSpool {
  readonly #o: FleetSpoolOptions;
  // On this disk alone.
  readonly #uncopied: Set<string>;
  #sweptAt: number;

  private constructor(options: FleetSpoolOptions, uncopied: Iterable<string>) {
    this.#o = options;
    this.#uncopied = new Set(uncopied);
    this.#sweptAt = options.clock.now();
  }

  static async open(options: FleetSpoolOptions): Promise<FleetSpool> {
    const ids = options.local.ids();
    const rows = await options.connection.all(FLEET_SQL.whole, ids);
    const copied = new Set(rows.map(({ id }) => String(id)));
    return new FleetSpool(
      options,
      ids.filter((id) => !copied.has(id)),
    );
  }

  get bytes(): number {
    return this.#o.local.bytes;
  }

  // Whether a sweep would find nothing to do.
  get isEmpty(): boolean {
    return this.#o.local.isEmpty && !this.#isSweepDue();
  }

  // What a delivery names is in the database as long as the delivery is.
  has(_id: string): boolean {
    return true;
  }

  read(id: string): Readable {
    const { local } = this.#o;
    return local.has(id) ? local.read(id) : Readable.from(this.#chunks(id), { objectMode: false });
  }

  async receive(source: Readable, owner: Claimant): Promise<ReceivedFile> {
    const { local } = this.#o;
    const received = await local.receive(source, owner);
    if (received.kind !== 'kept') return received;
    try {
      if (await this.#copy(received.id)) return received;
    } catch (error) {
      // The database is away: it is copied when it is back.
      if (!isAnswer(error)) {
        this.#uncopied.add(received.id);
        return received;
      }
      local.discard(received.id);
      return { kind: 'failed', code: 'journal_failed' };
    }
    local.discard(received.id);
    return { kind: 'full' };
  }

  unpin(id: string): void {
    this.#o.local.unpin(id);
  }

  discard(id: string): void {
    this.#o.local.discard(id);
  }

  // Before deliveries that name them come into the database.
  async ensure(ids: readonly string[]): Promise<void> {
    const rows = await this.#o.connection.all(FLEET_SQL.whole, ids);
    const copied = new Set(rows.map(({ id }) => String(id)));
    for (const id of new Set(ids))
      if (!copied.has(id) && this.#o.local.has(id)) await this.#copy(id);
  }

  async sweep(inUse: () => Promise<readonly string[]>): Promise<number> {
    for (const id of this.#uncopied) {
      if (this.#o.local.has(id)) await this.#copy(id);
      this.#uncopied.delete(id);
    }
    const removed = await this.#o.local.sweep(inUse);
    if (!this.#isSweepDue()) return removed;
    this.#sweptAt = this.#o.clock.now();
    const { connection, unusedSMax = UNUSED_S_MAX } = this.#o;
    return removed + (await connection.run(FLEET_SQL.sweep, unusedSMax));
  }

  #isSweepDue(): boolean {
    return this.#o.clock.now() - this.#sweptAt >= SWEEP_EVERY_MS;
  }

  // Whether there was space for it. Of two nodes that write the same file each writes the same.
  async #copy(id: string): Promise<boolean> {
    const { local, connection, bytesMax } = this.#o;
    const begun = await connection.get(FLEET_SQL.begin, id, local.sizeOf(id), bytesMax);
    if (begun === null) return false;
    if (begun.is_whole === true) return true;
    let n = 0;
    for await (const bytes of chunked(local.read(id))) {
      await connection.run(FLEET_SQL.write, id, n, bytes);
      n += 1;
    }
    await connection.run(FLEET_SQL.finish, id);
    return true;
  }

  async *#chunks(id: string): AsyncGenerator<Buffer> {
    const { connection } = this.#o;
    const row = await connection.get(FLEET_SQL.size, id);
    if (row === null) throw new Error('the uploaded file is no longer at hand');
    const hash = createHash('sha256');
    for (let n = 0; n * CHUNK_BYTES < Number(row.size); n += 1) {
      const bytes = (await connection.get(FLEET_SQL.read, id, n))?.bytes as Buffer | undefined;
      if (bytes === undefined) break;
      hash.update(bytes);
      yield bytes;
    }
    if (hash.digest('base64url') !== id) throw new Error('the uploaded file is not as it was');
  }
}

async function* chunked(source: Readable): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    held.push(piece as Buffer);
    size += (piece as Buffer).length;
    while (size >= CHUNK_BYTES) {
      const all = Buffer.concat(held);
      yield all.subarray(0, CHUNK_BYTES);
      held = [all.subarray(CHUNK_BYTES)];
      size = held[0]!.length;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}
