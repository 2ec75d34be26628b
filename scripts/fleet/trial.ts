// npm run fleet -- trial [SCENARIO…]: three nodes under load, on a Postgres and a Redis of its own, through everything
// that a fleet must outlive. Says how far it is, and ends with a verdict; exits with 1 when something did not hold.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisServer } from '../../src/cluster/redis.fixture.ts';
import { startCluster } from '../../src/store/postgres/cluster.fixture.ts';
import { FleetProcesses } from '../../test/process/fleet.ts';
import { openMachines } from '../../test/trial/namespaces.ts';
import { playScenario, SCENARIOS, type Scenario, type Stage } from '../../test/trial/scenarios.ts';
import type { Verdict } from '../../test/trial/verdict.ts';
import { ensure } from '../ensure.ts';

const SIZE = { accounts: 50, chats: 2, betweenMs: 2_000 };
const NODES = 3;
const AWAY_MS = 30_000;
const TIMES = 6;
const TAKE_OVER_MS_MAX = { postgres: 10_000, redis: 3_000, machines: 3_000 } as const;
// Calls take long enough that some are in flight when their node dies.
const LATENCY_MS = 100;
const FLAGS = ['--retry-max-ms', '1000', '--log', 'info'];
// Of one scenario: what takes longer hangs.
const SCENARIO_MS_MAX = 6 * 60_000;

// Broken off, it leaves no node and no namespace behind.
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const INTERRUPTED = 130;

const STAGES = {
  postgres: 'Postgres alone',
  redis: 'Postgres and Redis',
  machines: 'Postgres and Redis, each node in a network namespace',
} as const;

type StageName = keyof typeof STAGES;

export const TRIALS: readonly string[] = [
  ...Object.keys(STAGES),
  ...SCENARIOS.map(({ name }) => name),
];

interface Result {
  readonly title: string;
  readonly faults: readonly string[];
}

export async function trial(names: readonly string[]): Promise<number> {
  const stages = Object.keys(STAGES) as StageName[];
  const askedStages = stages.filter((name) => names.includes(name));
  const asked = names.filter((name) => !stages.includes(name as StageName));
  const results: Result[] = [];
  for (const stage of askedStages.length === 0 ? stages : askedStages) {
    const scenarios = SCENARIOS.filter(
      (each) => (asked.length === 0 || asked.includes(each.name)) && isFor(stage, each),
    );
    if (scenarios.length > 0) results.push(...(await onStage(stage, scenarios)));
  }
  console.log('');
  for (const { title, faults } of results) {
    console.log(`${faults.length === 0 ? 'holds ' : 'FAILED'}  ${title}`);
    for (const fault of faults) console.log(`        ${fault}`);
  }
  return results.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

function isFor(stage: StageName, { needs }: Scenario): boolean {
  if (stage === 'machines') return needs === 'machines';
  return needs === undefined || needs === stage;
}

async function onStage(name: StageName, scenarios: readonly Scenario[]): Promise<Result[]> {
  const stage = await openStage(name);
  if (stage === null) {
    const fault = 'network namespaces are not to be had here (as root, with iproute2)';
    return [{ title: STAGES[name], faults: [fault] }];
  }
  const results: Result[] = [];
  const stop = () => void closeStage(stage).finally(() => process.exit(INTERRUPTED));
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    for (const scenario of scenarios) {
      const title = `${scenario.title}, over ${STAGES[name]}`;
      stage.say(`${title}: ${SIZE.accounts} accounts`);
      const verdict = await within(SCENARIO_MS_MAX, playScenario(stage, scenario));
      sayVerdict(stage, verdict);
      results.push({ title, faults: verdict.faults });
    }
  } catch (error) {
    results.push({ title: `the trial over ${STAGES[name]}`, faults: [(error as Error).message] });
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    if (results.some(({ faults }) => faults.length > 0)) keepLogs(stage);
    await closeStage(stage);
  }
  return results;
}

function sayVerdict({ say }: Stage, verdict: Verdict): void {
  const { accepted, calls, doubled, refused, acceptMsMax, faults } = verdict;
  say(
    `${faults.length === 0 ? 'holds' : 'FAILED'}: ${accepted} accepted, ${calls} calls, ${doubled} of them twice and ` +
      `marked, ${refused} answers to be repeated, accepted within ${acceptMsMax} ms at most`,
  );
  for (const fault of faults) say(`  ${fault}`);
}

async function openStage(name: StageName): Promise<Stage | null> {
  const machines = name === 'machines' ? openMachines(NODES) : null;
  if (name === 'machines' && machines === null) return null;
  const cluster = await startCluster({ host: machines?.back ?? '' });
  const isRedis = name !== 'postgres' && (await ensure('redis')) !== null;
  const redis = isRedis ? await startRedisServer(machines?.host) : null;
  const databaseUrl = await cluster.database(machines?.back);
  const fleet = await FleetProcesses.start({
    ...{ nodes: NODES, databaseUrl, flags: FLAGS, latencyMs: LATENCY_MS },
    ...(redis === null ? {} : { redisUrl: redis.url }),
    ...(machines === null ? {} : { network: machines }),
  });
  const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)}   ${line}`);
  const takeOverMsMax = TAKE_OVER_MS_MAX[name];
  const size = { size: SIZE, awayMs: AWAY_MS, times: TIMES, takeOverMsMax };
  return { cluster, redis, fleet, machines, databaseUrl, ...size, say };
}

async function closeStage({ fleet, redis, cluster, machines }: Stage): Promise<void> {
  await fleet.stop();
  await redis?.stop();
  await cluster.stop();
  machines?.remove();
}

function keepLogs({ fleet, say }: Stage): void {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-trial-'));
  for (const [i, node] of fleet.nodes.entries()) {
    writeFileSync(join(folder, `node-${i + 1}.log`), node.output);
  }
  const seen = fleet.calls.map(({ arrivedAt, node, text, cause }) =>
    JSON.stringify({ arrivedAt, node, text, cause }),
  );
  writeFileSync(join(folder, 'calls.jsonl'), seen.join('\n'));
  say(`what the nodes said and the simulator saw is in ${folder}`);
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it did not end within ${ms / 1000} s`)), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
