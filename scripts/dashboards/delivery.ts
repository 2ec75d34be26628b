// Is everything going out, how fast, and what became of it? And the machine underneath.

import type { Dashboard, Panel } from './dashboard.ts';
import { of, quantile, quantiles, rate, sum } from './query.ts';

const now = (title: string, expr: string, unit: string, tells: string, red?: number): Panel => ({
  ...{ kind: 'number', title, tells, unit, queries: [{ expr, legend: '' }] },
  ...(red === undefined ? {} : { red }),
});

const PRESENT: readonly Panel[] = [
  now(
    'Waiting',
    sum('sluice_queue_depth'),
    'short',
    'Messages that are accepted and not sent yet.',
  ),
  now(
    'Oldest due',
    `max (${of('sluice_oldest_due_seconds')})`,
    's',
    'How long the longest-waiting message that could go has waited.',
    900,
  ),
  now('In flight', sum('sluice_in_flight'), 'short', 'Calls without an answer yet.'),
  now('Dead letters', sum('sluice_dead'), 'short', 'Kept until somebody retries or discards them.'),
  now('In doubt', sum('sluice_uncertain'), 'short', 'Answers were lost; a person decides.', 1),
  now(
    'Refused accounts',
    sum('sluice_accounts', '', 'state="refused"'),
    'short',
    'Their tokens are no longer accepted.',
    1,
  ),
  now(
    'Open breakers',
    sum('sluice_breakers', '', 'state="open"'),
    'short',
    'Accounts that cannot reach their platform.',
    1,
  ),
  {
    ...now('Store', `min (${of('sluice_journal_up')})`, 'short', '1: it can be written.', 1),
    below: true,
  },
];

const SENT = rate('sluice_moves_total', 'platform', 'to="sent"');
const ENDED = rate('sluice_moves_total', 'platform', 'to=~"sent|dead"');

const FLOW: readonly Panel[] = [
  {
    title: 'Throughput',
    tells: 'Accepted and sent per second. Apart for long: the backlog grows.',
    unit: 'ops',
    queries: [
      { expr: rate('sluice_accepted_total'), legend: 'accepted' },
      { expr: rate('sluice_moves_total', '', 'to="sent"'), legend: 'sent' },
    ],
  },
  {
    title: 'Waiting by class',
    tells: 'The backlog. Retries wait for their time and are part of the others.',
    unit: 'short',
    queries: [
      { expr: sum('sluice_queue_depth', 'priority'), legend: '{{priority}}' },
      { expr: sum('sluice_queue_retry_depth'), legend: 'for a retry' },
    ],
  },
  {
    title: 'Age when sent',
    tells: 'From acceptance to the end of the call that sent it.',
    unit: 's',
    queries: quantiles('sluice_delivery_seconds'),
  },
  {
    title: 'How deliveries end',
    tells: 'Sent, superseded by a newer text, expired, cancelled, dead, in doubt.',
    unit: 'ops',
    queries: [{ expr: rate('sluice_moves_total', 'to', 'to!="queued"'), legend: '{{to}}' }],
  },
  {
    title: 'Retries',
    tells: 'Calls that have to be made again.',
    unit: 'ops',
    queries: [
      { expr: rate('sluice_moves_total', 'platform', 'to="queued"'), legend: '{{platform}}' },
    ],
  },
  {
    title: 'Delivered of what ended',
    tells: 'Share of sent among sent and dead. Below 1 somebody did not get a message.',
    unit: 'percentunit',
    queries: [
      {
        expr: [SENT, ENDED].join(' / '),
        legend: '{{platform}}',
      },
    ],
  },
];

const CALLS: readonly Panel[] = [
  {
    title: 'Calls by outcome',
    tells: 'What the platform said, per second.',
    unit: 'ops',
    queries: [{ expr: rate('sluice_attempts_total', 'outcome'), legend: '{{outcome}}' }],
  },
  {
    title: 'Time of a call',
    tells: 'Of those that were sent. Successes of 1 to 8 s are the early warning of a flood wait.',
    unit: 's',
    queries: quantiles('sluice_attempt_seconds', 'outcome="sent"'),
  },
  {
    title: 'Troubles by reason',
    tells: 'Calls that were refused, failed or left in doubt.',
    unit: 'ops',
    queries: [
      { expr: rate('sluice_troubles_total', 'outcome, reason'), legend: '{{outcome}}: {{reason}}' },
    ],
  },
  {
    title: 'Answers with a 5xx',
    tells: 'The platform itself is broken. Nothing dies of it soon.',
    unit: 'ops',
    queries: [
      {
        expr: rate('sluice_upstream_errors_total', 'platform, status'),
        legend: '{{platform}}: {{status}}',
      },
    ],
  },
  {
    title: 'Calls passed through',
    tells:
      'What sends nothing: polls, look-ups, downloads. They are not paced; 429s of them are their callers’ own.',
    unit: 'ops',
    queries: [
      { expr: rate('sluice_passed_total', 'platform, status'), legend: '{{platform}}: {{status}}' },
    ],
  },
  {
    title: 'Dead letters by cause',
    tells: 'Deliveries that died, per second.',
    unit: 'ops',
    queries: [{ expr: rate('sluice_dead_letters_total', 'reason'), legend: '{{reason}}' }],
  },
  {
    title: 'Answers to callers',
    tells: 'By class of status. 5xx: the store, or the end of the process.',
    unit: 'ops',
    queries: [{ expr: rate('sluice_http_requests_total', 'status'), legend: '{{status}}' }],
  },
  {
    title: 'Updates',
    tells: 'What came by webhook, and whether the app took it.',
    unit: 'ops',
    queries: [{ expr: rate('sluice_updates_total', 'end'), legend: '{{end}}' }],
  },
];

const MACHINE: readonly Panel[] = [
  {
    title: 'Time of a commit',
    tells: 'From handing a batch to the store until it is on disk. Every acceptance waits for one.',
    unit: 's',
    queries: [0.5, 0.99].map((q) => ({
      expr: quantile(q, 'sluice_journal_commit_seconds'),
      legend: `p${q * 100}`,
    })),
  },
  {
    title: 'Commands per batch',
    tells:
      'How much shares a commit: it grows with the load, and that is what keeps the disk in step.',
    unit: 'short',
    queries: [
      {
        expr: `${rate('sluice_journal_batch_commands_sum')} / ${rate('sluice_journal_batch_commands_count')}`,
        legend: 'mean',
      },
    ],
  },
  {
    title: 'Disk',
    tells: 'The store does not shrink; its space is used again.',
    unit: 'bytes',
    queries: [
      { expr: sum('sluice_store_bytes'), legend: 'store' },
      { expr: sum('sluice_spool_bytes'), legend: 'uploads' },
      { expr: `min (${of('sluice_disk_free_bytes')})`, legend: 'free' },
    ],
  },
  {
    title: 'Bytes waiting',
    tells:
      'In all accounts, and in the one that holds most: at `queue_bytes_max` it is refused more.',
    unit: 'bytes',
    queries: [
      { expr: sum('sluice_queue_bytes', 'platform'), legend: '{{platform}}' },
      { expr: `max (${of('sluice_queue_bytes_largest')})`, legend: 'largest account' },
    ],
  },
  {
    title: 'Event loop',
    tells: 'How late it is. Above some 100 ms calls leave late.',
    unit: 's',
    queries: [
      { expr: `max (${of('nodejs_eventloop_lag_p99_seconds')})`, legend: 'p99' },
      { expr: `max (${of('sluice_last_turn_seconds')})`, legend: 'since the last turn' },
    ],
  },
  {
    title: 'Periodic work',
    tells:
      'Retention, sweeping, renewals and the like: how late the latest is, and runs that failed. Both at 0 is well.',
    unit: 'short',
    queries: [
      { expr: `max (${of('sluice_periodic_overdue_seconds')})`, legend: 'seconds overdue' },
      { expr: rate('sluice_periodic_failures_total', 'work'), legend: 'failures {{work}}' },
    ],
  },
  {
    title: 'Processor',
    tells: 'Cores in use. The road has one thread, the store another.',
    unit: 'short',
    queries: [{ expr: rate('process_cpu_seconds_total', 'instance'), legend: '{{instance}}' }],
  },
  {
    title: 'Memory',
    tells: 'A waiting delivery takes a few hundred bytes.',
    unit: 'bytes',
    queries: [{ expr: of('process_resident_memory_bytes'), legend: '{{instance}}' }],
  },
  {
    title: 'Nodes',
    tells: 'Of a fleet: how many each node sees, itself included, and how many accounts it owns.',
    unit: 'short',
    queries: [
      { expr: of('sluice_node_members'), legend: 'members {{instance}}' },
      { expr: of('sluice_node_accounts'), legend: 'accounts {{instance}}' },
    ],
  },
  {
    title: 'Between nodes',
    tells: 'Requests handed to the owner of their account, and accounts that changed hands.',
    unit: 'ops',
    queries: [
      { expr: rate('sluice_node_forwards_total', 'outcome'), legend: 'forward {{outcome}}' },
      { expr: rate('sluice_node_account_moves_total', 'move'), legend: 'account {{move}}' },
    ],
  },
  {
    title: 'Spill',
    tells:
      'With a database: what nodes accepted onto their own disks while it was away. Away at 1: nothing is sent.',
    unit: 'short',
    queries: [
      { expr: of('sluice_spill_away'), legend: 'away {{instance}}' },
      { expr: of('sluice_spill_deliveries'), legend: 'records {{instance}}' },
      { expr: of('sluice_spill_accepted_total'), legend: 'accepted {{instance}}' },
      { expr: of('sluice_spill_handed_over_total'), legend: 'handed over {{instance}}' },
      { expr: of('sluice_spill_refused_total'), legend: 'refused {{instance}}' },
    ],
  },
  {
    title: 'Room in the spill',
    tells: 'How full it is, by count or by bytes; at 1 nothing more is accepted.',
    unit: 'percentunit',
    queries: [{ expr: of('sluice_spill_filled_ratio'), legend: '{{instance}}' }],
  },
  {
    title: 'Oldest in the spill',
    tells: 'So long accepted messages have waited for the database.',
    unit: 's',
    queries: [{ expr: of('sluice_spill_oldest_seconds'), legend: '{{instance}}' }],
  },
  {
    title: 'Bytes in the spill',
    tells: 'Of payload, on the disk of the node and in its memory.',
    unit: 'bytes',
    queries: [{ expr: of('sluice_spill_bytes'), legend: '{{instance}}' }],
  },
  {
    title: 'Losses of the store',
    tells:
      'Accepted with --accept-loss. A step: messages were lost; /health/details says how many.',
    unit: 'short',
    queries: [{ expr: of('sluice_store_losses'), legend: '{{instance}}' }],
  },
];

export const DELIVERY: Dashboard = {
  uid: 'sluice-delivery',
  title: 'Sluice: delivery',
  rows: [
    { title: 'Now', panels: PRESENT },
    { title: 'Flow', panels: FLOW },
    { title: 'Calls', panels: CALLS },
    { title: 'Machine', panels: MACHINE },
  ],
};
