// How the gateway stands: its metrics, read at each scrape, and its health, when it is asked for.

import { statfs } from 'node:fs/promises';
import { showTimeOrNull } from '../accept/time.ts';
import type { Config } from '../config/config.ts';
import { platformOf } from '../domain/ids.ts';
import type { HealthPart } from '../http/context.ts';
import { PLATFORM_DEFAULT, PLATFORM_LOCAL } from '../platforms/registry.ts';
import type { JobStanding, Periodic } from '../system/periodic.ts';
import type { FleetReading, GaugeReading, Metrics } from '../telemetry/metrics/metrics.ts';
import type { Fleet } from './fleet.ts';
import type { Resources } from './resources.ts';
import { spillHealth } from './spill.ts';

// The loop has a turn at least every ten seconds, when nothing happens; three missed turns are a fault.
const LOOP_STALE_MS = 30_000;

export function readHealth(resources: Resources): Record<string, HealthPart> {
  const { clock, engine, losses, fleet, spill } = resources;
  const { lastTurnAt, state } = engine.dispatch;
  const { trouble: storeTrouble } = state.store;
  const stale = clock.now() - lastTurnAt > LOOP_STALE_MS;
  return {
    ...(fleet === null ? {} : { fleet: fleetHealth(fleet) }),
    scheduler: { status: stale ? 'stale' : 'ok', last_turn_ts: Math.round(lastTurnAt / 1000) },
    journal: {
      ...(storeTrouble === null ? { status: 'ok' } : { status: 'down', code: storeTrouble }),
      // Those that an operator accepted: what is there is whole, and this is what is not.
      losses: losses.map(({ at, ...loss }) => ({
        at: new Date(at).toISOString(),
        ...loss,
      })),
    },
    ...(spill === null ? null : { spill: spillHealth(spill.standing) }),
    periodic: periodicHealth(resources.periodic),
  };
}

// Also what is well: when it ran last is what a person asks at night.
function periodicHealth(periodic: Periodic): HealthPart {
  const jobs = periodic.standings().map(showJob);
  return { status: jobs.every(({ state }) => state === 'ok') ? 'ok' : 'stale', jobs };
}

function showJob({ lastRunAt, tookMs, nextRunAt, overdueMs, ...standing }: JobStanding) {
  return {
    ...standing,
    lastRunAt: showTimeOrNull(lastRunAt),
    tookMs: tookMs === null ? null : Math.round(tookMs),
    nextRunAt: showTimeOrNull(nextRunAt),
    overdueMs: Math.round(overdueMs),
  };
}

// Also where they are not shown: the history of a day is made of them.
export function fillMetrics(config: Config, resources: Resources, metrics: Metrics): void {
  addPlatforms(resources, metrics);
  metrics.gauges(() => readGauges(resources, config.data));
  resources.engine.road.listen(metrics.listen);
}

// A platform's series are there from its first account on, at 0, before anything of it rises; those of the platforms
// that need no decision from the start. Of others they would only fill the store of whoever scrapes.
function addPlatforms({ accounts, platforms }: Resources, metrics: Metrics): void {
  const known = new Set<string>();
  const meet = (platform: string) => {
    if (known.has(platform)) return;
    known.add(platform);
    metrics.meet(platform);
  };
  for (const { name } of [PLATFORM_DEFAULT, PLATFORM_LOCAL]) if (platforms.has(name)) meet(name);
  for (const { id } of accounts.list()) meet(platformOf(id));
  accounts.listen(({ id }) => meet(platformOf(id)));
}

async function readGauges(resources: Resources, dataFolder: string): Promise<GaugeReading> {
  const { clock, engine } = resources;
  const { dispatch } = engine;
  // Each node tells its own.
  const road = resources.local;
  const stored = await readStored(resources);
  const diskFreeBytes = await freeBytes(dataFolder);
  const now = clock.now();
  const standing = [...dispatch.state.accounts.values()].map(({ limits }) => limits.standing(now));
  const passWaits = dispatch.state.passWaits.countActive(now);
  return {
    now,
    depths: road.depths(),
    queueBytes: dispatch.state.scheduler.queueBytes(),
    accounts: road
      .accounts()
      .filter(({ id }) => resources.fleet === null || resources.fleet.accounts.isHere(id)),
    freezesActive: standing.reduce((n, { frozen }) => n + frozen, passWaits),
    limitsFilled: [...dispatch.state.limitsFilled].flatMap(([platform, rules]) =>
      [...rules].map(([rule, calls]) => ({ platform, rule, calls })),
    ),
    limitsLowered: standing.reduce((n, { lowered }) => n + lowered, 0),
    ...stored,
    spoolBytes: resources.spool.bytes,
    diskFreeBytes,
    storeTrouble: dispatch.state.store.trouble,
    storeLosses: resources.losses.length,
    fleet: resources.fleet === null ? null : readFleet(resources.fleet),
    spill: resources.spill?.standing ?? null,
    lastTurnAt: dispatch.lastTurnAt,
    periodic: resources.periodic.standings(),
  };
}

function fleetHealth({ name, members, isMember }: Fleet): HealthPart {
  const status = isMember ? 'ok' : 'down';
  return { status, node: name, members: members.map((member) => member.name) };
}

function readFleet({ accounts, members, forwards, moves }: Fleet): FleetReading {
  return { owned: accounts.count, members: members.length, forwards, moves };
}

// A database that is away is not asked, and one that goes meanwhile fails no scrape.
async function readStored({ ledger, spill }: Resources) {
  const unknown = { dead: null, uncertain: null, storeBytes: null };
  if (spill?.standing.mode === 'away') return unknown;
  try {
    const counts = await ledger.countByState();
    const inState = (state: string) =>
      counts.reduce((n, each) => n + (each.state === state ? each.count : 0), 0);
    const [dead, uncertain] = [inState('dead'), inState('uncertain')];
    return { dead, uncertain, storeBytes: await ledger.size() };
  } catch (error) {
    if (spill === null) throw error;
    return unknown;
  }
}

async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
