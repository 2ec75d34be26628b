// Do we keep the platforms' limits, and what do they cost us?

import type { Dashboard, Panel } from './dashboard.ts';
import { of, quantile, rate, sum } from './query.ts';

const SLOW = ['le="8"', 'le="1"'].map((le) =>
  rate('sluice_attempt_seconds_bucket', 'platform', `outcome="sent", ${le}`),
);

const KEPT: readonly Panel[] = [
  {
    title: '429s per minute',
    tells: 'Times a platform said wait. Well-paced traffic earns none.',
    unit: 'short',
    queries: [{ expr: `60 * ${rate('sluice_limited_total', 'platform')}`, legend: '{{platform}}' }],
  },
  {
    title: 'Share of calls with 429',
    tells: 'Above 1 % somebody else uses the token, or the limits have changed.',
    unit: 'percentunit',
    queries: [
      {
        expr: `${rate('sluice_limited_total', 'platform')} / ${rate('sluice_attempts_total', 'platform')}`,
        legend: '{{platform}}',
      },
    ],
  },
  {
    title: 'Waits that were asked for',
    tells: 'Seconds of retry_after per minute.',
    unit: 's',
    queries: [
      {
        expr: `60 * ${rate('sluice_retry_after_seconds_total', 'platform')}`,
        legend: '{{platform}}',
      },
    ],
  },
  {
    title: 'Slow successes',
    tells:
      'Share that took 1 to 8 s: the platform hides short waits in its answers. The early warning.',
    unit: 'percentunit',
    queries: [
      {
        expr: `(${SLOW.join(' - ')}) / ${rate('sluice_attempt_seconds_count', 'platform', 'outcome="sent"')}`,
        legend: '{{platform}}',
      },
    ],
  },
  {
    title: 'Limits believed lower',
    tells: 'Rules of which less is used than their setting allows, because the platform said so.',
    unit: 'short',
    queries: [{ expr: sum('sluice_limits_lowered', 'instance'), legend: '{{instance}}' }],
  },
  {
    title: 'Lost to a limit',
    tells: 'Always 0: a limited message waits.',
    unit: 'short',
    queries: [{ expr: sum('sluice_rate_limited_drops_total', 'instance'), legend: '{{instance}}' }],
  },
];

const HELD: readonly Panel[] = [
  {
    title: 'Limits used to the full',
    tells:
      'Calls per minute after which the next one like it had to wait, by the name of the rule.',
    unit: 'short',
    queries: [
      {
        expr: `60 * ${rate('sluice_limit_filled_total', 'platform, rule')}`,
        legend: '{{platform}} {{rule}}',
      },
    ],
  },
  {
    title: 'Freezes in force',
    tells: 'Of chats, families of calls and accounts.',
    unit: 'short',
    queries: [{ expr: sum('sluice_freezes_active', 'instance'), legend: '{{instance}}' }],
  },
  {
    title: 'Freezes begun per minute',
    tells: 'Or prolonged.',
    unit: 'short',
    queries: [{ expr: `60 * ${rate('sluice_freezes_total', 'platform')}`, legend: '{{platform}}' }],
  },
  {
    title: 'Wait for a slot, p95',
    tells:
      'From when a message could go to the start of its call. Critical and high should stay low.',
    unit: 's',
    queries: [{ expr: quantile(0.95, 'sluice_wait_seconds', 'priority'), legend: '{{priority}}' }],
  },
  {
    title: 'Breakers',
    tells: 'Half open: one call probes.',
    unit: 'short',
    queries: [
      { expr: sum('sluice_breakers', 'platform, state'), legend: '{{platform}} {{state}}' },
      { expr: `60 * ${rate('sluice_breaker_opened_total')}`, legend: 'opened per minute' },
    ],
  },
  {
    title: 'Accounts',
    tells: 'Refused: the token is no longer accepted.',
    unit: 'short',
    queries: [
      { expr: sum('sluice_accounts', 'platform, state'), legend: '{{platform}} {{state}}' },
      { expr: `60 * ${rate('sluice_tokens_refused_total')}`, legend: 'refused per minute' },
    ],
  },
  {
    title: 'Refused because a queue is full',
    tells: 'Callers get 429 queue_full and keep their message.',
    unit: 'ops',
    queries: [{ expr: rate('sluice_queue_full_total', 'platform'), legend: '{{platform}}' }],
  },
  {
    title: 'Typing signs and drafts',
    tells: 'They go at once or not at all; dropped ones cost nobody anything.',
    unit: 'ops',
    queries: [{ expr: rate('sluice_cosmetic_total', 'end'), legend: '{{end}}' }],
  },
  {
    title: 'Oldest due',
    tells: 'What the limits cost at most.',
    unit: 's',
    queries: [{ expr: of('sluice_oldest_due_seconds'), legend: '{{instance}}' }],
  },
];

export const LIMITS: Dashboard = {
  uid: 'sluice-limits',
  title: 'Sluice: limits',
  rows: [
    { title: 'Are they kept?', panels: KEPT },
    { title: 'What is held back', panels: HELD },
  ],
};
