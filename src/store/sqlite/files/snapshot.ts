// A consistent copy of the running store in one file, with the uploads that its messages need. Made beside its final
// name, synced, then renamed: a file of that name is always whole.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { makePrivateFile } from '../../../system/private-files.ts';
import { SnapshotError } from '../../store-error.ts';
import type { PackedFiles } from './snapshot-files.ts';

export interface CopyOrder {
  // The data folder.
  readonly dir: string;
  readonly to: string;
}

export async function takeSnapshot(dir: string, path: string): Promise<PackedFiles> {
  if (existsSync(path)) throw new SnapshotError('exists', path);
  const partial = `${path}.partial`;
  try {
    await rm(partial, { force: true });
    makePrivateFile(partial);
    const order: CopyOrder = { dir, to: partial };
    const worker = new Worker(new URL('./snapshot-worker.ts', import.meta.url), {
      workerData: order,
    });
    const packed = once(worker, 'message') as Promise<[PackedFiles]>;
    const [[files]] = await Promise.all([packed, once(worker, 'exit')]);
    await publish(partial, path);
    return files;
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
