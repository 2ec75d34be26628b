// What the metrics cost the road: the same gateway, now counted and now not. Two gateways side by side would differ by
// more than that without any cause.

import { createMetrics } from '../../src/ledger/metrics.ts';
import { startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import { perSecond, type Row, ratioRow } from '../row.ts';
import { deliver, openGateway } from './gateway.ts';
import { watchProcess } from './process-watch.ts';
import { inTurns, type Measure } from './turns.ts';

const TURNS = 80;
const DELIVERIES = 1500;
const LEAST = 0.99;

export async function overhead(): Promise<Row[]> {
  const sim = await startChild<{ url: string }>('servers.ts', ['sim']);
  const { one, other } = await inFolder(async (folder) => {
    const gateway = await openGateway(folder, sim.ready.url, false);
    const metrics = createMetrics({ process: false });
    const counted = async (measure: Measure) => {
      const unlisten = gateway.events(metrics.listen);
      const watch = watchProcess();
      await measure(() =>
        deliver(gateway, DELIVERIES, () => {
          // Beside the road's events: the caller's request, and (more often than it is) a commit.
          metrics.countRequest('/v1/messages', 202);
          metrics.countCommit(1, 1);
        }),
      );
      watch.stop();
      unlisten();
    };
    const plain = (measure: Measure) => measure(() => deliver(gateway, DELIVERIES, () => {}));
    const compared = await inTurns(TURNS, counted, plain);
    await gateway.close();
    return compared;
  });
  await sim.stop();
  return [
    ratioRow(
      'delivered per second of processor time',
      perSecond(DELIVERIES, one, 'with metrics'),
      perSecond(DELIVERIES, other, 'without'),
      { atLeast: LEAST },
    ),
  ];
}
