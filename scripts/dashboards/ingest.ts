// Do we keep up with the channels that are followed?

import type { Dashboard, Panel } from './dashboard.ts';
import { of, quantiles, rate } from './query.ts';

const perMinute = (metric: string, by = '') => `60 * ${rate(metric, by)}`;

const KEPT_UP: readonly Panel[] = [
  {
    title: 'Posts per minute by mode',
    tells:
      'New posts that were stored. Historical: the past of a channel, or what a long pause left.',
    unit: 'short',
    queries: [{ expr: perMinute('posts_parsed_total', 'mode'), legend: '{{mode}}' }],
  },
  {
    title: 'Time a look takes',
    tells: 'At one channel, all its calls together. The p95 stays under a minute.',
    unit: 's',
    queries: quantiles('parser_latency_seconds'),
  },
  {
    title: 'Empty looks',
    tells: 'Share that found nothing new. Many are good where posts are rare; they cost calls.',
    unit: 'percentunit',
    queries: [
      {
        expr: `${rate('parser_empty_looks_total', 'mode')} / ${rate('parser_looks_total', 'mode')}`,
        legend: '{{mode}}',
      },
    ],
  },
  {
    title: 'Oldest high-water mark',
    tells:
      'Time since the last success of the channel that was read longest ago; after a day someone should look.',
    unit: 's',
    queries: [
      { expr: `max by (instance) (${of('parser_hwm_age_seconds')})`, legend: '{{instance}}' },
    ],
  },
  {
    title: 'Forced historical',
    tells: 'Looks per minute that began over because the last success was too old.',
    unit: 'short',
    queries: [{ expr: perMinute('parser_mode_forced_total', 'reason'), legend: '{{reason}}' }],
  },
  {
    title: 'Freshness',
    tells:
      'Time since the last success, of the ten channels that were read longest ago; and since the last tick.',
    unit: 's',
    queries: [
      { expr: `topk(10, ${of('parser_hwm_age_seconds')})`, legend: '{{channel_id}}' },
      {
        expr: `time() - ${of('scheduler_last_tick_ts_seconds')}`,
        legend: 'last tick of {{instance}}',
      },
      { expr: of('scheduler_interval_seconds'), legend: 'interval of {{instance}}' },
    ],
  },
];

const PLATFORMS: readonly Panel[] = [
  {
    title: 'Calls per minute',
    tells: 'That readers made: the budget is ingest_calls_per_hour.',
    unit: 'short',
    queries: [{ expr: perMinute('parser_calls_total', 'instance'), legend: '{{instance}}' }],
  },
  {
    title: 'Waits that were asked for',
    tells:
      'Seconds per minute. A wait holds one method of one account; the budget is lowered after it.',
    unit: 's',
    queries: [
      { expr: perMinute('parser_floodwait_seconds_total', 'instance'), legend: '{{instance}}' },
    ],
  },
  {
    title: 'Repeated calls and leases',
    tells:
      'Per minute: calls that failed and were made again, by reason; leases of readers, by what came of asking.',
    unit: 'short',
    queries: [
      { expr: perMinute('parser_retries_total', 'reason'), legend: 'again: {{reason}}' },
      { expr: perMinute('scheduler_lock_acquired_total', 'status'), legend: 'lease {{status}}' },
    ],
  },
];

export const INGEST: Dashboard = {
  uid: 'sluice-ingest',
  title: 'Sluice: ingest',
  rows: [
    { title: 'Channels', panels: KEPT_UP },
    { title: 'Platforms', panels: PLATFORMS },
  ],
};
