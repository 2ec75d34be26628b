// A new process takes over from the journal: first the limits (so that it never starts with a fresh budget),
// then what waits, then what was in flight when the old one ended: those are in doubt, and settled as such.
// Nothing is sent before all of it is done, so order within a lane holds across the restart.
// Nothing on disk can keep a process from starting: a delivery that cannot be taken up is dead (`internal`), a record
// of the limits that cannot be read is left out.

import type { Queued } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import { type AccountLimits, type PastCall, shiftRecord } from '../limits/limits.ts';
import { type LimitStore, NO_ACCOUNT, type StoredLimit } from '../store/ports/limits.ts';
import type { MaintenanceStore } from '../store/ports/maintenance.ts';
import type { OwnershipStore } from '../store/ports/ownership.ts';
import type { Recovered, RecoveryStore, StoredCall } from '../store/ports/recovery.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { BootTime } from '../system/boot.ts';
import type { Clock } from '../system/clock.ts';
import type { Profile } from './account/profile.ts';
import { type BeginPorts, begin } from './attempt/run.ts';
import { type ClockRecord, isClockRecord, readClock, writeClock } from './clock-record.ts';
import { NO_STEP, nextRecord, shiftCall, shiftOf, stepSince } from './clock-steps.ts';
import {
  type AttemptPorts,
  conclude,
  damagedOutcome,
  internalFailure,
  quarantine,
} from './settle.ts';
import type { AccountOwners, RoadState } from './state.ts';

// Longer than any window of any platform's priors that does not say otherwise; an operator's rule may be longer still.
const CALLS_LOOK_BACK_MS = 10 * 60_000;
// Clocks of two nodes are never quite the same: what another node wrote down counts as so much later, so that no window
// opens and no freeze ends before its time.
const CLOCKS_APART_MS_MAX = 100;

// The ports of the store that a start reads and writes.
export type StartStore = BeginPorts['journal'] &
  RecoveryStore &
  LimitStore &
  OwnershipStore &
  Pick<MaintenanceStore, 'lastCallAt' | 'shiftTimes'>;

export interface RecoveryPorts extends BeginPorts {
  readonly journal: StartStore;
  readonly owners: AccountOwners;
  readonly clock: Clock;
  // null: the system does not say. Left out: the clock cannot be set.
  readonly bootTime?: () => BootTime | null;
}

// Answers how the clock stands to the one before; null: it cannot be set.
export async function recover(road: RoadState, ports: RecoveryPorts): Promise<ClockRecord | null> {
  const { journal, clock } = ports;
  const now = clock.now();
  const accounts = await journal.knownAccounts();
  const owners = await Promise.all(accounts.map((account) => ports.owners.open(account)));
  const record = await followClock(road, ports, accounts, now);
  await restoreLimits(road, ports, accounts, record, now);
  const doubtful: (Recovered & { kind: 'sending' })[] = [];
  const broken: { queued: Queued; error: unknown }[] = [];
  for await (const page of journal.recover(owners)) {
    for (const item of page) {
      if (item.kind === 'sending') doubtful.push(item);
      else if (item.kind === 'queued') {
        try {
          road.add(item.queued, now);
        } catch (error) {
          broken.push({ queued: item.queued, error });
        }
      }
    }
  }
  const starting = { ...ports, isStarting: true };
  for (const { queued, error } of broken) await isolate(road, starting, queued, error);
  await Promise.all(doubtful.map((item) => settleDoubt(road, starting, item, now)));
  return record;
}

// One account, taken up while the others are at work: what was in flight is settled before anything of it is queued, so
// that the first of a lane stays its first. False: another took it meanwhile.
export async function recoverOne(
  road: RoadState,
  ports: RecoveryPorts,
  account: AccountId,
): Promise<boolean> {
  const now = ports.clock.now();
  const owner = await ports.owners.take(account);
  await restoreLimits(road, ports, [account], null, now, CLOCKS_APART_MS_MAX);
  const waiting: Queued[] = [];
  const doubtful: (Recovered & { kind: 'sending' })[] = [];
  for await (const page of ports.journal.recover([owner])) {
    for (const item of page) {
      if (item.kind === 'not_owner') return false;
      if (item.kind === 'sending') doubtful.push(item);
      else waiting.push(item.queued);
    }
  }
  const starting = { ...ports, isStarting: true };
  await Promise.all(doubtful.map((item) => settleDoubt(road, starting, item, now)));
  for (const queued of waiting) {
    try {
      road.add(queued, now);
    } catch (error) {
      await isolate(road, starting, queued, error);
    }
  }
  road.openAccount(account);
  road.wake();
  return true;
}

// Only a delivery that is being sent can be settled dead, so it is begun first; no call is made.
async function isolate(
  road: RoadState,
  ports: BeginPorts,
  queued: Queued,
  error: unknown,
): Promise<void> {
  ports.report('recovery', error, { seq: queued.seq, account: queued.account });
  const begun = await begin(ports, queued, ports.clock.now());
  if (begun instanceof JournalUnavailable) throw begun;
  if (begun.kind === 'gone' || begun.kind === 'not_owner') return;
  const outcome =
    begun.kind === 'damaged' ? damagedOutcome(ports, queued) : internalFailure(error, false);
  road.follow(queued, await quarantine(ports, { ...begun, queued }, outcome));
}

async function restoreLimits(
  road: RoadState,
  ports: RecoveryPorts,
  accounts: readonly AccountId[],
  record: ClockRecord | null,
  now: number,
  apartMs = 0,
): Promise<void> {
  const { journal, report } = ports;
  const written = await journal.limits(accounts);
  const kept = apartMs === 0 ? written : written.map((each) => shiftRecord(each, apartMs, now));
  const shift = record?.calls ?? null;
  // Before any of them is opened.
  road.byHand.restore(accounts, kept);
  // As they were learned: of too many the oldest are forgotten.
  const byAge = kept.toSorted((one, other) => one.updatedAt - other.updatedAt);
  for (const each of byAge) {
    road.aliases.restore(each);
    road.passWaits.restore(each, now);
  }
  const forgotten = road.aliases.forgotten(now);
  if (forgotten.length > 0) await road.writeLimits(forgotten);
  const records = Map.groupBy(kept, (record: StoredLimit) => record.account);
  const stored: StoredCall[] = [];
  for (const [lookBackMs, some] of Map.groupBy(accounts, (id) => lookBackOf(road, report, id))) {
    const isShifted = shift !== null && now - shift.before < lookBackMs;
    const since = now - lookBackMs - (isShifted ? shift.byMs : 0);
    for (const call of await journal.callsSince(some, since)) stored.push(call);
  }
  const told = stored.map((call) => later(shiftCall(call, shift), apartMs, now));
  const calls = Map.groupBy(told, (call) => call.account);
  for (const account of new Set([...records.keys(), ...calls.keys()])) {
    try {
      const { limits } = road.openAccount(account);
      for (const { from, to } of road.aliases.of(account)) limits.unite(from, to, now);
      const past = pastCalls(road, limits, calls.get(account) ?? []);
      limits.restore(records.get(account) ?? [], past, now);
      road.freezes.forget(account);
    } catch (error) {
      report('recovery', error, { account });
    }
  }
}

// Not later than now.
function later(call: StoredCall, byMs: number, now: number): StoredCall {
  if (byMs === 0) return call;
  const moved = (at: number) => Math.max(at, Math.min(at + byMs, now));
  const { startedAt, endedAt } = call;
  return {
    ...call,
    startedAt: moved(startedAt),
    endedAt: endedAt === null ? null : moved(endedAt),
  };
}

// Some platforms have limits that reach further back than all others.
function lookBackOf(road: RoadState, report: BeginPorts['report'], account: AccountId): number {
  try {
    const { longestMs = 0 } = road.profileOf(account).priors;
    return Math.max(CALLS_LOOK_BACK_MS, longestMs);
  } catch (error) {
    report('recovery', error, { account });
    return CALLS_LOOK_BACK_MS;
  }
}

// Moves all times on disk to the clock of this process, and writes how that clock stands to the time since boot, in one
// transaction: a crash in between leaves neither.
async function followClock(
  road: RoadState,
  ports: RecoveryPorts,
  accounts: readonly AccountId[],
  now: number,
): Promise<ClockRecord | null> {
  const { journal, bootTime } = ports;
  if (bootTime === undefined) return null;
  const since = bootTime();
  const stored = await journal.limits([NO_ACCOUNT, ...accounts]);
  const before = readClock(stored);
  const writtenAt = stored.reduce(
    (last, { updatedAt }) => Math.max(last, updatedAt),
    await journal.lastCallAt(),
  );
  const step = before === null ? NO_STEP : stepSince(before, since, writtenAt, now);
  const record = nextRecord(before, step, since, now);
  const moved = stored
    .filter((each) => !isClockRecord(each))
    .map((each) => ({ each, shifted: shiftRecord(each, step.byMs, now) }))
    .filter(({ each, shifted }) => shifted !== each)
    .map(({ shifted }) => shifted);
  const limits = [...moved, writeClock(record, now)];
  if (step.byMs === 0) await road.writeLimits(limits);
  else await journal.shiftTimes({ ...shiftOf(step, now, CALLS_LOOK_BACK_MS), limits });
  return record;
}

// Only a limited call is known to have taken no capacity; whatever else was tried may have been judged. The send of a
// message that had a preview was live output; of the others their edits will tell.
function pastCalls(
  road: RoadState,
  limits: AccountLimits,
  calls: readonly StoredCall[],
): PastCall[] {
  const edits = calls.filter(({ live, family, messageId }) => {
    return live && family === 'edit' && messageId !== null;
  });
  const grown = new Set(edits.map(messageOf));
  return calls.map((call) => {
    const { account, chat, messageId: message, family, endedAt, startedAt, outcome } = call;
    const live = call.live || (family === 'send' && grown.has(messageOf(call)));
    if (outcome === 'sent') {
      const sent = { ...call, live, chat: road.aliases.canonical(account, chat), message };
      road.plainSends.learn(limits, sent, endedAt ?? startedAt);
    }
    return { ...call, live, counted: outcome !== 'limited' };
  });
}

function messageOf({ chat, messageId }: StoredCall): string {
  return `${chat} ${messageId}`;
}

async function settleDoubt(
  road: RoadState,
  ports: AttemptPorts,
  item: Recovered & { kind: 'sending' },
  now: number,
): Promise<void> {
  const { queued, n, past } = item;
  let limits: AccountLimits;
  let profile: Profile;
  try {
    limits = road.openAccount(queued.account).limits;
    profile = road.profileOf(queued.account);
  } catch (error) {
    ports.report('recovery', error, { seq: queued.seq, account: queued.account });
    road.follow(queued, await quarantine(ports, item, internalFailure(error, true)));
    return;
  }
  const detail = 'the process ended while the call was in flight';
  const outcome = { kind: 'uncertain', reason: 'process_ended', detail } as const;
  const tried = {
    queued,
    n,
    past,
    body: null,
    outcome,
    startedAt: now,
    probing: false,
    change: null,
  };
  const report = await conclude(ports, profile, limits, null, tried);
  // No breaker learns from it: that we ended says nothing about the platform.
  road.follow(queued, report);
}
