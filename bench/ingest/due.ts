// Every source due at once: what a look costs beside its calls must not grow with the number of sources. On a virtual
// clock and a store in memory, by processor time.

import { INGEST_DEFAULTS, Ingest } from '../../src/ingest/ingest.ts';
import type { ChannelReader } from '../../src/platforms/history.ts';
import { createMemoryStore } from '../../src/store/memory/memory.ts';
import { Periodic } from '../../src/system/periodic.ts';
import { seededRandom } from '../../src/system/random.ts';
import { virtualClock } from '../../src/system/virtual-clock.ts';
import { best, type Row, ratioRow } from '../row.ts';

const FEW = 250;
const MANY = 1_000;
const RUNS = 3;
const KIND = 'quiet';
const START = 1_760_000_000_000;
const HOUR_MS = 3_600_000;

interface Took {
  readonly msPerLook: number;
  readonly mib: number;
}

export async function due(): Promise<Row[]> {
  const faster = (a: Took, b: Took) => a.msPerLook < b.msPerLook;
  const few = await best(RUNS, () => allDue(FEW), faster);
  const many = await best(RUNS, () => allDue(MANY), faster);
  const text = (sources: number, { msPerLook, mib }: Took) => ({
    value: msPerLook,
    text: `${sources}: ${(msPerLook * 1000).toFixed(0)} µs a look, ${mib.toFixed(0)} MiB`,
  });
  return [ratioRow('a look, all sources due', text(MANY, many), text(FEW, few), { atMost: 2 })];
}

async function allDue(sources: number): Promise<Took> {
  const clock = virtualClock(START);
  const store = createMemoryStore().journal.ingest;
  let peak = 0;
  const reader = async () =>
    quietReader(() => {
      peak = Math.max(peak, process.memoryUsage().heapUsed);
    });
  const service = new Ingest({
    ...{
      store,
      clock,
      periodic: new Periodic(clock),
      random: seededRandom(1),
      node: 'one',
      token: 'token',
    },
    pools: [{ kind: { kind: KIND, open: reader }, accounts: async () => null }],
    settings: INGEST_DEFAULTS,
  });
  for (let i = 0; i < sources; i++) await service.add(KIND, `@${i}`);
  const before = process.memoryUsage().heapUsed;
  const cpu = process.cpuUsage();
  await service.start();
  await clock.run(START + HOUR_MS / 60);
  const { user, system } = process.cpuUsage(cpu);
  const { looks } = service.counters;
  if (looks.historical < sources)
    throw new Error(`${looks.historical} of ${sources} were looked at`);
  const mib = Math.max(0, peak - before) / 2 ** 20;
  await service.stop(0);
  return { msPerLook: (user + system) / 1000 / (looks.historical + looks.incremental), mib };
}

function quietReader(onCall: () => void): ChannelReader {
  return {
    resolve: async (name) => ({
      kind: 'read',
      value: { id: name, access: null, name, title: name },
    }),
    history: async () => {
      onCall();
      return { kind: 'read', value: { posts: [], newestId: '0', mark: '1' } };
    },
    changes: async () => ({
      kind: 'read',
      value: { kind: 'changes', posts: [], deleted: [], mark: '1', isLast: true, notBeforeMs: 0 },
    }),
    close: async () => {},
  };
}
