// Joins live output with the rest: streams are kept in its journal, shown over its road, counted by its metrics, and
// forgotten with the rest.

import { answering } from '../accept/draft.ts';
import type { AccountPart } from '../cluster/accounts.ts';
import type { Config, Settings } from '../config/config.ts';
import { writingAs } from '../dispatch/hand-over.ts';
import { FLEET_PATHS } from '../domain/fleet.ts';
import { type AccountId, platformOf } from '../domain/ids.ts';
import type { HttpParts } from '../http/context.ts';
import type { Platform } from '../platforms/platform.ts';
import type { AskedRoad } from '../road/road.ts';
import type { NotOwner, Owner } from '../store/ports/ownership.ts';
import { TakenOver } from '../store/ports/unavailable.ts';
import { FEEDS, type Feeds } from '../streams/feed/feed.ts';
import { type LostObserver, type ObserverPorts, withObservers } from '../streams/observers.ts';
import type { LiveSettings } from '../streams/policy.ts';
import { LiveStreams } from '../streams/service.ts';
import type { Live, NewStream, OpenedStream } from '../streams/streams.ts';
import { createSummary } from '../streams/summary.ts';
import { coalesced } from '../system/coalesced.ts';
import type { Service } from '../system/service.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { Resources } from './resources.ts';
import { openRetention } from './retention.ts';

export interface StreamsPart extends Service, AccountPart {
  // As the HTTP side takes it.
  readonly output: { readonly live: Live; readonly feeds: Feeds; readonly idleMs: number };
  // The road as callers see it: edits that are repeated take turns with the streams.
  readonly road: AskedRoad;
}

// `updates`: asked when a stream makes a call, which is after the HTTP side was made.
export function openLive(
  config: Config,
  resources: Resources,
  metrics: Pick<Metrics, 'countLive' | 'liveGauges'>,
  updates: () => Pick<HttpParts, 'updates'>,
): StreamsPart {
  const { clock, periodic, random, journal, platforms, log, engine, report } = resources;
  const { road } = engine;
  const everyMs = config.cadenceLogS * 1000;
  const summary = createSummary({ periodic, log, everyMs, read: () => live.readings() });
  const live: LiveStreams = new LiveStreams({
    journal,
    road,
    clock,
    periodic,
    random,
    platforms,
    report,
    streamsMax: config.streamsMax,
    unitsMax: config.streamUnitsMax,
    budgetFor: (account, call, params) => answering(updates(), account, call, params).budget,
    settingsOf: liveSettingsBy(resources),
    owners: writingAs(engine.dispatch.state, clock),
    ...ownsOf(resources),
    ...(resources.classesOf === null ? null : { classesOf: resources.classesOf }),
    publish(event) {
      summary.publish(event);
      metrics.countLive(event);
    },
  });
  metrics.liveGauges(() => ({ now: clock.now(), readings: live.readings() }));
  road.listen(summary.listen, 'trouble');
  const retention = openRetention(config, resources, {
    name: 'forget_streams',
    days: config.retentionDays,
    prune: (step) => journal.streams.prune(step),
  });
  const openAtOwner = openingOf(resources, live.openFor.bind(live));
  const observed = withObservers(live, { clock, onLost: lost(resources), ...openAtOwner });
  const takeUp = coalesced(async () => {
    await live.takeUp();
    observed.resume();
  });
  return {
    road: live.edits.road,
    take: takeUp,
    leave(account) {
      observed.leave(account);
      return live.leave(account);
    },
    output: { live: observed, feeds: FEEDS, idleMs: config.streamIdleS * 1000 },
    async start() {
      await live.start();
      observed.resume();
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

// Of a fleet, only what is this node's.
export function ownsOf({ fleet }: Resources): { owns?: (account: AccountId) => boolean } {
  return fleet === null ? {} : { owns: (account) => fleet.accounts.isHere(account) };
}

// Of a fleet: where nobody has the account just now, for whoever takes it over.
function openingOf(
  { fleet }: Resources,
  openFor: (owner: Owner, stream: NewStream) => Promise<OpenedStream | NotOwner>,
): Pick<ObserverPorts, 'openAtOwner'> {
  if (fleet === null) return {};
  return {
    async openAtOwner(stream, here) {
      const opened = await fleet.atOwner(stream.account, {
        here,
        path: FLEET_PATHS.stream,
        question: { stream },
        // Its key names it.
        isRepeatable: true,
        without: (owner) => openFor(owner, stream),
      });
      if (opened.kind === 'not_owner') throw new TakenOver();
      return opened;
    },
  };
}

function lost({ log }: Resources): (lost: LostObserver) => void {
  return (observer) =>
    log.warn(
      { platform: platformOf(observer.account), ...observer },
      'an observer no longer follows its stream',
    );
}

// Made once per platform and settings, which most accounts share: others when an operator sets a limit by hand.
export function liveSettingsBy({
  platforms,
  settingsOf,
}: Pick<Resources, 'platforms' | 'settingsOf'>): (account: AccountId) => LiveSettings {
  const known = new WeakMap<Settings, Map<string, LiveSettings>>();
  return (account) => {
    const [of, platform] = [settingsOf(account), platformOf(account)];
    const made = known.get(of) ?? new Map<string, LiveSettings>();
    known.set(of, made);
    const live = made.get(platform) ?? liveSettings(platforms.get(platform), of);
    made.set(platform, live);
    return live;
  };
}

function liveSettings(platform: Platform | undefined, settings: Settings): LiveSettings {
  return {
    ...settings,
    strategy: platform?.tuning?.strategy(settings) ?? null,
    rates: platform?.live?.rates(settings) ?? null,
    activeWindowMs: settings.activeWindowS * 1000,
    chunkSpacingMs: settings.chunkSpacingS * 1000,
  };
}
