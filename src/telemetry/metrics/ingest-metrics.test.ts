import { expect, test } from 'vitest';
import { IngestCounters, samplesOf } from '../../ingest/counters.ts';
import { exposeSamples, INGEST_METRICS } from './ingest-metrics.ts';

test('each sample of ingest is shown once, below the help and type of its metric', () => {
  const counters = new IngestCounters();
  counters.lookSeconds.add(3);
  counters.posts.historical = 7;
  const samples = samplesOf(counters, [{ channelId: '@a"b', ageMs: 1500 }], 300_000);
  const lines = exposeSamples(samples).trimEnd().split('\n');
  expect(lines.filter((line) => !line.startsWith('#'))).toHaveLength(samples.length);
  expect(new Set(lines).size).toBe(lines.length);
  expect(lines).toContain('posts_parsed_total{mode="historical"} 7');
  expect(lines).toContain('parser_hwm_age_seconds{channel_id="@a\\"b"} 1.5');
  expect(lines).toContain('parser_latency_seconds_bucket{le="+Inf"} 1');
  expect(lines).toContain('# TYPE parser_latency_seconds histogram');
  const types = lines.filter((line) => line.startsWith('# TYPE'));
  expect(types).toHaveLength(Object.keys(INGEST_METRICS).length);
});

test('without ingest there is nothing', () => expect(exposeSamples([])).toBe(''));
