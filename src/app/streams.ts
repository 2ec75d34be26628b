// Joins live output with the house: streams are kept in its journal, shown over its road, counted by its metrics, and
// forgotten with the rest.

import { answering } from '../accept/draft.ts';
import type { Config, Settings } from '../config/config.ts';
import { platformOf } from '../domain/ids.ts';
import type { IntakeOptions } from '../http/context.ts';
import type { Platform } from '../platforms/platform.ts';
import type { AskedRoad } from '../road/road.ts';
import { type LostObserver, withObservers } from '../streams/observers.ts';
import type { LiveSettings } from '../streams/policy.ts';
import { LiveStreams } from '../streams/service.ts';
import type { Live } from '../streams/streams.ts';
import { createSummary } from '../streams/summary.ts';
import type { Service } from '../system/service.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { classesOf } from './output-classes.ts';
import type { House } from './resources.ts';
import { openForgetting } from './retention.ts';

export interface LiveRoom extends Service {
  // As intake wants it.
  readonly output: { readonly live: Live; readonly idleMs: number };
  // The road as callers see it: edits that are repeated take turns with the streams.
  readonly road: AskedRoad;
}

// `updates`: asked when a stream makes a call, which is after intake was made.
export function openLive(
  config: Config,
  house: House,
  metrics: Pick<Metrics, 'countLive' | 'liveGauges'>,
  updates: () => Pick<IntakeOptions, 'updates'>,
): LiveRoom {
  const { clock, random, journal, platforms, log, engine, report } = house;
  const { road } = engine;
  const everyMs = config.cadenceLogS * 1000;
  const summary = createSummary({ clock, log, everyMs, read: () => live.readings() });
  const live: LiveStreams = new LiveStreams({
    journal,
    road,
    clock,
    random,
    platforms,
    report,
    streamsMax: config.streamsMax,
    unitsMax: config.streamUnitsMax,
    gateFor: (account, call, params) => answering(updates(), account, call, params).gate,
    settingsOf: liveSettingsBy(house),
    classesOf: (account) => classesOf(house.settingsOf(account)),
    publish(event) {
      summary.publish(event);
      metrics.countLive(event);
    },
  });
  metrics.liveGauges(() => ({ now: clock.now(), readings: live.readings() }));
  road.listen(summary.listen, 'trouble');
  const retention = openForgetting(config, house, {
    what: 'streams',
    days: config.retentionDays,
    prune: (step) => journal.streams.prune(step),
  });
  const observed = withObservers(live, { clock, onLost: lost(house) });
  return {
    road: live.edits.road,
    output: { live: observed, idleMs: config.streamIdleS * 1000 },
    async start() {
      await live.start();
      await observed.resume();
      await summary.start();
      await retention.start();
    },
    async stop(deadlineMs) {
      observed.stop();
      await live.stop(deadlineMs);
      await summary.stop(0);
      await retention.stop(0);
    },
  };
}

function lost({ log }: House): (lost: LostObserver) => void {
  return (observer) => log.warn(observer, 'an observer no longer follows its stream');
}

// Made once per account: they do not change while the process runs.
function liveSettingsBy({ platforms, settingsOf }: House) {
  const known = new Map<string, LiveSettings>();
  return (account: string): LiveSettings => {
    let settings = known.get(account);
    if (settings === undefined) {
      settings = liveSettings(platforms.get(platformOf(account)), settingsOf(account));
      known.set(account, settings);
    }
    return settings;
  };
}

function liveSettings(platform: Platform | undefined, settings: Settings): LiveSettings {
  return {
    ...settings,
    strategy: platform?.tuning?.strategy(settings) ?? null,
    activeWindowMs: settings.activeWindowS * 1000,
    chunkSpacingMs: settings.chunkSpacingS * 1000,
  };
}
