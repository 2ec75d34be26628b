// Live output in numbers: a fold over what it tells, and how it stands now.

import type { LiveEvent, LiveReading } from '../../domain/live.ts';
import { unreachable } from '../../system/assert.ts';
import type { Board, Count, GaugeName, Spread } from './counters.ts';

interface Sheet {
  readonly shown: Count;
  readonly superseded: Count;
  readonly finals: Count;
  readonly watchdogFinals: Count;
  readonly staleS: Spread;
}

export class LiveMetrics {
  readonly #board: Board;
  readonly #sheets = new Map<string, Sheet>();

  constructor(board: Board) {
    this.#board = board;
  }

  // Shows its numbers before anything happened.
  meet(platform: string): Sheet {
    const board = this.#board;
    const sheet = {
      shown: board.count('sluice_live_shown_total', { platform }),
      superseded: board.count('sluice_live_superseded_total', { platform }),
      finals: board.count('sluice_live_finals_total', { platform }),
      watchdogFinals: board.count('sluice_live_watchdog_finals_total', { platform }),
      staleS: board.spread('sluice_live_staleness_seconds', { platform }),
    };
    this.#sheets.set(platform, sheet);
    return sheet;
  }

  listen(event: LiveEvent): void {
    const sheet = this.#sheets.get(event.platform) ?? this.meet(event.platform);
    switch (event.kind) {
      case 'shown':
        sheet.shown.value += 1;
        sheet.staleS.add(event.staleMs / 1000);
        return;
      case 'superseded':
        sheet.superseded.value += 1;
        return;
      case 'final':
        sheet.finals.value += 1;
        if (event.reason === 'producer_silent') sheet.watchdogFinals.value += 1;
        return;
      default:
        unreachable(event);
    }
  }
}

export function showLive(board: Board, readings: readonly LiveReading[], now: number): void {
  const show = (name: GaugeName, value: (reading: LiveReading) => number) =>
    board.show(
      name,
      readings.map((reading) => [{ platform: reading.platform }, value(reading)]),
    );
  show('sluice_live_streams', ({ streams }) => streams);
  show('sluice_live_active_sessions', ({ activeSessions }) => activeSessions);
  show('sluice_live_finals_waiting', ({ finalsWaiting }) => finalsWaiting);
  show('sluice_live_tick_seconds', ({ tickMsMax }) => tickMsMax / 1000);
  show('sluice_live_oldest_wait_seconds', ({ waits }) =>
    waits.length === 0 ? 0 : Math.max(0, now - waits[0]!.since) / 1000,
  );
}
