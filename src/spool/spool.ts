// Files on their way to a platform, on disk beside the journal. A file is kept under the digest of its content,
// whole and synced before anyone is told of it. The hard thing is when to remove one: the journal knows which
// deliveries still need it, and between arriving and being written there only a pin holds it. So a sweep
// removes what was neither pinned since the sweep began nor is named by the journal.
// Its capacity is shared (see system/shares.ts): a file counts for whoever brought it first, from its first byte on
// until it is removed, so that nobody can fill the spool for all.

import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { FILE_ID } from '../domain/body.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../system/private-files.ts';
import { type Claimant, Shares } from '../system/shares.ts';

export interface SpoolOptions {
  // Made when it does not exist.
  readonly dir: string;
  readonly bytesMax: number;
}

export type ReceivedFile =
  // Pinned: unpin it when its delivery is in the journal, or will never be.
  | { kind: 'kept'; id: string; size: number }
  | { kind: 'full' }
  // The disk did not take it.
  | { kind: 'failed'; code: 'disk_full' | 'journal_failed' }
  // The sender stopped in the middle.
  | { kind: 'broken' };

interface Entry {
  readonly size: number;
  // For whom it counts.
  readonly owner: Claimant;
  readonly synced: Promise<void>;
  pins: number;
  // Someone may have put it into the journal.
  isOffered: boolean;
  // The sweep that was last begun when it was last pinned.
  pinnedIn: number;
}

// What is still being written; left behind only by a crash.
const PART = '.part';
const READ_BYTES = 256 * 1024;
// Whose the files are that were there at the start is not known any more.
const EARLIER: Claimant = { account: '', address: '', isStranger: false };

// What the gateway uses, whatever machines it stands on.
export type FileSpool = Pick<
  Spool,
  'bytes' | 'isEmpty' | 'has' | 'read' | 'receive' | 'unpin' | 'discard' | 'sweep'
>;

// What the routes need of it.
export type Receiving = Pick<Spool, 'receive' | 'unpin' | 'discard'>;

export class Spool {
  readonly #dir: string;
  readonly #capacity: Shares;
  readonly #entries = new Map<string, Entry>();
  #parts = 0;
  #sweeps = 0;

  private constructor(options: SpoolOptions) {
    this.#dir = options.dir;
    this.#capacity = new Shares(options.bytesMax);
  }

  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options);
    makePrivateFolder(options.dir);
    for (const name of await readdir(options.dir)) {
      if (FILE_ID.test(name)) {
        spool.#enter(name, (await stat(spool.#pathOf(name))).size, EARLIER, DONE);
      } else if (name.endsWith(PART)) await rm(spool.#pathOf(name), { force: true });
    }
    return spool;
  }

  get bytes(): number {
    return this.#capacity.held;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  ids(): string[] {
    return [...this.#entries.keys()];
  }

  // Of one that is there.
  sizeOf(id: string): number {
    return this.#entries.get(id)?.size ?? 0;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  read(id: string): Readable {
    return createReadStream(this.#pathOf(id), { highWaterMark: READ_BYTES });
  }

  // Reads the source to its end, whatever comes of it.
  async receive(source: Readable, owner: Claimant): Promise<ReceivedFile> {
    const part = join(this.#dir, `${++this.#parts}${PART}`);
    let file: FileHandle | null = null;
    let written: Written = { kind: 'broken', size: 0 };
    // Whoever cuts the source off while the file is being opened must not bring the process down.
    source.on('error', () => {});
    try {
      file = await open(part, 'w', PRIVATE_FILE);
      written = await this.#write(source, file, owner);
      if (written.kind === 'whole') await file.sync();
    } catch (error) {
      written = { ...failureOf(error), size: written.size };
    }
    await file?.close();
    source.resume();
    if (written.kind !== 'whole') {
      this.#capacity.give(owner, written.size);
      await rm(part, { force: true });
      return written;
    }
    return this.#keep(part, written.id, written.size, owner);
  }

  pin(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.pins += 1;
    entry.pinnedIn = this.#sweeps;
  }

  unpin(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.pins -= 1;
    entry.pinnedIn = this.#sweeps;
    entry.isOffered = true;
  }

  // In place of unpin, for what was never handed on: it need not wait for the sweep.
  discard(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.pins -= 1;
    if (entry.pins === 0 && !entry.isOffered) this.#remove(id, entry);
  }

  // `inUse` asks the journal which files its deliveries still need. Answers how many were removed.
  async sweep(inUse: () => Promise<readonly string[]>): Promise<number> {
    const sweep = ++this.#sweeps;
    const needed = new Set(await inUse());
    let removed = 0;
    for (const [id, entry] of this.#entries) {
      if (needed.has(id) || entry.pins > 0 || entry.pinnedIn >= sweep) continue;
      this.#remove(id, entry);
      removed += 1;
    }
    return removed;
  }

  // Its bytes count from the moment they are on disk, so that many at once keep the bound together.
  async #write(source: Readable, file: FileHandle, owner: Claimant): Promise<Written> {
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of source.iterator({ destroyOnReturn: false })) {
        const bytes = chunk as Buffer;
        if (!this.#capacity.take(owner, bytes.length)) return { kind: 'full', size };
        size += bytes.length;
        hash.update(bytes);
        await file.write(bytes);
      }
    } catch (error) {
      return { ...failureOf(error), size };
    }
    return { kind: 'whole', size, id: hash.digest('base64url') };
  }

  async #keep(part: string, id: string, size: number, owner: Claimant): Promise<ReceivedFile> {
    this.#capacity.give(owner, size);
    const known = this.#entries.get(id);
    if (known !== undefined) {
      this.pin(id);
      await Promise.all([known.synced, rm(part, { force: true })]);
      return { kind: 'kept', id, size };
    }
    const named = rename(part, this.#pathOf(id)).then(() => syncFolder(this.#dir));
    this.#enter(id, size, owner, named);
    this.pin(id);
    await named;
    return { kind: 'kept', id, size };
  }

  #remove(id: string, entry: Entry): void {
    this.#entries.delete(id);
    this.#capacity.give(entry.owner, entry.size);
    // In this turn: the same content may arrive again in the next one, and take the same name.
    rmSync(this.#pathOf(id), { force: true });
  }

  #enter(id: string, size: number, owner: Claimant, synced: Promise<void>): void {
    const isOffered = synced === DONE;
    this.#entries.set(id, { size, owner, synced, pins: 0, isOffered, pinnedIn: -1 });
    this.#capacity.hold(owner, size);
  }

  #pathOf(name: string): string {
    return join(this.#dir, name);
  }
}

const DONE = Promise.resolve();

type Written =
  | { kind: 'whole'; size: number; id: string }
  | (Exclude<ReceivedFile, { kind: 'kept' }> & { size: number });

const FULL_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG'];

// An error with a system call in it is the disk's; any other is the sender's.
function failureOf(error: unknown): Exclude<ReceivedFile, { kind: 'kept' }> {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) {
    return { kind: 'broken' };
  }
  if (error.syscall === 'read' || error.code === 'ECONNRESET') return { kind: 'broken' };
  const isFull = FULL_CODES.includes(String(error.code));
  return { kind: 'failed', code: isFull ? 'disk_full' : 'journal_failed' };
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
