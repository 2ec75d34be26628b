// What it costs that five hundred people have the page open: a gateway with so many on its stream of events, and the
// same gateway with none.

import { startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import { perSecond, type Row, ratioRow } from '../row.ts';
import { ADMIN_KEY, deliver, openGateway } from './gateway.ts';
import { inTurns, type Measure } from './turns.ts';

const PAGES = 500;
const TURNS = 6;
// Some seconds a turn: pages are told once a second.
const DELIVERIES = 20_000;
const LEAST = 0.95;

export async function watched(): Promise<Row[]> {
  const sim = await startChild<{ url: string }>('servers.ts', ['sim']);
  const { one, other } = await inFolder(async (folder) => {
    const gateway = await openGateway(folder, sim.ready.url, true);
    const url = await gateway.listen();
    const work = () => deliver(gateway, DELIVERIES, () => {});
    const withPages = async (measure: Measure) => {
      const args = [url, ADMIN_KEY, String(PAGES)];
      const pages = await startChild<number>('../metrics/pages.ts', args);
      await measure(work);
      await pages.stop();
    };
    const compared = await inTurns(TURNS, withPages, (measure) => measure(work));
    await gateway.close();
    return compared;
  });
  await sim.stop();
  return [
    ratioRow(
      'delivered per second of processor time',
      perSecond(DELIVERIES, one, `with ${PAGES} pages open`),
      perSecond(DELIVERIES, other, 'with none'),
      { atLeast: LEAST },
    ),
  ];
}
