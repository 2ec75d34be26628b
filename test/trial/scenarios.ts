// What a fleet must outlive, each as one trouble under load. Times and sizes are the caller's: the tests play them
// short, `npm run fleet -- trial` long.

import { once } from 'node:events';
import type { RedisServer } from '../../src/cluster/redis.fixture.ts';
import type { Cluster } from '../../src/store/postgres/cluster.fixture.ts';
import { PostgresConnection } from '../../src/system/databases/postgres.ts';
import type { FleetProcesses } from '../process/fleet.ts';
import { FleetLoad, type LoadSize } from './load.ts';
import type { Machines } from './namespaces.ts';
import { judge, longestSilence, type Verdict } from './verdict.ts';

export interface Stage {
  readonly cluster: Cluster;
  readonly redis: RedisServer | null;
  readonly fleet: FleetProcesses;
  // null: all nodes are on this machine.
  readonly machines: Machines | null;
  readonly databaseUrl: string;
  readonly size: LoadSize;
  // For how long something is away.
  readonly awayMs: number;
  // How often it happens, where it happens again and again.
  readonly times: number;
  // Until the accounts of a node that died are sent for again.
  readonly takeOverMsMax: number;
  readonly say: (line: string) => void;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  // Callers may be asked to repeat: a node that they asked, or that was asked for them, is gone.
  readonly mayRefuse?: true;
  readonly needs?: 'redis' | 'machines';
  // Answers what does not hold beside the promises.
  play(stage: Stage, load: FleetLoad): Promise<string[]>;
}

// Of a node without Redis: its calls to it end, and its pace is the slower one.
const QUIET_MS_MAX = 10_000;
// Of a database that comes back: it is found, the spill is handed over, and accounts go on.
const RECOVERY_MS_MAX = 20_000;
// One that is cut off gives a batch up after 4 s, is believed to be cut off after 3 more, and is taken over from then.
const CUT_OFF_MS_MAX = 15_000;
const CUT_PAUSE_MS = 100;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'kills',
    title: 'owners are killed again and again',
    mayRefuse: true,
    play: killOwners,
  },
  {
    name: 'stop',
    title: 'one is stopped (SIGTERM) and started again',
    mayRefuse: true,
    play: stopOne,
  },
  {
    name: 'freeze',
    title: 'one is frozen (SIGSTOP) past its lease, and goes on',
    mayRefuse: true,
    play: freezeOne,
  },
  {
    name: 'database-killed',
    title: 'Postgres is killed, and started again',
    play: (stage, load) =>
      away(
        stage,
        load,
        () => stage.cluster.kill(),
        () => stage.cluster.start(),
      ),
  },
  {
    name: 'database-paused',
    title: 'Postgres is paused (SIGSTOP)',
    play: (stage, load) =>
      away(
        stage,
        load,
        async () => stage.cluster.freeze(),
        async () => stage.cluster.thaw(),
      ),
  },
  {
    name: 'database-cut',
    title: 'connections to Postgres are cut one by one',
    play: cutConnections,
  },
  {
    name: 'redis-killed',
    title: 'Redis is killed, and started again',
    needs: 'redis',
    play: (stage, load) =>
      withoutRedis(
        stage,
        load,
        () => killRedis(stage),
        () => stage.redis!.restart(),
      ),
  },
  {
    name: 'redis-paused',
    title: 'Redis is paused (SIGSTOP)',
    needs: 'redis',
    play: (stage, load) =>
      withoutRedis(
        stage,
        load,
        async () => void stage.redis!.process.kill('SIGSTOP'),
        async () => void stage.redis!.process.kill('SIGCONT'),
      ),
  },
  {
    name: 'redis-emptied',
    title: 'Redis is emptied (FLUSHALL) again and again',
    needs: 'redis',
    play: emptyRedis,
  },
  {
    name: 'both-killed',
    title: 'Postgres and Redis are killed, and started again',
    needs: 'redis',
    play: (stage, load) =>
      away(
        stage,
        load,
        async () => void (await Promise.all([stage.cluster.kill(), killRedis(stage)])),
        async () => void (await Promise.all([stage.redis!.restart(), stage.cluster.start()])),
      ),
  },
  {
    name: 'peers-cut',
    title: 'nodes are cut from each other, and from nothing else',
    needs: 'machines',
    mayRefuse: true,
    play: cutPeers,
  },
  {
    name: 'one-cut-off',
    title: 'one is cut from Postgres, and from nothing else',
    needs: 'machines',
    play: cutOff,
  },
];

export async function playScenario(stage: Stage, scenario: Scenario): Promise<Verdict> {
  const { fleet, size, databaseUrl, say } = stage;
  await Promise.all(fleet.nodes.map((node) => fleet.seesAll(node)));
  const load = new FleetLoad(scenario.name, fleet, size);
  await load.allSendAnew();
  const found = await scenario.play(stage, load);
  await load.allSendAnew();
  await load.end();
  say(`${load.accepted.length} accepted; waiting for the last of them`);
  await load.arrived();
  const verdict = await judge(load, databaseUrl);
  const refused =
    scenario.mayRefuse !== true && load.refused.length > 0
      ? [`${load.refused.length} requests were not accepted, the first: ${load.refused[0]}`]
      : [];
  return { ...verdict, faults: [...found, ...refused, ...verdict.faults] };
}

async function killOwners(stage: Stage, load: FleetLoad): Promise<string[]> {
  const { fleet, times, say, size, takeOverMsMax: bound } = stage;
  const faults: string[] = [];
  for (let i = 0; i < times; i++) {
    const at = (i + 1) % fleet.nodes.length;
    const node = fleet.nodes[at]!;
    load.down.add(node);
    const since = Date.now();
    await node.end('SIGKILL');
    await load.allSendAnew();
    const silentMs = longestSilence(load, since) - size.betweenMs;
    say(`node ${at + 1} killed: its accounts were silent for at most ${Math.max(0, silentMs)} ms`);
    if (silentMs > bound) faults.push(`a take-over took ${silentMs} ms, more than ${bound}`);
    await fleet.startNode(at);
    load.down.delete(node);
    await fleet.seesAll(node);
  }
  return faults;
}

async function stopOne({ fleet, say }: Stage, load: FleetLoad): Promise<string[]> {
  const node = fleet.nodes[0]!;
  load.down.add(node);
  const { code } = await node.end('SIGTERM');
  await load.allSendAnew();
  await fleet.startNode(0);
  load.down.delete(node);
  await fleet.seesAll(node);
  say(`stopped with ${code}, and started again`);
  const doubled = load.calls.length - load.sent.size;
  return [
    ...(code === 0 ? [] : [`it ended with ${code}`]),
    ...(doubled === 0 ? [] : [`${doubled} were sent twice though nothing died`]),
  ];
}

async function freezeOne({ fleet, say }: Stage, load: FleetLoad): Promise<string[]> {
  const at = 1;
  const node = fleet.nodes[at]!;
  load.down.add(node);
  load.frozen.add(at);
  node.signal('SIGSTOP');
  await load.allSendAnew();
  node.signal('SIGCONT');
  load.down.delete(node);
  await fleet.seesAll(node);
  await load.allSendAnew();
  const late = lateSettles(load);
  say(`went on; ${late.length} of its calls were in flight and were sent again by others`);
  // What the frozen node had of them was refused: the record names what another has sent.
  const records = await fleet.nodes[0]!.records();
  const ids = new Map(records.map((each) => [each.correlation, String(each.messageId)]));
  return late
    .filter(([text, last]) => ids.get(text) !== last)
    .map(([text]) => `the late settlement of ${text} was taken`);
}

// Of what was sent by two nodes: the text, and the message that the last of them made which was not frozen.
function lateSettles(load: FleetLoad): [text: string, last: string][] {
  const copies = [...Map.groupBy(load.calls, ({ text }) => text)];
  return copies
    .filter(([, calls]) => new Set(calls.map(({ node }) => node)).size > 1)
    .map(([text, calls]) => {
      const last = calls.findLast(({ node }) => !load.frozen.has(node))!;
      return [text, String(last.messageIds[0])];
    });
}

// Nothing is sent in that time, everything is accepted, and nobody lends a hand afterwards.
async function away(
  stage: Stage,
  load: FleetLoad,
  go: () => Promise<void>,
  come: () => Promise<void>,
): Promise<string[]> {
  await go();
  const before = load.accepted.length;
  await pause(stage.awayMs);
  await load.more(load.chats);
  stage.say(`${load.accepted.length - before} accepted while it was away`);
  const cameAt = Date.now();
  await come();
  await load.allSendAnew();
  const tookMs = Date.now() - cameAt;
  stage.say(`every account sends again ${tookMs} ms after it came back`);
  return tookMs > RECOVERY_MS_MAX ? [`recovery took ${tookMs} ms`] : [];
}

async function cutConnections(stage: Stage, load: FleetLoad): Promise<string[]> {
  const sql = new PostgresConnection({ url: stage.databaseUrl, name: 'cutter', schema: 'public' });
  const until = Date.now() + stage.awayMs;
  let cut = 0;
  do {
    const rows = await sql.all(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    for (const { pid } of rows) {
      const ended = await sql.get('SELECT pg_terminate_backend($1) AS ok', Number(pid));
      if (ended?.ok === true) cut += 1;
      await pause(CUT_PAUSE_MS);
    }
  } while (Date.now() < until);
  await sql.close();
  stage.say(`${cut} connections were cut`);
  await load.more(load.chats);
  return [];
}

async function withoutRedis(
  stage: Stage,
  load: FleetLoad,
  go: () => Promise<void>,
  come: () => Promise<void>,
): Promise<string[]> {
  const since = Date.now();
  await go();
  await pause(stage.awayMs);
  await load.more(load.chats);
  await come();
  await load.allSendAnew();
  return quiet(stage, load, since);
}

async function emptyRedis(stage: Stage, load: FleetLoad): Promise<string[]> {
  const since = Date.now();
  for (let i = 0; i < stage.times; i++) {
    await stage.redis!.admin.flushall();
    await load.more(load.chats);
  }
  return quiet(stage, load, since);
}

function quiet(
  { say, size }: Stage,
  load: FleetLoad,
  since: number,
  bound = QUIET_MS_MAX,
): string[] {
  const silentMs = longestSilence(load, since) - size.betweenMs;
  say(`accounts were silent for at most ${Math.max(0, silentMs)} ms`);
  return silentMs > bound ? [`an account was silent for ${silentMs} ms`] : [];
}

async function cutPeers(stage: Stage, load: FleetLoad): Promise<string[]> {
  const since = Date.now();
  stage.machines!.cutPeers();
  await pause(stage.awayMs);
  await load.allSendAnew();
  stage.machines!.joinPeers();
  return quiet(stage, load, since);
}

async function cutOff(stage: Stage, load: FleetLoad): Promise<string[]> {
  const since = Date.now();
  stage.machines!.cutBack(0);
  await pause(stage.awayMs);
  await load.allSendAnew();
  const faults = quiet(stage, load, since, CUT_OFF_MS_MAX);
  stage.machines!.joinBack(0);
  await load.allSendAnew();
  return faults;
}

async function killRedis({ redis }: Stage): Promise<void> {
  const child = redis!.process;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
