// What the metrics cost the road: the same gateway, now counted and now not. Two gateways side by side would differ by
// more than that without any cause; and so would two turns of one, on a shared machine. So it is counted many times
// over, which no noise hides, and one part of the difference is what counting once costs. One thing the many share:
// Node gives notice of a garbage collection once, however many hear of it. That is measured by itself and added whole.

import { createMetrics, type Metrics } from '../../src/telemetry/metrics/metrics.ts';
import { startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import { perSecond, type Row, ratioRow } from '../row.ts';
import { noticeMs } from './collections.ts';
import { deliver, openGateway } from './gateway.ts';
import { watchProcess } from './process-watch.ts';
import { inTurns, type Measure } from './turns.ts';

const TURNS = 60;
const TIMES = 20;
const DELIVERIES = 1500;
const LEAST = 0.99;

export async function overhead(): Promise<Row[]> {
  const sim = await startChild<{ url: string }>('servers.ts', ['sim']);
  const collections: number[] = [];
  const { one: overdone, other: without } = await inFolder(async (folder) => {
    const gateway = await openGateway(folder, sim.ready.url, false);
    const boards = Array.from({ length: TIMES }, () => createMetrics({ process: false }));
    const counted = async (measure: Measure) => {
      const unlisten = boards.map(({ listen }) => gateway.events(listen));
      const watches = boards.map(() => watchProcess());
      await measure(async () => {
        await deliver(gateway, DELIVERIES, () => countCall(boards));
        // Asked for by each every 15 s it would be one in several turns.
        await boards[0]!.text();
      });
      const told = watches.map((watch) => watch.stop());
      collections.push(told[0]!);
      for (const stop of unlisten) stop();
    };
    const plain = (measure: Measure) => measure(() => deliver(gateway, DELIVERIES, () => {}));
    const compared = await inTurns(TURNS, counted, plain);
    await gateway.close();
    return compared;
  });
  await sim.stop();
  const notices = mean(collections) * (await noticeMs());
  const once = without + (overdone - without) / TIMES + notices;
  return [
    ratioRow(
      'delivered per second of processor time',
      perSecond(DELIVERIES, once, 'with metrics'),
      perSecond(DELIVERIES, without, 'without'),
      { atLeast: LEAST },
    ),
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// Beside the road's events: the caller's request, and (more often than it is) a commit.
function countCall(boards: readonly Metrics[]): void {
  for (const board of boards) {
    board.countRequest('/v1/messages', 202);
    board.countCommit(1, 1);
  }
}
