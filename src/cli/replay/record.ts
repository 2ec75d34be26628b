// sluice record: a day of the gateway's own traffic as a file, to be replayed. It is read from the store, also while
// the gateway runs; what the messages said is never read, and nobody in it can be told.

import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import { RECORDING_VERSION, type RecordingHead } from '../../domain/recording.ts';
import { systemClock } from '../../system/clock.ts';
import { PRIVATE_FILE } from '../../system/private-files.ts';
import { Failed, type Io, printJson, WrongUsage } from '../io.ts';
import { configFrom } from '../settings.ts';

interface Options {
  readonly data?: string;
  readonly config?: string;
  readonly since?: string;
  readonly until?: string;
  readonly json?: true;
}

const DAY_MS = 24 * 3_600_000;
const LINES_PER_WRITE = 1_000;
const IN_A_DATABASE =
  'with database_url the deliveries are in Postgres, and only those of an embedded store can be recorded; ' +
  'name the data folder of one with --data';

export function addRecord(program: Command, io: Io): void {
  program
    .command('record')
    .description('write what was delivered into a file, without content or names, to replay it')
    .argument('<file>', 'a new file')
    .option('--since <time>', 'accepted at or after (ISO 8601; default: a day before the end)')
    .option('--until <time>', 'accepted before (ISO 8601; default: now)')
    .option('--data <folder>', 'the data folder (default: that of the settings)')
    .option('--config <file>', 'configuration file to find the data folder by')
    .option('--json', 'for programs')
    .action(async (file: string, options: Options) => {
      const span = spanOf(options);
      const { data, databaseUrl } = configFrom(io, { ...options }).config;
      if (databaseUrl !== null && options.data === undefined) throw new Failed(IN_A_DATABASE);
      if (!existsSync(data)) {
        throw new Failed(`there is no data folder ${data}; name it with --data`);
      }
      if (existsSync(file)) throw new Failed(`${file} is there already; name a new file`);
      const deliveries = await record(data, file, span);
      if (options.json) return printJson(io, { recording: file, deliveries, ...span });
      io.out(
        `${file} holds ${deliveries} deliveries; see what other settings would have done with`,
      );
      io.out(`  npx sluice replay ${file} --set NAME=VALUE`);
    });
}

type Span = Omit<RecordingHead, 'recording'>;

async function record(data: string, file: string, span: Span): Promise<number> {
  const { recordDeliveries } = await import('../../store/sqlite/files/record.ts');
  const recorded = opened(() => recordDeliveries(data, span));
  const head: RecordingHead = { recording: RECORDING_VERSION, ...span };
  const out = await open(file, 'wx', PRIVATE_FILE);
  let deliveries = 0;
  try {
    let lines = [JSON.stringify(head)];
    for (const delivery of recorded) {
      deliveries += 1;
      lines.push(JSON.stringify(delivery));
      if (lines.length < LINES_PER_WRITE) continue;
      await out.write(`${lines.join('\n')}\n`);
      lines = [];
    }
    if (lines.length > 0) await out.write(`${lines.join('\n')}\n`);
  } finally {
    await out.close();
  }
  return deliveries;
}

// The store's own errors say what to do; a stack would not.
function opened<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new Failed(error instanceof Error ? error.message : String(error));
  }
}

function spanOf(options: Options): Span {
  const until = timeOf('--until', options.until) ?? systemClock().now();
  const since = timeOf('--since', options.since) ?? until - DAY_MS;
  if (since >= until) throw new WrongUsage('--since must be before --until');
  return { since: Math.round(since), until: Math.round(until) };
}

function timeOf(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new WrongUsage(`${flag} = ${text}: expected a time (ISO 8601)`);
  return time;
}
