// A consistent copy of the running store in one file. Made beside its final name, synced, then
// renamed: a file of that name is always whole.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { makePrivateFile } from '../../../system/private-files.ts';
import { storeFileOf } from '../../../system/sqlite.ts';
import { SnapshotError } from '../../store-error.ts';

export interface CopyOrder {
  readonly from: string;
  readonly to: string;
}

export async function takeSnapshot(dir: string, path: string): Promise<void> {
  if (existsSync(path)) throw new SnapshotError('exists', path);
  const partial = `${path}.partial`;
  try {
    await rm(partial, { force: true });
    makePrivateFile(partial);
    const order: CopyOrder = { from: storeFileOf(dir), to: partial };
    const worker = new Worker(new URL('./snapshot-worker.ts', import.meta.url), {
      workerData: order,
    });
    await once(worker, 'exit');
    await publish(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw new SnapshotError('failed', path, error instanceof Error ? error.message : `${error}`);
  }
}

// Syncs the file, gives it its name, and syncs the folder that holds the name.
export async function publish(partial: string, path: string): Promise<void> {
  await syncFile(partial, 'r+');
  await rename(partial, path);
  await syncFile(dirname(resolve(path)), 'r');
}

async function syncFile(path: string, flags: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
