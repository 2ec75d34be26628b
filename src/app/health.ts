// How the house stands: its metrics, read at each scrape, and its health, when it is asked for.

import { statfs } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { platformOf } from '../domain/ids.ts';
import type { HealthPart } from '../http/context.ts';
import { PLATFORM_DEFAULT, PLATFORM_LOCAL } from '../platforms/registry.ts';
import type { GaugeReading, Metrics } from '../telemetry/metrics/metrics.ts';
import type { House } from './resources.ts';

// The loop has a turn at least every ten seconds, when nothing happens; three missed turns are a fault.
const LOOP_STALE_MS = 30_000;

export function readHealth({ clock, engine, losses }: House): Record<string, HealthPart> {
  const { lastTurnAt, state } = engine.dispatch;
  const { trouble: storeTrouble } = state.store;
  const stale = clock.now() - lastTurnAt > LOOP_STALE_MS;
  return {
    scheduler: { status: stale ? 'stale' : 'ok', last_turn_ts: Math.round(lastTurnAt / 1000) },
    journal: {
      ...(storeTrouble === null ? { status: 'ok' } : { status: 'down', code: storeTrouble }),
      // Those that an operator accepted: what is there is whole, and this is what is not.
      losses: losses.map(({ at, ...loss }) => ({
        at: new Date(at).toISOString(),
        ...loss,
      })),
    },
  };
}

// Switched off they count nothing that happens on the road.
export function fillMetrics(config: Config, house: House, metrics: Metrics): void {
  meetPlatforms(house, metrics);
  metrics.gauges(() => readGauges(house, config.data));
  if (config.metrics) house.engine.road.listen(metrics.listen);
}

// A platform's series are there from its first account on, at 0, before anything of it rises; those of the platforms
// that need no decision from the start. Of others they would only fill the store of whoever scrapes.
function meetPlatforms({ accounts, platforms }: House, metrics: Metrics): void {
  const met = new Set<string>();
  const meet = (platform: string) => {
    if (met.has(platform)) return;
    met.add(platform);
    metrics.meet(platform);
  };
  for (const { name } of [PLATFORM_DEFAULT, PLATFORM_LOCAL]) if (platforms.has(name)) meet(name);
  for (const { id } of accounts.list()) meet(platformOf(id));
  accounts.listen(({ id }) => meet(platformOf(id)));
}

async function readGauges(house: House, dataFolder: string): Promise<GaugeReading> {
  const { clock, engine, ledger } = house;
  const { dispatch, road } = engine;
  const counts = await ledger.countByState();
  const inState = (state: string) =>
    counts.reduce((n, each) => n + (each.state === state ? each.count : 0), 0);
  const storeBytes = await ledger.size();
  const diskFreeBytes = await freeBytes(dataFolder);
  const now = clock.now();
  const standing = [...dispatch.state.accounts.values()].map(({ limits }) => limits.standing(now));
  return {
    now,
    depths: road.depths(),
    queueBytes: dispatch.state.scheduler.queueBytes(),
    accounts: road.accounts(),
    freezesActive: standing.reduce((n, { frozen }) => n + frozen, 0),
    limitsFilled: [...dispatch.state.limitsFilled].flatMap(([platform, rules]) =>
      [...rules].map(([rule, calls]) => ({ platform, rule, calls })),
    ),
    limitsLowered: standing.reduce((n, { lowered }) => n + lowered, 0),
    dead: inState('dead'),
    uncertain: inState('uncertain'),
    storeBytes,
    spoolBytes: house.spool.bytes,
    diskFreeBytes,
    storeTrouble: dispatch.state.store.trouble,
    storeLosses: house.losses.length,
    lastTurnAt: dispatch.lastTurnAt,
  };
}

async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
