// The road in numbers: a fold over its events. A platform's numbers are all made when it is first met, so that an event
// looks up its platform and nothing else, and so that a counter is seen at 0 before it rises: a rise from nowhere is
// no rise to Prometheus.

import { STATES, type State } from '../../domain/delivery.ts';
import { COSMETIC_ENDS, type CosmeticEnd, type RoadEvent } from '../../domain/event.ts';
import { platformOf } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { PRIORITIES, type Priority } from '../../domain/priority.ts';
import { unreachable } from '../../system/assert.ts';
import type { Board } from './board.ts';
import type { Count, Spread } from './tally.ts';

const OUTCOMES = ['sent', 'limited', 'refused', 'failed', 'uncertain'] as const satisfies readonly [
  Outcome['kind'],
  ...Outcome['kind'][],
];
// Nothing moves to `sending` in an event: that is told by its attempt.
const MOVED_TO = STATES.filter((state) => state !== 'sending');

const ACCOUNTS_KEPT_MAX = 10_000;

interface Sheet {
  readonly platform: string;
  readonly accepted: Readonly<Record<Priority, Count>>;
  readonly attempts: Readonly<Record<Outcome['kind'], Count>>;
  readonly tookS: Readonly<Record<Outcome['kind'], Spread>>;
  readonly waitedS: Readonly<Record<Priority, Spread>>;
  readonly agedS: Readonly<Record<Priority, Spread>>;
  readonly moves: Readonly<Partial<Record<State, Count>>>;
  readonly cosmetic: Readonly<Record<CosmeticEnd, Count>>;
  readonly limited: Count;
  readonly retryAfterS: Count;
  readonly freezes: Count;
  readonly breakerOpened: Count;
}

export class RoadMetrics {
  readonly #board: Board;
  readonly #sheets = new Map<string, Sheet>();
  // The same sheets again: finding one by its account costs less than reading the platform out of it.
  readonly #ofAccount = new Map<string, Sheet>();
  readonly #drops: Count;

  constructor(board: Board) {
    this.#board = board;
    this.#drops = board.count('sluice_rate_limited_drops_total');
  }

  // Shows its numbers before anything happened.
  meet(platform: string): Sheet {
    const sheet = makeSheet(this.#board, platform);
    this.#sheets.set(platform, sheet);
    return sheet;
  }

  readonly listen = (event: RoadEvent): void => {
    const account = 'about' in event ? event.about.account : event.account;
    const sheet = this.#ofAccount.get(account) ?? this.#sheetOf(account);
    switch (event.kind) {
      case 'accepted':
        sheet.accepted[event.about.priority].value += 1;
        return;
      case 'attempted':
        this.#attempted(sheet, event);
        return;
      case 'moved':
        this.#moved(sheet, event);
        return;
      case 'cosmetic':
        sheet.cosmetic[event.end].value += 1;
        return;
      case 'frozen':
        sheet.freezes.value += 1;
        return;
      case 'breaker':
        if (event.state === 'open') sheet.breakerOpened.value += 1;
        return;
      default:
        unreachable(event);
    }
  };

  #sheetOf(account: string): Sheet {
    const platform = platformOf(account);
    const sheet = this.#sheets.get(platform) ?? this.meet(platform);
    if (this.#ofAccount.size >= ACCOUNTS_KEPT_MAX) this.#ofAccount.clear();
    this.#ofAccount.set(account, sheet);
    return sheet;
  }

  #attempted(sheet: Sheet, event: Extract<RoadEvent, { kind: 'attempted' }>): void {
    const { outcome } = event;
    sheet.attempts[outcome].value += 1;
    sheet.tookS[outcome].add(event.tookMs / 1000);
    sheet.waitedS[event.about.priority].add(event.waitedMs / 1000);
    if (outcome === 'sent') return;
    if (outcome === 'limited') {
      sheet.limited.value += 1;
      sheet.retryAfterS.value += (event.retryAfterMs ?? 0) / 1000;
      return;
    }
    const labels = { platform: sheet.platform, outcome, reason: event.reason ?? 'unknown' };
    this.#board.count('sluice_troubles_total', labels).value += 1;
  }

  #moved(sheet: Sheet, event: Extract<RoadEvent, { kind: 'moved' }>): void {
    const { to } = event;
    const moves = sheet.moves[to];
    if (moves !== undefined) moves.value += 1;
    if (to === 'sent') sheet.agedS[event.about.priority].add(event.ageMs / 1000);
    if (to !== 'dead') return;
    const reason = event.reason ?? 'unknown';
    const labels = { platform: sheet.platform, reason };
    this.#board.count('sluice_dead_letters_total', labels).value += 1;
    if (reason === 'limited') this.#drops.value += 1;
  }
}

// Account ids are `<platform>:<id>`.
function makeSheet(board: Board, platform: string): Sheet {
  return {
    platform,
    accepted: by(PRIORITIES, (priority) =>
      board.count('sluice_accepted_total', { platform, priority }),
    ),
    attempts: by(OUTCOMES, (outcome) =>
      board.count('sluice_attempts_total', { platform, outcome }),
    ),
    tookS: by(OUTCOMES, (outcome) => board.spread('sluice_attempt_seconds', { platform, outcome })),
    waitedS: by(PRIORITIES, (priority) =>
      board.spread('sluice_wait_seconds', { platform, priority }),
    ),
    agedS: by(PRIORITIES, (priority) =>
      board.spread('sluice_delivery_seconds', { platform, priority }),
    ),
    moves: by(MOVED_TO, (to) => board.count('sluice_moves_total', { platform, to })),
    cosmetic: by(COSMETIC_ENDS, (end) => board.count('sluice_cosmetic_total', { platform, end })),
    limited: board.count('sluice_limited_total', { platform }),
    retryAfterS: board.count('sluice_retry_after_seconds_total', { platform }),
    freezes: board.count('sluice_freezes_total', { platform }),
    breakerOpened: board.count('sluice_breaker_opened_total', { platform }),
  };
}

export function by<K extends string, T>(keys: readonly K[], make: (key: K) => T): Record<K, T> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, T>;
}
