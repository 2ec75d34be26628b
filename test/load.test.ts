// The loads of `npm run load`, small: the same bots, people, start-up and live output before a real gateway process.

import { describe, expect, test } from 'vitest';
import { quantile, reportOf, sharesWhileAllWait } from '../bench/load/figures.ts';
import { pictureOf } from '../bench/load/picture.ts';
import { type LoadSizes, SCENARIOS } from '../bench/load/scenarios.ts';
import type { Told } from '../bench/load/stage.ts';
import { perMinute, tablesOf, withRun } from '../bench/load/table.ts';
import { PRIORITIES, type Priority } from '../src/domain/priority.ts';

const SMALL: LoadSizes = {
  fleet: { bots: 4, users: 80, burstPerBot: 60, lastsMs: 2000 },
  many: { bots: 40, pauseMs: 1000, lastsMs: 1000 },
  startUp: { bots: 4, events: 200 },
  live: { privateSessions: 2, groupSessions: 1, lastsMs: 1000 },
};

describe('small loads', () => {
  test('bots and people: nothing lost, no 429, every class has its part', async () => {
    const report = await SCENARIOS.fleet!(SMALL, () => {});
    expect(report).toMatchObject({ accepted: 320, sent: 320, lost: 0, limited: 0 });
    for (const priority of PRIORITIES) expect(report.classes[priority]!.count).toBe(80);
    expect(report.classes.critical!.p99Ms).toBeLessThan(report.classes.low!.p99Ms);
    expect(report.samples.some(({ queued }) => queued > 0)).toBe(true);
    expect(report.samples.every(({ rssBytes }) => rssBytes > 0)).toBe(true);
  });

  test('what was on disk when the process was killed is sent by the next', async () => {
    const report = await SCENARIOS['start-up']!(SMALL, () => {});
    expect(report).toMatchObject({ accepted: 200, sent: 200, lost: 0, limited: 0 });
  });

  test('many bots, and texts that grow', async () => {
    const many = await SCENARIOS.many!(SMALL, () => {});
    expect(many).toMatchObject({ accepted: 40, sent: 40, lost: 0, limited: 0 });
    const live = await SCENARIOS.live!(SMALL, () => {});
    expect(live).toMatchObject({ lost: 0, limited: 0 });
    expect(live.notes).toHaveLength(2);
  });
});

const HOUR = Date.UTC(2030, 0, 1);
const told = (priority: Priority, fromMs: number, toMs: number, state = 'sent'): Told => ({
  ...{ account: 'telegram:1', priority, state, final: false },
  acceptedAt: new Date(HOUR + fromMs).toISOString(),
  settledAt: new Date(HOUR + toMs).toISOString(),
});

describe('what a load came to', () => {
  const facts = { name: 'a < b', what: 'a test', lastedMs: 60_000, limited: 0, acceptMs: [1, 3] };
  const samples = [0, 1000, 2000, 3000].map((atMs) => {
    return { atMs, queued: atMs / 10, sent: atMs / 100, rssBytes: 100 * 1024 * 1024 };
  });

  test('counts what was sent, and takes nothing for sent that is not', () => {
    const all = [told('high', 0, 100), told('low', 0, 300), told('low', 0, 5, 'dead')];
    const replaced = told('low', 0, 5, 'superseded');
    const report = reportOf({ ...facts, told: [...all, replaced], samples, notes: [] });
    expect(report).toMatchObject({ accepted: 4, sent: 2, lost: 1, p50Ms: 100, acceptP50Ms: 1 });
    expect(report.classes).toMatchObject({ critical: null, high: { count: 1, share: null } });
    expect(perMinute(report)).toBe(2);
    expect(quantile([], 0.5)).toBeNaN();
  });

  test('the share of a class is counted only while all of them wait', () => {
    const waited = PRIORITIES.map((priority, i) => told(priority, 0, 2000 + i * 1000));
    const shares = sharesWhileAllWait([...waited, told('critical', 0, 1500), told('low', 0, 50)]);
    expect(shares).toEqual({ critical: 1, high: 0, normal: 0, low: 0 });
    expect(sharesWhileAllWait(waited.slice(1))).toBeNull();
  });

  test('the picture has a line for each panel, and names in which nothing is markup', () => {
    const report = reportOf({ ...facts, told: [told('high', 0, 1)], samples, notes: [] });
    const picture = pictureOf([report, report]);
    expect(picture.match(/<polyline/g)).toHaveLength(6);
    expect(picture).toContain('>a &lt; b<');
    // Ten a second, three hundred waiting, a hundred MiB.
    for (const most of ['10/s', '300', '100 MiB']) expect(picture).toContain(`>${most}<`);
  });

  test('a page has the newest run in the place of the one before', () => {
    const report = reportOf({ ...facts, told: [told('high', 0, 1)], samples, notes: ['a note'] });
    const page =
      'A\n<!-- loads: made by `npm run load -- --write` -->\nold\n<!-- end of loads -->\nB\n';
    const made = withRun(page, [report], '2030-01-01');
    expect(made).toContain(tablesOf([report]));
    expect(made).toContain('Run on 2030-01-01.');
    expect(made).not.toContain('old');
    expect(withRun(made, [report], '2030-01-01')).toBe(made);
    expect(() => withRun('nothing', [report], '')).toThrow('no place');
  });
});
