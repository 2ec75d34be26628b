// Each producer of the list is read as the shape that the list says, or refused.

import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fed, sum } from './feed.fixture.ts';
import { feedOf } from './feed.ts';
import { PRODUCERS, SAID } from './producers.fixture.ts';
import { SHAPES } from './shape-table.ts';

const FOLDER = new URL('../../../test/recorded/', import.meta.url);

test.each(PRODUCERS.map((producer) => [producer.name, producer] as const))('%s', (_, producer) => {
  const { as, sample, reason } = producer;
  if (as !== null && as !== 'text') expect(SHAPES.map(({ name }) => name)).toContain(as);
  if (typeof sample === 'string') {
    // recorded.test.ts reads it.
    expect(existsSync(new URL(sample, FOLDER))).toBe(true);
    return;
  }
  const bytes = Buffer.from(sample.body);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const events = fed(feedOf(sample.type)!, [bytes.subarray(0, cut), bytes.subarray(cut)]);
    const got = sum(events);
    if (as === null) {
      expect(reason).toBeDefined();
      expect(got.text).toBe('');
      expect(got.end.kind).not.toBe('done');
    } else expect(got).toMatchObject({ text: SAID, end: { kind: 'done' } });
  }
});

test('there are more than the 57 that were tried', () => {
  expect(PRODUCERS.length).toBeGreaterThanOrEqual(57);
  expect(new Set(PRODUCERS.map(({ name }) => name)).size).toBe(PRODUCERS.length);
});
