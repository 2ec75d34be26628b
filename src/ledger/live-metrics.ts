// Live output in numbers: a fold over what it tells, and how it stands now.

import type { LiveEvent, LiveReading } from '../domain/live.ts';
import { unreachable } from '../system/assert.ts';
import type { Board } from './board.ts';

export function countLive(board: Board, event: LiveEvent): void {
  const { platform } = event;
  switch (event.kind) {
    case 'shown':
      board.add('sluice_live_shown_total', 1, { platform });
      board.observeMs('sluice_live_staleness_seconds', event.staleMs, { platform });
      return;
    case 'superseded':
      board.add('sluice_live_superseded_total', 1, { platform });
      return;
    case 'final':
      board.add('sluice_live_finals_total', 1, { platform });
      if (event.reason !== null) board.add('sluice_live_watchdog_finals_total', 1, { platform });
      return;
    default:
      unreachable(event);
  }
}

export function showLive(board: Board, readings: readonly LiveReading[]): void {
  const by = (value: (reading: LiveReading) => number) =>
    readings.map((reading) => [{ platform: reading.platform }, value(reading)] as const);
  board.show(
    'sluice_live_streams',
    by(({ streams }) => streams),
  );
  board.show(
    'sluice_live_active_sessions',
    by(({ activeSessions }) => activeSessions),
  );
  board.show(
    'sluice_live_finals_waiting',
    by(({ finalsWaiting }) => finalsWaiting),
  );
  board.show(
    'sluice_live_tick_seconds',
    by(({ tickMsMax }) => tickMsMax / 1000),
  );
}
