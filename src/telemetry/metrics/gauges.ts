// How things stand, read at each scrape and shown whole.

import { PRIORITIES, type Priority } from '../../domain/priority.ts';
import type { JobStanding } from '../../system/periodic.ts';
import type { Board, GaugeName } from './counters.ts';
import type { Labels } from './exposition.ts';

export interface GaugeReading {
  readonly now: number;
  readonly depths: Readonly<Record<Priority | 'retry' | 'inFlight', number>> & {
    readonly oldestDueAt: number | null;
  };
  // Of payload: in all accounts of a platform, and in the one that holds most.
  readonly queueBytes: readonly { platform: string; all: number; largest: number }[];
  readonly accounts: readonly AccountReading[];
  readonly freezesActive: number;
  readonly limitsLowered: number;
  readonly limitsFilled: readonly { platform: string; rule: string; calls: number }[];
  // null: the store cannot be asked.
  readonly dead: number | null;
  readonly uncertain: number | null;
  readonly storeBytes: number | null;
  readonly spoolBytes: number;
  // null: the system does not tell.
  readonly diskFreeBytes: number | null;
  // Why the store does not take what it is given; null: it does.
  readonly storeTrouble: string | null;
  // Losses of the store that were accepted.
  readonly storeLosses: number;
  // null: it is no node of a fleet.
  readonly fleet: FleetReading | null;
  // What this node accepts while the database is away; null: the store is its own.
  readonly spill: SpillReading | null;
  // When the loop that sends last had its turn.
  readonly lastTurnAt: number;
  readonly periodic: readonly Pick<JobStanding, 'name' | 'failures' | 'overdueMs'>[];
}

export interface FleetReading {
  // Accounts that this node owns, and nodes that it sees, itself included.
  readonly owned: number;
  readonly members: number;
  // Since the start.
  readonly forwards: Readonly<Record<'answered' | 'moved' | 'unsent' | 'lost', number>>;
  readonly moves: Readonly<Record<'taken' | 'handed_over' | 'lost', number>>;
}

export interface SpillReading {
  readonly mode: string;
  readonly deliveries: number;
  readonly bytes: number;
  readonly oldestAt: number | null;
  readonly deliveriesMax: number;
  readonly bytesMax: number;
  readonly spilledTotal: number;
  readonly handedOverTotal: number;
  readonly refusedTotal: number;
}

export interface AccountReading {
  readonly platform: string;
  readonly paused: boolean;
  readonly refused: string | null;
  readonly breaker: { readonly state: string };
}

const ACCOUNT_STATES = ['active', 'paused', 'refused'] as const;
const BREAKER_STATES = ['closed', 'half_open', 'open'] as const;

export function showGauges(board: Board, reading: GaugeReading): void {
  const { depths, now, accounts } = reading;
  board.show(
    'sluice_queue_depth',
    PRIORITIES.map((priority) => [{ priority }, depths[priority]]),
  );
  const bytes = reading.queueBytes;
  board.show(
    'sluice_queue_bytes',
    bytes.map(({ platform, all }) => [{ platform }, all]),
  );
  board.show(
    'sluice_queue_bytes_largest',
    bytes.map(({ platform, largest }) => [{ platform }, largest]),
  );
  const single: [GaugeName, number][] = [
    ['sluice_queue_retry_depth', depths.retry],
    ['sluice_in_flight', depths.inFlight],
    ['sluice_oldest_due_seconds', sinceS(depths.oldestDueAt ?? now, now)],
    ['sluice_last_turn_seconds', sinceS(reading.lastTurnAt, now)],
    ['sluice_freezes_active', reading.freezesActive],
    ['sluice_limits_lowered', reading.limitsLowered],
    ['sluice_journal_up', reading.storeTrouble === null ? 1 : 0],
    ['sluice_store_losses', reading.storeLosses],
    ['sluice_spool_bytes', reading.spoolBytes],
  ];
  for (const [name, value] of single) board.show(name, [[{}, value]]);
  const stored: [GaugeName, number | null][] = [
    ['sluice_dead', reading.dead],
    ['sluice_uncertain', reading.uncertain],
    ['sluice_store_bytes', reading.storeBytes],
    ['sluice_disk_free_bytes', reading.diskFreeBytes],
  ];
  for (const [name, value] of stored) board.show(name, value === null ? [] : [[{}, value]]);
  if (reading.spill !== null) showSpill(board, reading.spill, now);
  for (const { platform, rule, calls } of reading.limitsFilled) {
    board.count('sluice_limit_filled_total', { platform, rule }).value = calls;
  }
  if (reading.fleet !== null) showFleet(board, reading.fleet);
  showPeriodic(board, reading.periodic);
  board.show('sluice_accounts', tally(accounts, ACCOUNT_STATES, stateOf));
  board.show(
    'sluice_breakers',
    tally(accounts, BREAKER_STATES, ({ breaker }) => breaker.state),
  );
}

function showFleet(board: Board, { owned, members, forwards, moves }: FleetReading): void {
  board.show('sluice_node_accounts', [[{}, owned]]);
  board.show('sluice_node_members', [[{}, members]]);
  for (const [outcome, value] of Object.entries(forwards)) {
    board.count('sluice_node_forwards_total', { outcome }).value = value;
  }
  for (const [move, value] of Object.entries(moves)) {
    board.count('sluice_node_account_moves_total', { move }).value = value;
  }
}

function showPeriodic(board: Board, jobs: GaugeReading['periodic']): void {
  for (const { name, failures } of jobs) {
    board.count('sluice_periodic_failures_total', { work: name }).value = failures;
  }
  board.show(
    'sluice_periodic_overdue_seconds',
    jobs.map(({ name, overdueMs }) => [{ work: name }, overdueMs / 1000]),
  );
}

function showSpill(board: Board, spill: SpillReading, now: number): void {
  const { deliveries, deliveriesMax, bytes, bytesMax } = spill;
  const gauges: [GaugeName, number][] = [
    ['sluice_spill_away', spill.mode === 'direct' ? 0 : 1],
    ['sluice_spill_deliveries', deliveries],
    ['sluice_spill_bytes', bytes],
    ['sluice_spill_filled_ratio', Math.max(deliveries / deliveriesMax, bytes / bytesMax)],
    ['sluice_spill_oldest_seconds', sinceS(spill.oldestAt ?? now, now)],
  ];
  for (const [name, value] of gauges) board.show(name, [[{}, value]]);
  board.count('sluice_spill_accepted_total', {}).value = spill.spilledTotal;
  board.count('sluice_spill_handed_over_total', {}).value = spill.handedOverTotal;
  board.count('sluice_spill_refused_total', {}).value = spill.refusedTotal;
}

// Every state of every platform that has something (and of those named), also states that nothing is in: a series that
// ends when it falls to 0 looks like a gateway that fell silent.
export function tally<T extends { readonly platform: string }>(
  items: readonly T[],
  states: readonly string[],
  stateOf: (item: T) => string,
  platforms: readonly string[] = [],
): Iterable<[Labels, number]> {
  const counts = new Map<string, [Labels, number]>();
  const add = (platform: string, state: string, n: number) => {
    const key = `${platform} ${state}`;
    counts.set(key, [{ platform, state }, (counts.get(key)?.[1] ?? 0) + n]);
  };
  for (const platform of new Set([...platforms, ...items.map((item) => item.platform)])) {
    for (const state of states) add(platform, state, 0);
  }
  for (const item of items) add(item.platform, stateOf(item), 1);
  return counts.values();
}

function stateOf(account: AccountReading): string {
  if (account.refused !== null) return 'refused';
  return account.paused ? 'paused' : 'active';
}

function sinceS(at: number, now: number): number {
  return Math.max(0, now - at) / 1000;
}
