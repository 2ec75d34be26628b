// How things stand, read at each scrape and shown whole.

import { PRIORITIES, type Priority } from '../../domain/priority.ts';
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
  readonly dead: number;
  readonly uncertain: number;
  readonly storeBytes: number;
  readonly spoolBytes: number;
  // null: the system does not tell.
  readonly diskFreeBytes: number | null;
  // Why the store does not take what it is given; null: it does.
  readonly storeTrouble: string | null;
  // Losses of the store that were accepted.
  readonly storeLosses: number;
  // When the loop that sends last had its turn.
  readonly lastTurnAt: number;
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
    ['sluice_dead', reading.dead],
    ['sluice_uncertain', reading.uncertain],
    ['sluice_journal_up', reading.storeTrouble === null ? 1 : 0],
    ['sluice_store_losses', reading.storeLosses],
    ['sluice_store_bytes', reading.storeBytes],
    ['sluice_spool_bytes', reading.spoolBytes],
  ];
  for (const [name, value] of single) board.show(name, [[{}, value]]);
  for (const { platform, rule, calls } of reading.limitsFilled) {
    board.count('sluice_limit_filled_total', { platform, rule }).value = calls;
  }
  const free = reading.diskFreeBytes;
  board.show('sluice_disk_free_bytes', free === null ? [] : [[{}, free]]);
  board.show('sluice_accounts', tally(accounts, ACCOUNT_STATES, stateOf));
  board.show(
    'sluice_breakers',
    tally(accounts, BREAKER_STATES, ({ breaker }) => breaker.state),
  );
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
