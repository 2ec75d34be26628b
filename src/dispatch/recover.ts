// A new process takes over from the journal: first the limits (so that it never starts with a fresh budget),
// then what waits, then what was in flight when the old one ended: those are in doubt, and settled as such.
// Nothing is sent before all of it is done, so order within a lane holds across the restart.

import type { Queued } from '../domain/delivery.ts';
import type { Journal, Recovered, StoredCall, StoredLimit } from '../journal/journal.ts';
import type { AccountLimits, PastCall } from '../limits/limits.ts';
import type { Clock } from '../system/clock.ts';
import type { Aliases } from './aliases.ts';
import { type AttemptPorts, type AttemptReport, conclude, type Profile } from './attempt.ts';

// Longer than any window of any platform's priors.
const CALLS_LOOK_BACK_MS = 10 * 60_000;

export interface RecoveryTarget {
  readonly aliases: Aliases;
  limitsOf(account: string): AccountLimits;
  profileOf(account: string): Profile;
  add(queued: Queued, now: number): void;
  follow(queued: Queued, report: AttemptReport): void;
}

export async function recover(
  target: RecoveryTarget,
  ports: AttemptPorts & { journal: Journal; clock: Clock },
): Promise<void> {
  const { journal, clock } = ports;
  const now = clock.now();
  await restoreLimits(target, journal, now);
  const doubtful: (Recovered & { kind: 'sending' })[] = [];
  for await (const item of journal.recover()) {
    if (item.kind === 'queued') target.add(item.queued, now);
    else doubtful.push(item);
  }
  const starting = { ...ports, isStarting: true };
  await Promise.all(doubtful.map((item) => settleDoubt(target, starting, item, now)));
}

async function restoreLimits(target: RecoveryTarget, journal: Journal, now: number): Promise<void> {
  const kept = await journal.limits();
  for (const record of kept) target.aliases.restore(record);
  const records = Map.groupBy(kept, (record: StoredLimit) => record.account);
  const stored = await journal.callsSince(now - CALLS_LOOK_BACK_MS);
  const calls = Map.groupBy(stored.map(pastCall), (call) => call.account);
  for (const account of new Set([...records.keys(), ...calls.keys()])) {
    const limits = target.limitsOf(account);
    for (const { from, to } of target.aliases.of(account)) limits.unite(from, to, now);
    limits.restore(records.get(account) ?? [], calls.get(account) ?? [], now);
  }
}

// Only a limited call is known to have taken no room; whatever else was tried may have been judged.
function pastCall(call: StoredCall): PastCall {
  return { ...call, counted: call.outcome !== 'limited' };
}

async function settleDoubt(
  target: RecoveryTarget,
  ports: AttemptPorts,
  item: Recovered & { kind: 'sending' },
  now: number,
): Promise<void> {
  const { queued, n, record } = item;
  const limits = target.limitsOf(queued.account);
  const detail = 'the process ended while the call was in flight';
  const outcome = { kind: 'uncertain', reason: 'process_ended', detail } as const;
  const tried = {
    queued,
    n,
    record,
    body: null,
    outcome,
    startedAt: now,
    probing: false,
    change: null,
  };
  const report = await conclude(ports, target.profileOf(queued.account), limits, null, tried);
  // No breaker learns from it: that we ended says nothing about the platform.
  target.follow(queued, report);
}
