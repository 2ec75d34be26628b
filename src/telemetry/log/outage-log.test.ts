import { expect, test } from 'vitest';
import type { LineLog } from './line-log.ts';
import { OUTAGE_LINE_AGAIN_MS, OutageLines } from './outage-log.ts';

const MINUTE = OUTAGE_LINE_AGAIN_MS;
const PROBE_MS = 5000;

function lines() {
  const told: [level: string, fields: Record<string, unknown>][] = [];
  const note = (level: string) => (fields: object) =>
    void told.push([level, fields as Record<string, unknown>]);
  const log = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  };
  return { told, outages: new OutageLines(log satisfies LineLog) };
}

function event(at: number, state: 'open' | 'closed' = 'open', cause = 'unsent') {
  const about = { account: 'telegram:1' as const, cause, detail: 'ECONNREFUSED 127.0.0.1:9' };
  return { kind: 'breaker', at, state, until: at + PROBE_MS, ...about } as const;
}

test('an outage is told when it begins, at growing intervals, and when it is over', () => {
  const { told, outages } = lines();
  for (let at = 0; at <= 20 * MINUTE; at += PROBE_MS) outages.write(event(at));
  outages.write(event(20 * MINUTE + 1, 'closed'));
  const warned = told.filter(([level]) => level === 'warn').map(([, fields]) => fields);
  expect(warned.map(({ outageMs = 0 }) => Number(outageMs) / MINUTE)).toEqual([0, 1, 3, 7, 15]);
  expect(warned[1]).toMatchObject({ detail: 'ECONNREFUSED 127.0.0.1:9', probes: 12 });
  expect(told.at(-1)).toMatchObject(['info', { state: 'closed', outageMs: 20 * MINUTE + 1 }]);
});

test('another cause is news, and so is the next outage', () => {
  const { told, outages } = lines();
  outages.write(event(0));
  outages.write(event(1, 'open', 'unauthorized'));
  outages.write(event(2, 'closed'));
  outages.write(event(3));
  expect(told.map(([level, { cause }]) => [level, cause])).toEqual([
    ['warn', 'unsent'],
    ['warn', 'unauthorized'],
    ['info', 'unsent'],
    ['warn', 'unsent'],
  ]);
});
