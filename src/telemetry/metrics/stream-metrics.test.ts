import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('live output is counted as it happens and shown as it stands, by platform', async () => {
  const metrics = createMetrics({ process: false });
  const platform = 'telegram';
  metrics.countLive({ kind: 'shown', platform, session: 's', staleMs: 3750 });
  metrics.countLive({ kind: 'superseded', platform });
  metrics.countLive({ kind: 'superseded', platform });
  metrics.countLive({ kind: 'final', platform, reason: null });
  metrics.countLive({ kind: 'final', platform, reason: 'producer_silent' });
  const reading = { platform, streams: 4, activeSessions: 3, finalsWaiting: 1 };
  const waits = [{ session: 's', since: 4000 }];
  metrics.liveGauges(() => ({ now: 9000, readings: [{ ...reading, tickMsMax: 75_000, waits }] }));
  const text = await metrics.text();
  for (const line of [
    'sluice_live_shown_total{platform="telegram"} 1',
    'sluice_live_superseded_total{platform="telegram"} 2',
    'sluice_live_finals_total{platform="telegram"} 2',
    'sluice_live_watchdog_finals_total{platform="telegram"} 1',
    'sluice_live_staleness_seconds_sum{platform="telegram"} 3.75',
    'sluice_live_streams{platform="telegram"} 4',
    'sluice_live_active_sessions{platform="telegram"} 3',
    'sluice_live_finals_waiting{platform="telegram"} 1',
    'sluice_live_tick_seconds{platform="telegram"} 75',
    'sluice_live_oldest_wait_seconds{platform="telegram"} 5',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});
