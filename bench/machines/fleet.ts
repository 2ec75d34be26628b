// Accepted, sent and settled per second by 1, 2 and 3 nodes on one Postgres, all of it on this machine, against BullMQ
// doing the same work on a local Redis: by one worker of 50, and by as many of them as there are nodes, which share the
// machine as the nodes do. Limits are wide: this measures the road, not the pace.
// And what it costs a call to be answered by another node than the one that was asked.

import { Queue } from 'bullmq';
import { Pool } from 'undici';
import { ownerFor } from '../../src/cluster/rendezvous.ts';
import { startCluster } from '../../src/store/postgres/cluster.fixture.ts';
import { SCHEMA } from '../../src/store/postgres/schema/schema.ts';
import { PostgresConnection, type PostgresRow } from '../../src/system/databases/postgres.ts';
import { type Child, startChild } from '../engine/child.ts';
import { closedLoop, type Pace } from '../engine/closed-loop.ts';
import { inFolder } from '../engine/folder.ts';
import { httpRequest, load } from '../engine/load.ts';
import { startRedis } from '../engine/redis.ts';
import { TEXT } from '../engine/sample.ts';
import { best, perSecond, type Row, ratioRow } from '../row.ts';
import { postgresPid, processorUs } from './processor.ts';

const NODES_MAX = 3;
const RUNS = 2;
// Of each node, however many there are: on a machine each they would have their own callers, and commits as large.
const CONNECTIONS = 200;
const CALLS = 6_000;
// Nodes and workers run for months: what is hot is compiled before it is measured.
const WARM_UP_CALLS = 12_000;
const BOTS = 48;
const CHATS = 4_800;
const JOBS = 6_000;
const WARM_UP_JOBS = 12_000;
const JOBS_AT_ONCE = 50;
const ADDS_IN_FLIGHT = 200;
const LATENCY_CALLS = 400;
const SECRET = 'a secret of the benchmark that is long enough';
const LOOK_MS = 200;
const ADMIN_KEY = 'bench';
const faster = (a: Pace, b: Pace) => a.count / a.ms > b.count / b.ms;

// Processor time that a message took, in µs, by who used it.
interface Costed extends Pace {
  readonly us: Readonly<Record<string, number>>;
}
type Processes = Readonly<Record<string, readonly number[]>>;

// What the processes used from now on, for each of so many messages.
function meter(processes: Processes): (count: number) => Costed['us'] {
  const entries = Object.entries(processes);
  const before = entries.map(([, pids]) => processorUs(pids));
  return (count) =>
    Object.fromEntries(
      entries.map(([name, pids], i) => [name, (processorUs(pids) - before[i]!) / count]),
    );
}

function toldCost({ us }: Costed): string {
  return Object.entries(us)
    .map(([name, each]) => `${name} ${Math.round(each)} µs`)
    .join(', ');
}

interface HashedMember {
  readonly incarnation: string;
  readonly name: string;
  readonly startedAt: number;
}

interface Gateway {
  readonly port: number;
}

const tokenOf = (bot: number) => `${bot}:benchbenchbenchbenchbenchbenchbench`;
const bots = Array.from({ length: BOTS }, (_, i) => 1000 + i);

export async function fleetThroughput(): Promise<Row[]> {
  const sim = await startChild<{ url: string }>('servers.ts', ['sim']);
  try {
    const alone = await best(RUNS, () => throughBullmq(1, sim.ready.url), faster);
    const rows: Row[] = [];
    for (let nodes = 1; nodes <= NODES_MAX; nodes++) {
      const { pace, latency } = await throughFleet(nodes, sim.ready.url);
      rows.push(against(nodes, pace, alone), byProcessor(nodes, pace, alone));
      if (nodes > 1) {
        const workers = await best(RUNS, () => throughBullmq(nodes, sim.ready.url), faster);
        rows.push(againstAsMany(nodes, pace, workers));
      }
      if (latency !== null) rows.push(latency);
    }
    return rows;
  } finally {
    await sim.stop();
  }
}

function against(nodes: number, ours: Costed, bull: Costed): Row {
  const shown = perSecond(ours.count, ours.ms, 'calls');
  const text = `${shown.text}, by ${nodes} (${toldCost(ours)})`;
  const each = { value: shown.value / nodes, text };
  const { value, text: told } = perSecond(bull.count, bull.ms, 'BullMQ jobs');
  const jobs = { value, text: `${told} (${toldCost(bull)})` };
  return ratioRow(`accepted, sent, settled: each of ${nodes} on Postgres`, each, jobs, {
    atLeast: 0.5,
  });
}

// Each node to each worker: both share the machine with as many others.
function againstAsMany(nodes: number, ours: Costed, bull: Costed): Row {
  const each = ({ count, ms }: Costed, what: string) => {
    const { value } = perSecond(count, ms, what);
    return { value: value / nodes, text: `${Math.round(value / nodes)} ${what}/s each` };
  };
  return ratioRow(
    `accepted, sent, settled: each of ${nodes} nodes and of ${nodes} workers`,
    each(ours, 'calls'),
    each(bull, 'BullMQ jobs'),
    { atLeast: 0.5 },
  );
}

// Where everything shares two cores, further nodes share what one had; what a message takes of a processor does not
// depend on that.
function byProcessor(nodes: number, ours: Costed, bull: Costed): Row {
  const perProcessor = ({ us }: Costed) => {
    const all = Object.values(us).reduce((sum, each) => sum + each, 0);
    return { value: 1e6 / all, text: `${Math.round(all)} µs a message` };
  };
  return ratioRow(
    `messages per second of processor time, ${nodes} on Postgres`,
    perProcessor(ours),
    perProcessor(bull),
    { atLeast: 0.5 },
  );
}

async function throughFleet(nodes: number, telegramApi: string) {
  const cluster = await startCluster({ isDurable: true });
  try {
    const databaseUrl = await cluster.database();
    return await inFolders(nodes, async (folders) => {
      const wide = { privatePerS: 1000, broadcastPerS: 1000, inFlightMax: 256 };
      const common = { databaseUrl, telegramApi, secret: SECRET, adminKey: ADMIN_KEY, ...wide };
      const started = folders.map((data, i) =>
        startChild<Gateway>('servers.ts', [
          'gateway',
          JSON.stringify({ ...common, data, node: `node-${i + 1}` }),
        ]),
      );
      const children = await Promise.all(started);
      try {
        const processes = {
          nodes: children.map(({ pid }) => pid),
          Postgres: [postgresPid(cluster)],
        };
        return await measured(children, databaseUrl, processes);
      } finally {
        await Promise.all(children.map((child) => child.stop()));
      }
    });
  } finally {
    await cluster.stop();
  }
}

async function measured(
  children: readonly Child<Gateway>[],
  databaseUrl: string,
  processes: Processes,
) {
  const ports = children.map(({ ready }) => ready.port);
  for (const bot of bots) await warm(ports[0]!, bot);
  const owners = await settledOwners(databaseUrl, children.length);
  const pace = await best(RUNS, () => loaded(ports, owners, processes), faster);
  return { pace, latency: children.length === 2 ? await forwarded(ports, owners) : null };
}

// As behind a balancer that knows nothing, most calls come to a node that does not own their account; a fleet whose
// callers stay with one node each, as bots do, is measured here: each node is asked for what it owns.
async function loaded(
  ports: readonly number[],
  owners: ReadonlyMap<number, number>,
  processes: Processes,
): Promise<Costed> {
  const each = ports.map((_, node) => bots.filter((bot) => owners.get(bot) === node));
  const run = async (calls: number) => {
    const began = performance.now();
    await Promise.all(
      ports.map((port, node) =>
        load({
          ...{ port, connections: CONNECTIONS, total: calls },
          request: (i) => requestOf(each[node]![i % each[node]!.length]!, i),
          expect: 'HTTP/1.1 200',
        }),
      ),
    );
    return { count: calls * ports.length, ms: performance.now() - began };
  };
  await run(WARM_UP_CALLS);
  const used = meter(processes);
  const pace = await run(CALLS);
  return { ...pace, us: used(pace.count) };
}

function requestOf(bot: number, i: number): string {
  const body = JSON.stringify({ chat_id: 1 + (i % CHATS), text: TEXT });
  return httpRequest(`/bot${tokenOf(bot)}/sendMessage`, ['content-type: application/json'], body);
}

async function warm(port: number, bot: number): Promise<void> {
  await load({
    ...{ port, connections: 1, total: 1, expect: 'HTTP/1.1 200' },
    request: () => requestOf(bot, 0),
  });
}

// Which node has which bot, when each is with the one that hashing names. Before that they move, and what is asked
// of their old owner is handed on: measured so, two nodes took twice the processor time of one.
async function settledOwners(url: string, nodes: number): Promise<Map<number, number>> {
  const sql = new PostgresConnection({ url, name: 'bench', schema: SCHEMA });
  const read = () =>
    sql.all(
      'SELECT o.account, n.incarnation, n.name FROM owners o JOIN nodes n ON n.incarnation = o.node',
    );
  const members = async () =>
    (await sql.all(
      'SELECT incarnation, name, started_at AS "startedAt" FROM nodes WHERE expires_at > now()',
    )) as unknown as HashedMember[];
  const areSettled = (rows: readonly PostgresRow[], all: readonly HashedMember[]) =>
    rows.length >= BOTS &&
    all.length === nodes &&
    rows.every((row) => ownerFor(String(row.account), all)?.incarnation === row.incarnation);
  let rows = await read();
  while (!areSettled(rows, await members())) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    rows = await read();
  }
  await sql.close();
  const numberOf = (text: unknown, separator: string) => Number(String(text).split(separator)[1]);
  return new Map(
    rows.map(({ account, name }) => [numberOf(account, ':'), numberOf(name, '-') - 1]),
  );
}

// One call at a time, to its owner and to the other node by turns.
async function forwarded(
  ports: readonly number[],
  owners: ReadonlyMap<number, number>,
): Promise<Row> {
  const pools = ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { connections: 1 }));
  const times: Record<'owned' | 'forwarded', number[]> = { owned: [], forwarded: [] };
  for (let i = 0; i < LATENCY_CALLS; i++) {
    const bot = bots[i % BOTS]!;
    for (const way of ['owned', 'forwarded'] as const) {
      const at = owners.get(bot)!;
      const pool = pools[way === 'owned' ? at : (at + 1) % ports.length]!;
      const began = performance.now();
      const { body } = await pool.request({
        path: `/bot${tokenOf(bot)}/sendMessage`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ chat_id: 1 + i, text: TEXT }),
      });
      await body.dump();
      times[way].push(performance.now() - began);
    }
  }
  await Promise.all(pools.map((pool) => pool.close()));
  const ms = (way: keyof typeof times) => {
    const value = times[way].sort((a, b) => a - b)[Math.floor(LATENCY_CALLS / 2)]!;
    return { value, text: `${value.toFixed(2)} ms ${way}` };
  };
  // No bound was set: it is to be known.
  return ratioRow('a call through another node, median', ms('forwarded'), ms('owned'), {
    atMost: 3,
  });
}

// A job per message, and workers that send it: as much work per message as the gateway has, less what it promises.
async function throughBullmq(workers: number, telegramApi: string): Promise<Costed> {
  return inFolder(async (folder) => {
    const redis = await startRedis(folder);
    const connection = { host: '127.0.0.1', port: redis.port };
    const queue = new Queue('bench', { connection });
    const about = { port: redis.port, telegramApi, concurrency: JOBS_AT_ONCE, token: tokenOf(999) };
    const startWorker = () =>
      startChild<object>('../machines/bullmq-worker.ts', [JSON.stringify(about)]);
    const children = await Promise.all(Array.from({ length: workers }, startWorker));
    await queue.waitUntilReady();
    const run = async (jobs: number) => {
      const before = await queue.getCompletedCount();
      const began = performance.now();
      await closedLoop(ADDS_IN_FLIGHT * workers, jobs, (i) =>
        queue.add('send', { chat_id: 1 + (i % CHATS), text: TEXT }),
      );
      while ((await queue.getCompletedCount()) < before + jobs) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return { count: jobs, ms: performance.now() - began };
    };
    await run(WARM_UP_JOBS * workers);
    const used = meter({ worker: children.map(({ pid }) => pid), Redis: [redis.pid] });
    const own = process.cpuUsage();
    const pace = await run(JOBS * workers);
    const { user, system } = process.cpuUsage(own);
    // Jobs are added here; whoever calls the gateway is not counted there.
    const us = { ...used(pace.count), adding: (user + system) / pace.count };
    await Promise.all(children.map((child) => child.stop()));
    await queue.close();
    await redis.stop();
    return { ...pace, us };
  });
}

async function inFolders<T>(count: number, work: (folders: string[]) => Promise<T>): Promise<T> {
  if (count === 0) return work([]);
  return inFolder((folder) => inFolders(count - 1, (rest) => work([folder, ...rest])));
}
