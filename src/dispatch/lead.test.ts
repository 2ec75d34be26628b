import { expect, test } from 'vitest';
import { Lead } from './lead.ts';

test('the lead follows what beginning takes, and no stall drives it beyond its bound', () => {
  const lead = new Lead();
  expect(lead.ms).toBe(0);
  for (let i = 0; i < 100; i++) lead.observe(6);
  expect(lead.ms).toBeCloseTo(6, 3);
  for (let i = 0; i < 100; i++) lead.observe(10_000);
  expect(lead.ms).toBeCloseTo(50, 3);
});
