// sluice snapshot and restore: the store of a data folder as one file, with the uploads of what waits. A snapshot may
// be taken while the gateway runs; a restore needs a folder without a store.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { SECRET_FILE } from '../accounts/accounts.ts';
import { Failed, type Io, printJson } from './io.ts';
import { configFrom } from './settings.ts';

interface Options {
  readonly data?: string;
  readonly config?: string;
  readonly json?: true;
}

export function addStore(program: Command, io: Io): void {
  const snapshot = program
    .command('snapshot')
    .description('copy the store into one file, also while the gateway runs')
    .argument('<file>', 'a new file');
  addOptions(snapshot).action(async (file: string, options: Options) => {
    const { data } = configFrom(io, { ...options }).config;
    if (!existsSync(data)) throw new Failed(`there is no data folder ${data}; name it with --data`);
    const { takeSnapshot } = await import('../store/sqlite/files/snapshot.ts');
    io.progress?.(`copying the store of ${data} …`);
    const packed = await told(takeSnapshot(data, file)).finally(() => io.progress?.(''));
    if (options.json) return printJson(io, { snapshot: file, data, ...packed });
    io.out(`${file} holds the store of ${data}; keep ${data}/${SECRET_FILE} with it`);
    if (packed.missing > 0)
      io.out(`${packed.missing} uploads of messages that wait were not there`);
  });
  const restore = program
    .command('restore')
    .description('put a snapshot into a data folder that has no store')
    .argument('<file>', 'a snapshot');
  addOptions(restore).action(async (file: string, options: Options) => {
    const { data } = configFrom(io, { ...options }).config;
    const { restoreSnapshot } = await import('../store/sqlite/files/restore.ts');
    io.progress?.(`copying ${file} and checking it …`);
    await told(restoreSnapshot(file, data)).finally(() => io.progress?.(''));
    if (options.json) printJson(io, { restored: file, data });
    else
      io.out(`${data} holds the store of ${file}; put its ${SECRET_FILE} there before you start`);
  });
}

function addOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'the data folder (default: that of the settings)')
    .option('--config <file>', 'configuration file to find the data folder by')
    .option('--json', 'for programs');
}

// The store's own errors say what to do; a stack would not.
async function told<T>(deed: Promise<T>): Promise<T> {
  try {
    return await deed;
  } catch (error) {
    throw new Failed(error instanceof Error ? error.message : String(error));
  }
}
