// The clock that everything in this process goes by: the machine's, and of a node of a fleet the database's
// (cluster/fleet-clock.ts).

import { FleetClock } from '../cluster/fleet-clock.ts';
import type { Config } from '../config/config.ts';
import { SCHEMA } from '../store/postgres/schema/schema.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import { PostgresConnection } from '../system/databases/postgres.ts';
import type { Log } from '../system/log.ts';
import type { Periodic } from '../system/periodic.ts';
import { steeredClock } from '../system/steered-clock.ts';

export interface ProcessClock {
  readonly clock: Clock;
  // Sets it by the database's, once that can be asked; embedded there is nothing to set.
  set(): Promise<void>;
  // Follows it from now on.
  start(periodic: Periodic): void;
  close(): Promise<void>;
}

const TIME = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms';
const CALL_MS_MAX = 3_000;

export function openClock({ databaseUrl: url }: Config, log: Log): ProcessClock {
  if (url === null) {
    return { clock: systemClock(), set: async () => {}, start: () => {}, close: async () => {} };
  }
  const clock = steeredClock(systemClock());
  const connection = new PostgresConnection({
    ...{ url, name: 'sluice clock', schema: SCHEMA, callMsMax: CALL_MS_MAX },
  });
  const ask = async () => Number((await connection.get(TIME))!.ms);
  const onOff = (byMs: number) =>
    log.warn({ byMs: Math.round(byMs) }, 'the clock of the database differs from this node’s');
  const follower = new FleetClock({ clock, ask, onOff });
  return {
    clock,
    set: () => follower.set(),
    start: (periodic) => follower.start(periodic),
    async close() {
      await follower.stop(0);
      await connection.close();
    },
  };
}
