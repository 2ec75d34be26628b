// How the nodes of a fleet find each other: over Postgres, which is always there, or faster over Redis, with Postgres
// for the time that Redis is away.

import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type CoordinationNote, FallbackCoordination } from '../cluster/fallback.ts';
import { POSTGRES_PACE } from '../cluster/pace.ts';
import { PostgresCoordination } from '../cluster/postgres.ts';
import { RedisCoordination } from '../cluster/redis.ts';
import { SignedCoordination } from '../cluster/signed.ts';
import type { Config } from '../config/config.ts';
import type { PostgresJournal } from '../store/postgres/postgres.ts';
import { SCHEMA } from '../store/postgres/schema/schema.ts';
import type { Clock } from '../system/clock.ts';
import type { Log } from '../system/log.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../system/private-files.ts';

export interface CoordinationParts {
  readonly config: Pick<Config, 'databaseUrl' | 'redisUrl'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<PostgresJournal, 'tag'>;
}

const REDIS_NOTES: Readonly<Record<CoordinationNote['kind'], string>> = {
  redis_away: 'Redis cannot be reached: nodes find each other over Postgres, in 10 s instead of 3',
  redis_back: 'Redis is back: nodes find each other over it again',
  redis_emptied:
    'Redis was emptied (FLUSHALL, or a restart): nothing of the store was in it, nodes are back in it soon',
};

export function openCoordination(parts: CoordinationParts, secret: string) {
  const { coordination, pace } = openBoard(parts);
  const signed = new SignedCoordination(coordination, secret, ({ name, url }) =>
    parts.log.warn(
      { node: name, url },
      'who is recorded as a node does not know the secret of the fleet: it is left out, and nothing is sent there',
    ),
  );
  return { coordination: signed, pace };
}

function openBoard({ config, clock, log, journal }: CoordinationParts) {
  const url = config.databaseUrl!;
  const postgres = new PostgresCoordination({ url, schema: SCHEMA, clock });
  if (config.redisUrl === null) return { coordination: postgres, pace: () => POSTGRES_PACE };
  const redis = new RedisCoordination({ url: config.redisUrl, fleet: journal.tag, clock });
  const coordination = new FallbackCoordination({
    ...{ clock, redis, postgres },
    onNote: (note) => log.warn(note, REDIS_NOTES[note.kind]),
  });
  return { coordination, pace: () => coordination.pace };
}

const NAME_FILE = 'node-name';
const NAME_CHARS = 4;

// As people call it: the same at every start.
export function nodeName({ node, data }: Config): string {
  if (node !== null) return node;
  const path = join(data, NAME_FILE);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    const name = `${hostname()}-${randomUUID().slice(0, NAME_CHARS)}`;
    makePrivateFolder(data);
    writeFileSync(path, name, { mode: PRIVATE_FILE });
    return name;
  }
}
