// The least that lets a relay say that a call is on disk before it answers: a file of fixed size that is written over
// and over, one record for the call, forced while the call is under way, and one for its outcome. It can find nothing
// again.

import { fdatasync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LOG_BYTES = 4 * 1024 * 1024;

export class ForcedLog {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-bench-relay-'));
  readonly #fd = openSync(join(this.#folder, 'log'), 'w+');
  #at = 0;
  #forcing: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor() {
    writeSync(this.#fd, Buffer.alloc(LOG_BYTES));
    process.once('exit', () => rmSync(this.#folder, { recursive: true }));
  }

  write(record: string): void {
    const bytes = Buffer.from(record);
    if (this.#at + bytes.length > LOG_BYTES) this.#at = 0;
    this.#at += writeSync(this.#fd, bytes, 0, bytes.length, this.#at);
  }

  // Resolves when it is on disk. Those that come while the disk is busy are forced together.
  append(record: string): Promise<void> {
    this.write(record);
    if (this.#forcing === null) return this.#force();
    this.#next ??= this.#forcing.then(() => this.#force());
    return this.#next;
  }

  #force(): Promise<void> {
    this.#next = null;
    this.#forcing = new Promise((resolve, reject) => {
      fdatasync(this.#fd, (error) => {
        this.#forcing = null;
        if (error) reject(error);
        else resolve();
      });
    });
    return this.#forcing;
  }
}
