// The cadence summary: one log line per platform every so often, while there is live output. It says how much waits,
// how much was replaced before it was shown, how often a session is shown, who has waited longest, and how often the
// platform said wait.

import type { RoadListener } from '../domain/event.ts';
import { platformOf } from '../domain/ids.ts';
import type { LiveEvent, LiveListener, LiveReading } from '../domain/live.ts';
import type { Periodic } from '../system/periodic.ts';
import type { Service } from '../system/service.ts';

const SESSIONS_MAX = 5;

export interface SummaryParts {
  readonly periodic: Periodic;
  readonly log: { info(fields: object, message: string): void };
  readonly everyMs: number;
  readonly read: () => readonly LiveReading[];
}

interface Tally {
  shown: number;
  superseded: number;
  finals: number;
  silent: number;
  limited: number;
  retryAfterMs: number;
}

export interface Summary extends Service {
  readonly publish: LiveListener;
  readonly listen: RoadListener;
}

export function createSummary({ periodic, log, everyMs, read }: SummaryParts): Summary {
  const tallies = new Map<string, Tally>();
  const { clock } = periodic;
  let life: 'new' | 'running' | 'stopped' = 'new';
  const of = (platform: string) => {
    const tally = tallies.get(platform) ?? noTally();
    tallies.set(platform, tally);
    return tally;
  };

  const write = () => {
    const now = clock.now();
    const readings = new Map(read().map((reading) => [reading.platform, reading]));
    for (const platform of new Set([...readings.keys(), ...tallies.keys()])) {
      const fields = fieldsOf(readings.get(platform) ?? null, of(platform), now);
      if (fields !== null) log.info({ platform, ...fields }, 'Output cadence summary');
    }
    tallies.clear();
  };
  const job = periodic.job({ name: 'summarize_cadence', everyMs, run: write });

  return {
    publish: (event) => count(of(event.platform), event),
    listen(event) {
      if (event.kind !== 'attempted' || event.outcome !== 'limited') return;
      const tally = of(platformOf(event.about.account));
      tally.limited += 1;
      tally.retryAfterMs += event.retryAfterMs ?? 0;
    },
    async start() {
      if (life !== 'new') return;
      life = 'running';
      await job.start();
    },
    async stop(deadlineMs) {
      if (life === 'running') write();
      life = 'stopped';
      await job.stop(deadlineMs);
    },
  };
}

function noTally(): Tally {
  return { shown: 0, superseded: 0, finals: 0, silent: 0, limited: 0, retryAfterMs: 0 };
}

function count(tally: Tally, event: LiveEvent): void {
  if (event.kind === 'shown') tally.shown += 1;
  else if (event.kind === 'superseded') tally.superseded += 1;
  else {
    tally.finals += 1;
    if (event.reason !== null) tally.silent += 1;
  }
}

// null: no live output since the last line.
function fieldsOf(reading: LiveReading | null, tally: Tally, now: number) {
  const { shown, superseded, finals } = tally;
  if ((reading?.streams ?? 0) + shown + superseded + finals === 0) return null;
  const waits = reading?.waits ?? [];
  return {
    streams: reading?.streams ?? 0,
    activeSessions: reading?.activeSessions ?? 0,
    waiting: waits.length,
    finalsWaiting: reading?.finalsWaiting ?? 0,
    tickMs: reading?.tickMsMax ?? 0,
    ...tally,
    longestWaits: waits.slice(0, SESSIONS_MAX).map(({ session, since }) => ({
      session,
      waitMs: Math.max(0, Math.round(now - since)),
    })),
  };
}
