// The dashboards and alerts that are shipped, judged by a real Prometheus: the rules by their unit tests, then all of
// it live before a loaded gateway, first in good health and then in trouble.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ensure } from '../scripts/ensure.ts';
import { ownPort } from '../scripts/own-port.ts';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { storeFileOf } from '../src/system/databases/sqlite.ts';
import { INGEST_METRICS } from '../src/telemetry/metrics/ingest-metrics.ts';
import { METRICS } from '../src/telemetry/metrics/metrics.ts';
import { App } from './process/app.ts';
import { GatewayProcess } from './process/gateway.ts';
import { Channels } from './prometheus/channels.ts';
import { Trouble } from './prometheus/faults.ts';
import { Prometheus } from './prometheus/prometheus.ts';
import {
  DEPLOY,
  filledIn,
  panelQueries,
  quickRules,
  RULE_TESTS_FILE,
  RULES_FILE,
  shippedRules,
  shippedThresholds,
  THRESHOLD,
} from './prometheus/shipped.ts';
import { Stall } from './prometheus/stall.ts';

const INSTALL_MS_MAX = 300_000;
// Of two platforms, in all the trouble there is.
const SERIES_MAX = 1000;
// Left on a disk that fills: little, and not nothing.
const FREE_BYTES = 12e6;
// Between two looks at a channel.
const LOOK_S = 5;
const isReady = (await ensure('prometheus')) !== null;

function promtool(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

describe('the rules', () => {
  test.runIf(isReady)('are understood', () => {
    expect(promtool('check', 'rules', RULES_FILE)).toMatchObject({ status: 0 });
    const config = join(DEPLOY, 'prometheus', 'prometheus.yml');
    expect(promtool('check', 'config', '--syntax-only', config)).toMatchObject({ status: 0 });
  });

  test.runIf(isReady)('fire where they should and nowhere else', () => {
    expect(promtool('test', 'rules', RULE_TESTS_FILE)).toMatchObject({ status: 0 });
  });

  test('have each a unit test in which they are silent, then fire', () => {
    const { tests } = parse(readFileSync(RULE_TESTS_FILE, 'utf8')) as {
      tests: { name: string; promql_expr_test: { exp_samples: { labels: string }[] }[] }[];
    };
    for (const { name, promql_expr_test: steps } of tests) {
      const [silent, fires] = steps.map(({ exp_samples }) => exp_samples);
      expect(silent, name).toEqual([]);
      expect(fires!.map(({ labels }) => labels)).toEqual([`{alertname="${name}", instance="bad"}`]);
    }
    expect(tests.map(({ name }) => name)).toEqual(shippedRules().map(({ alert }) => alert));
  });

  test('say what to do, on a page that does', () => {
    const page = readFileSync(new URL('../docs/operate/monitoring.md', import.meta.url), 'utf8');
    for (const { alert, annotations, labels } of shippedRules()) {
      expect(page).toContain(`\n### ${alert}\n`);
      expect(annotations.runbook).toBe(`docs/operate/monitoring.md#${alert.toLowerCase()}`);
      expect(['critical', 'warning']).toContain(labels.severity);
    }
  });

  test('have their thresholds in variables, each used once and told on the page with its value', () => {
    const page = readFileSync(new URL('../docs/operate/monitoring.md', import.meta.url), 'utf8');
    const rules = shippedRules();
    const used = rules.flatMap(({ expr }) => expr.match(/sluice:threshold:\w+/g) ?? []);
    expect(used.toSorted()).toEqual(
      shippedThresholds()
        .map(({ record }) => record)
        .toSorted(),
    );
    for (const { record, expr } of shippedThresholds()) {
      const { alert } = rules.find((rule) => rule.expr.includes(`scalar(${record})`))!;
      const value = /^vector\((.+)\)$/.exec(expr)![1];
      expect(page).toContain(`\n| \`${record.slice(THRESHOLD.length)}\` | ${value} | ${alert} |`);
    }
    // What is left are "any at all" and "not there".
    for (const { alert, expr } of rules) expect(expr, alert).not.toMatch(/[<>]=? *[\d.]*[1-9]/);
  });

  test('and panels ask only for metrics that there are, and for every one of them', () => {
    const asked = [...shippedRules(), ...panelQueries()].flatMap(({ expr }) => [
      ...expr.matchAll(/sluice_\w+/g),
    ]);
    const names = new Set(asked.map(([name]) => name.replace(/_(bucket|sum|count)$/, '')));
    expect([...names].sort()).toEqual(Object.keys(METRICS).sort());
    const ofIngest = [...shippedRules(), ...panelQueries()]
      .flatMap(({ expr }) => [...expr.matchAll(/\b(?:parser|scheduler|posts)_\w+/g)])
      .map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));
    expect([...new Set(ofIngest)].sort()).toEqual(Object.keys(INGEST_METRICS).sort());
  });
});

// Told by nodes that share a database alone.
const isOfAFleet = (text: string) => /sluice_(?:node|spill)_/.test(text);

const IN_TROUBLE = [
  'SluiceAccountRefused',
  'SluiceBacklogGrowing',
  'SluiceBacklogOld',
  'SluiceBreakerOpen',
  'SluiceCallsFail',
  'SluiceChannelOld',
  'SluiceDeadLettersRising',
  'SluiceFrozen',
  'SluiceIngestSlow',
  'SluiceInternalFault',
  'SluiceQueueFull',
  'SluiceRateLimited',
  'SluiceStreamsStale',
  'SluiceUncertain',
  'SluiceUpdatesNotTaken',
];

// What is due behind a hung call is old, too.
const AT_A_STANDSTILL = [
  'SluiceBacklogOld',
  'SluiceEventLoopLag',
  'SluiceJournalSlow',
  'SluiceNoProgress',
];
// In times cut down to seconds a busy machine under the test can earn these without a fault of ours: that a gateway in
// good health earns none is left to the unit tests.
const OF_THE_MACHINE = ['SluiceEventLoopLag', 'SluiceJournalSlow'];

// Gateways on the embedded store have none; the unit tests of the rules fire them.
const OF_A_DATABASE = ['SluiceDatabaseAway', 'SluiceSpillFilling'];

describe.runIf(isReady)('a gateway that is scraped', () => {
  let sim: ServedSim;
  let gateway: GatewayProcess;
  let trouble: Trouble;
  let other: GatewayProcess;
  let stall: Stall;
  let isMounted = false;
  const app = new App();
  const channels = new Channels();
  const prometheus = new Prometheus();
  const fired = (asked: GatewayProcess) => prometheus.fired(new URL(asked.url).host);
  const earned = (asked: GatewayProcess) =>
    [...fired(asked)].filter((name) => !OF_THE_MACHINE.includes(name)).sort();
  const scraped = () => prometheus.scrapes(1);

  beforeAll(async () => {
    sim = await serveSim({ host: '127.0.0.1', port: 0 });
    await app.open();
    await channels.open();
    const flags = ['--queue-max', '200', '--uncertain-policy', 'hold', '--forward-url', app.url];
    const looks = ['--ingest-pace', 'fixed', '--ingest-interval-s', String(LOOK_S)];
    const reading = ['--tme-url', channels.url, ...looks];
    // The same over a restart: Prometheus has it in its settings.
    const port = ['--port', String(await ownPort())];
    gateway = new GatewayProcess(sim.url, [...flags, ...reading, ...port, '--log', 'silent']);
    mkdirSync(gateway.data);
    // A disk of its own, that can be filled; needs root.
    const tmpfs = ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', gateway.data];
    isMounted = spawnSync('mount', tmpfs).status === 0;
    await Trouble.prepare(gateway);
    await gateway.start();
    trouble = new Trouble(gateway, sim);
    const slowly = ['--drain-ms-max', '60000', ...looks];
    other = new GatewayProcess(sim.url, [...slowly, '--log', 'silent']);
    await other.start();
    stall = new Stall(other, sim);
    await stall.warm();
    const targets = [gateway, other].map(({ url }) => new URL(url).host);
    await prometheus.start(targets, quickRules());
    // Seen at rest first: a rise needs something to rise from.
    await prometheus.scrapes(2);
  }, INSTALL_MS_MAX);

  afterAll(async () => {
    await prometheus.close();
    await gateway.end('SIGKILL');
    await other.end('SIGKILL');
    other.remove();
    if (isMounted) spawnSync('umount', ['-l', gateway.data]);
    gateway.remove();
    await app.close();
    await channels.close();
    await sim.close();
  });

  test('is silent while all is well', async () => {
    await trouble.calm(3);
    for (const name of ['@daily_news', '@slow_news', '@failing_news']) {
      await channels.follow(gateway, name);
    }
    const stream = await trouble.stream(100, 7000, ['One', ' two', ' three']);
    const isShown = async () => Number((await gateway.ask('GET', stream)).body.shownUnits) > 0;
    await prometheus.until(isShown);
    await gateway.ask('POST', `${stream}/final`, {});
    await app.until(() => app.taken.length === 1);
    await prometheus.scrapes(5);
    expect([...earned(gateway), ...earned(other)]).toEqual([]);
  });

  test('fires every alert whose fault is made', async () => {
    app.answer = () => ({ status: 500 });
    channels.isBad = true;
    for (let id = 2; id < 20; id++) await trouble.update(100, id);
    await trouble.revoked();
    await trouble.doubtful();
    await trouble.frozen();
    await trouble.blocked();
    await trouble.broken();
    await trouble.flaky();
    await trouble.poisoned();
    await trouble.backlog();
    expect(await trouble.fullQueue()).toBeGreaterThan(0);
    await prometheus.until(() => IN_TROUBLE.every((name) => fired(gateway).has(name)));
    expect(earned(gateway)).toEqual(IN_TROUBLE);
    expect(earned(other)).toEqual([]);
  });

  test('fires when all stands still', async () => {
    await stall.hung();
    await prometheus.until(() => fired(other).has('SluiceNoProgress'));
    await stall.slowStore(scraped, () => fired(other).has('SluiceJournalSlow'));
    await stall.stopped(scraped, () => fired(other).has('SluiceEventLoopLag'));
    expect([...fired(other)].sort()).toEqual(AT_A_STANDSTILL);
    // Seen some tests later, when its loop has had no turn for long enough.
    stall.ending();
  });

  test('has few series, whose labels name nobody', async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const series = text.split('\n').filter((line) => line.startsWith('sluice_'));
    const labels = series.flatMap((line) => [...line.matchAll(/(\w+)="([^"]*)"/g)]);
    const bounded = new Set(
      Object.entries(METRICS)
        .filter(([name]) => !isOfAFleet(name))
        .flatMap(([, kind]): readonly string[] => kind.labels),
    );
    expect(new Set(labels.map(([, name]) => name))).toEqual(new Set([...bounded, 'le']));
    const isStatus = (name: string, value: string) =>
      name === 'status' && /^(429|5\d\d)$/.test(value);
    const values = labels
      .filter(([, name, value]) => name !== 'le' && !isStatus(name!, value!))
      .map(([, , value]) => value);
    expect(values.filter((value) => /\d{3}/.test(value!.replace(/^\d?xx$/, '')))).toEqual([]);
    expect(series.length).toBeLessThan(SERIES_MAX);
    // What prom-client adds is its own business.
    const [ours] = text.split('# HELP process_');
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: ours, encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  const shown = panelQueries().filter(({ expr }) => !isOfAFleet(expr));
  test.each(shown)('shows data on $panel', async ({ expr }) => {
    const found = await prometheus.range(filledIn(expr));
    const numbers = found.flatMap(({ values }) => values.map(([, value]) => Number(value)));
    expect(numbers.filter(Number.isFinite).length).toBeGreaterThan(0);
  });

  test('fires when the store grows large', async () => {
    expect([...fired(gateway)]).not.toContain('SluiceStoreLarge');
    for (let i = 0; i < 10; i++) await trouble.fill();
    await prometheus.until(() => fired(gateway).has('SluiceStoreLarge'));
  });

  test('fires when the disk fills, and when it is full (needs root: mounts a tmpfs)', async ({
    skip,
  }) => {
    if (!isMounted) skip();
    expect([...fired(gateway)]).not.toContain('SluiceDiskFilling');
    const filler = join(gateway.data, 'filler');
    const dd = (...more: string[]) =>
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k', ...more]).status;
    const { bavail, bsize } = statfsSync(gateway.data);
    expect(dd(`count=${Math.ceil((bavail * bsize - FREE_BYTES) / 65_536)}`)).toBe(0);
    await prometheus.until(() => fired(gateway).has('SluiceDiskFilling'));
    expect([...fired(gateway)]).not.toContain('SluiceJournalDown');
    expect(dd()).toBe(1);
    await prometheus.until(async () => {
      await trouble.fill();
      return fired(gateway).has('SluiceJournalDown');
    });
    rmSync(filler);
  });

  test('fires when it is gone', async () => {
    await gateway.end('SIGKILL');
    await prometheus.until(() => fired(gateway).has('SluiceDown'));
  });

  test('fires when it goes on with a store that has lost something', async () => {
    rmSync(`${storeFileOf(gateway.data)}-wal`);
    expect([...fired(gateway)]).not.toContain('SluiceStoreLoss');
    await gateway.start(['--accept-loss']);
    await prometheus.until(() => fired(gateway).has('SluiceStoreLoss'));
  });

  // Without an answer there would be no age of a turn, and no alert.
  test('fires when its loops have ended, though it answers', async () => {
    await prometheus.until(() => fired(other).has('SluiceLoopStuck'));
    await prometheus.until(() => fired(other).has('SluiceIngestStale'));
  });

  test('has fired every alert there is', () => {
    const all = new Set([...fired(gateway), ...fired(other)]);
    const silent = shippedRules().filter(({ alert }) => !all.has(alert));
    const unmade = isMounted ? [] : ['SluiceDiskFilling', 'SluiceJournalDown'];
    expect(silent.map(({ alert }) => alert).sort()).toEqual([...OF_A_DATABASE, ...unmade].sort());
  });
});
