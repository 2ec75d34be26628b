// Texts that grow, and one message to many.

import type { Dashboard, Panel } from './dashboard.ts';
import { of, quantiles, rate, sum } from './query.ts';

const LIVE: readonly Panel[] = [
  {
    title: 'Streams and sessions',
    tells: 'Open streams, and sessions that have something to show or spoke lately.',
    unit: 'short',
    queries: [
      { expr: sum('sluice_live_streams', 'platform'), legend: '{{platform}} streams' },
      { expr: sum('sluice_live_active_sessions', 'platform'), legend: '{{platform}} active' },
    ],
  },
  {
    title: 'How old is the text people see',
    tells: 'From the first word that was not shown to the showing that shows it.',
    unit: 's',
    queries: quantiles('sluice_live_staleness_seconds'),
  },
  {
    title: 'Time between two showings',
    tells:
      'The cadence, in the chat where it is longest: budget of the chat over its active sessions.',
    unit: 's',
    queries: [{ expr: of('sluice_live_tick_seconds'), legend: '{{platform}}' }],
  },
  {
    title: 'Longest wait of a session',
    tells: 'It has something to show and no turn.',
    unit: 's',
    queries: [{ expr: of('sluice_live_oldest_wait_seconds'), legend: '{{platform}}' }],
  },
  {
    title: 'Shown and superseded',
    tells:
      'Texts that a newer one replaced cost no call: that is what keeps live output in its budget.',
    unit: 'ops',
    queries: [
      { expr: rate('sluice_live_shown_total', 'platform'), legend: '{{platform}} shown' },
      { expr: rate('sluice_live_superseded_total', 'platform'), legend: '{{platform}} superseded' },
    ],
  },
  {
    title: 'Finals',
    tells: 'On disk per minute; ended by silence: their producer stopped without a word.',
    unit: 'short',
    queries: [
      { expr: `60 * ${rate('sluice_live_finals_total')}`, legend: 'all' },
      { expr: `60 * ${rate('sluice_live_watchdog_finals_total')}`, legend: 'ended by silence' },
      { expr: sum('sluice_live_finals_waiting'), legend: 'waiting now' },
    ],
  },
];

const BROADCASTS: readonly Panel[] = [
  {
    title: 'Broadcasts',
    tells: 'That are not over.',
    unit: 'short',
    queries: [{ expr: sum('sluice_broadcasts', 'state'), legend: '{{state}}' }],
  },
  {
    title: 'Recipients per second',
    tells: 'By what became of them.',
    unit: 'ops',
    queries: [{ expr: rate('sluice_broadcast_recipients_total', 'end'), legend: '{{end}}' }],
  },
  {
    title: 'Waiting, class low',
    tells: 'Where broadcasts wait: a window at a time, behind everything else.',
    unit: 'short',
    queries: [{ expr: sum('sluice_queue_depth', '', 'priority="low"'), legend: 'low' }],
  },
];

export const STREAMS: Dashboard = {
  uid: 'sluice-streams',
  title: 'Sluice: streams and broadcasts',
  rows: [
    { title: 'Live output', panels: LIVE },
    { title: 'Broadcasts', panels: BROADCASTS },
  ],
};
