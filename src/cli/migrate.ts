// sluice migrate: the store of a data folder into a database of a fleet, or back.

import type { Command } from 'commander';
import { SECRET_FILE } from '../accounts/accounts.ts';
import { systemClock } from '../system/clock.ts';
import { Failed, type Io, printJson, WrongUsage } from './io.ts';
import { configFrom } from './settings.ts';

interface Options {
  readonly to: string;
  readonly from?: string;
  readonly data?: string;
  readonly config?: string;
  readonly resume?: true;
  readonly json?: true;
}

const DATABASE = /^postgres(?:ql)?:\/\//;

export function addMigrate(program: Command, io: Io): void {
  program
    .command('migrate')
    .description('move the store of a data folder to Postgres, or back')
    .requiredOption(
      '--to <where>',
      'postgres://user:password@host/database, or `postgres` for that of SLUICE_DATABASE_URL; ' +
        '`sqlite`: back into the data folder',
    )
    .option('--from <address>', 'with --to sqlite: the database (default: SLUICE_DATABASE_URL)')
    .option('--data <folder>', 'the data folder (default: that of the settings)')
    .option('--config <file>', 'configuration file to find the data folder by')
    .option('--resume', 'go on with a move that was begun before')
    .option('--json', 'for programs')
    .action((options: Options) => move(io, options));
}

async function move(io: Io, options: Options): Promise<void> {
  const { to, from, data: folder, config: file } = options;
  const named = { ...(folder && { data: folder }), ...(file && { config: file }) };
  const { config } = configFrom(io, named);
  const isBack = to === 'sqlite';
  if (!isBack && to !== 'postgres' && !DATABASE.test(to)) {
    throw new WrongUsage(
      '--to is an address such as postgres://host/database, `postgres` or `sqlite`',
    );
  }
  const url = isBack ? (from ?? config.databaseUrl) : to === 'postgres' ? config.databaseUrl : to;
  if (url === null || !DATABASE.test(url)) {
    throw new WrongUsage(
      'name the database: --from postgres://host/database, or SLUICE_DATABASE_URL',
    );
  }
  const { data: dir } = config;
  const { moveToPostgres, moveToSqlite } = await import('../store/move/move.ts');
  const moving = {
    ...{ dir, url, resume: options.resume ?? false, clock: systemClock() },
    progress: (text: string) => io.progress?.(text),
    onWait: () => {
      io.progress?.('');
      io.err(
        isBack
          ? 'all of the database is copied: stop all its nodes now, the rest follows when they have ended'
          : `all of ${dir} is copied: stop its gateway now, the rest follows when it has ended`,
      );
    },
  };
  const began = systemClock().now();
  const counts = await (isBack ? moveToSqlite(moving) : moveToPostgres(moving))
    .catch((error: unknown) => {
      throw new Failed(error instanceof Error ? error.message : String(error));
    })
    .finally(() => io.progress?.(''));
  const tookS = Math.round((systemClock().now() - began) / 1000);
  if (options.json) return printJson(io, { to: isBack ? dir : 'postgres', tookS, tables: counts });
  for (const { table, rows, checksum } of counts) {
    if (rows > 0)
      io.out(`${table.padEnd(18)} ${String(rows).padStart(10)}  ${checksum.slice(0, 16)}`);
  }
  io.out(
    isBack
      ? `${dir} holds the store, verified row by row (${tookS} s); put the ${SECRET_FILE} of the fleet there`
      : `the database holds the store of ${dir}, verified row by row (${tookS} s); start the nodes with ` +
          `SLUICE_DATABASE_URL and the same SLUICE_SECRET (${dir}/${SECRET_FILE})`,
  );
}
