// The road, put together from its parts on ports given from outside: the gateway runs it on SQLite and real
// clocks, the simulated world on memory and a virtual one. It is the same road.

import type { Settings } from '../config/config.ts';
import {
  Dispatch,
  type DispatchAccounts,
  type DispatchOptions,
  type Profile,
} from '../dispatch/loop.ts';
import { createRoad, type RoadOptions } from '../dispatch/road.ts';
import type { ReportFault } from '../domain/fault.ts';
import { ACCOUNT_GONE, type AccountId } from '../domain/ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Priors } from '../limits/limits.ts';
import { safePriors } from '../platforms/bounded.ts';
import type { Platform } from '../platforms/platform.ts';
import type { AskedRoad } from '../road/road.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { BootTime } from '../system/boot.ts';
import type { Clock } from '../system/clock.ts';
import type { Periodic } from '../system/periodic.ts';
import type { Random } from '../system/random.ts';

export interface EngineOptions {
  readonly journal: DispatchOptions['journal'];
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly periodic: Periodic;
  // See DispatchOptions.
  readonly bootTime?: () => BootTime | null;
  readonly random: Random;
  // See DispatchOptions.
  readonly fleet?: DispatchOptions['fleet'];
  readonly settings: Settings;
  readonly accounts: EngineAccounts;
  // See DispatchOptions.
  readonly limitSettings?: DispatchOptions['limitSettings'];
  readonly report: ReportFault;
  readonly fatal: (error: unknown) => void;
  // Told of what is refused because a queue is full.
  readonly onFull?: RoadOptions['onFull'];
}

export interface AccountProfile {
  readonly platform: Platform;
  readonly priors: Priors;
  readonly host: string;
  readonly settings: Settings;
  // Nobody has configured it; false when left out.
  readonly isStranger?: boolean;
}

export interface EngineAccounts {
  // Asked when the road opens the account.
  platformOf(id: AccountId): AccountProfile;
  get(id: AccountId): { paused: boolean; refused: string | null } | null;
  list(): readonly { id: AccountId; platform: string; paused: boolean; refused: string | null }[];
  credentialOf(id: AccountId): string | null;
  setRefused(id: AccountId, reason: string | null): Promise<unknown>;
  setPaused(id: AccountId, paused: boolean): Promise<boolean>;
}

export interface Engine {
  readonly dispatch: Dispatch;
  readonly road: AskedRoad;
}

export function createEngine(options: EngineOptions): Engine {
  const { journal, ledger, clock, random, settings, accounts, report, fatal } = options;
  const { weightHigh, weightNormal, weightLow } = settings;
  const { platformQueueMax, queueBytesTotalMax } = settings;
  const bounds = { platformQueueMax, queueBytesTotalMax };
  const onFull = options.onFull ?? (() => {});
  const scheduler = new Scheduler({ weights: [0, weightHigh, weightNormal, weightLow] });
  const dispatch = new Dispatch({
    journal,
    ledger,
    clock,
    periodic: options.periodic,
    ...(options.bootTime === undefined ? null : { bootTime: options.bootTime }),
    random,
    ...(options.fleet === undefined ? null : { fleet: options.fleet }),
    scheduler,
    report,
    fatal,
    breaker: breakerOf(settings),
    accounts: dispatchAccounts(accounts, report),
    ...(options.limitSettings === undefined ? null : { limitSettings: options.limitSettings }),
  });
  return {
    dispatch,
    road: createRoad({ dispatch, ledger, clock, accounts, bounds, onFull }),
  };
}

// What is there for it waits: it cannot be sent, and must not be lost.
const GONE = Object.freeze({ paused: false, refused: ACCOUNT_GONE });

function dispatchAccounts(accounts: EngineAccounts, report: ReportFault): DispatchAccounts {
  return {
    profileOf(id) {
      const profile = makeProfile(accounts.platformOf(id));
      const failed = (error: unknown) => report('limits', error, { account: id });
      return { ...profile, priors: safePriors(profile.priors, failed) };
    },
    stateOf: (id) => accounts.get(id) ?? GONE,
    credentialOf: accounts.credentialOf.bind(accounts),
    setRefused: (id, reason) => accounts.setRefused(id, reason),
  };
}

function makeProfile(account: AccountProfile): Profile {
  const { platform, priors, host, settings, isStranger = false } = account;
  return {
    platform,
    priors,
    host,
    retry: {
      baseMs: settings.retryBaseMs,
      maxMs: settings.retryMaxMs,
      attemptsMax: settings.attemptsMax,
      deadAgeMinMs: settings.deadAgeMinS * 1000,
      uncertain: settings.uncertainPolicy,
    },
    breaker: breakerOf(settings),
    deadlineMs: settings.deadlineMs,
    queueMax: settings.queueMax,
    queueBytesMax: settings.queueBytesMax,
    isStranger,
    inFlightMax: settings.inFlightMax,
    order: settings.order,
    splits: settings.longText === 'split',
  };
}

function breakerOf(settings: Settings) {
  return {
    failuresMax: settings.breakerFailures,
    openMs: settings.breakerOpenMs,
    openMsMax: settings.breakerOpenMsMax,
  };
}
