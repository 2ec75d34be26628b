// Where uploaded files lie: in the data folder, and where there is a database also in it.

import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { SPOOL_FOLDER } from '../domain/body.ts';
import { FleetSpool } from '../spool/fleet.ts';
import { type FileSpool, Spool } from '../spool/spool.ts';
import { SCHEMA } from '../store/postgres/schema/schema.ts';
import type { Clock } from '../system/clock.ts';
import { PostgresConnection } from '../system/databases/postgres.ts';

export interface OpenedSpool {
  readonly spool: FileSpool;
  // Brings files that deliveries name into the database, which come there themselves next.
  readonly ensure: ((files: readonly string[]) => Promise<void>) | null;
  close(): Promise<void>;
}

export async function openSpool(config: Config, clock: Clock): Promise<OpenedSpool> {
  const { databaseUrl: url, spoolBytesMax: bytesMax } = config;
  const local = await Spool.open({ dir: join(config.data, SPOOL_FOLDER), bytesMax });
  if (url === null) return { spool: local, ensure: null, close: async () => {} };
  const connection = new PostgresConnection({ url, name: 'sluice uploads', schema: SCHEMA });
  const spool = await FleetSpool.open({ local, connection, bytesMax, clock });
  return { spool, ensure: (files) => spool.ensure(files), close: () => connection.close() };
}
