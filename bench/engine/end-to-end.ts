// A call in, sent, settled and answered, against a bare relay that keeps nothing, before the same simulator and
// under the same load. Limits are wide: this measures the road, not the pace.

import { best, perSecond, type Row, ratioRow } from '../row.ts';
import { startChild } from './child.ts';
import type { Pace } from './closed-loop.ts';
import { inFolder } from './folder.ts';
import { httpRequest, load } from './load.ts';
import { TEXT } from './sample.ts';

const RUNS = 3;
const CONNECTIONS = 200;
const CALLS = 30_000;
// A server that runs for months is measured warm.
const WARM_UP_CALLS = 20_000;
const BOTS = 40;
const CHATS = 4_000;

export async function endToEnd(): Promise<Row[]> {
  const sim = await startChild<{ url: string }>('servers.ts', ['sim']);
  const faster = (a: Pace, b: Pace) => a.count / a.ms > b.count / b.ms;
  const ours = await best(RUNS, () => throughGateway(sim.ready.url), faster);
  const relay = await best(RUNS, () => throughRelay(sim.ready.url), faster);
  await sim.stop();
  return [
    ratioRow(
      'sent and settled, end to end',
      perSecond(ours.count, ours.ms, 'calls'),
      perSecond(relay.count, relay.ms, 'relayed calls'),
      { atLeast: 0.6 },
    ),
  ];
}

function throughGateway(telegramApi: string): Promise<Pace> {
  return inFolder(async (data) => {
    const wide = { privatePerS: 1000, broadcastPerS: 1000, inFlightMax: 256 };
    const settings = JSON.stringify({ data, telegramApi, ...wide });
    const child = await startChild<{ port: number }>('servers.ts', ['gateway', settings]);
    const pace = await measure(child.ready.port);
    await child.stop();
    return pace;
  });
}

async function throughRelay(upstream: string): Promise<Pace> {
  const child = await startChild<{ port: number }>('servers.ts', ['relay', upstream]);
  const pace = await measure(child.ready.port);
  await child.stop();
  return pace;
}

export async function measure(port: number): Promise<Pace> {
  const requests = Array.from({ length: CHATS }, (_, i) => {
    const bot = 1000 + (i % BOTS);
    const body = JSON.stringify({ chat_id: i + 1, text: TEXT });
    const path = `/bot${bot}:benchbenchbenchbenchbenchbenchbench/sendMessage`;
    return httpRequest(path, ['content-type: application/json'], body);
  });
  const request = (i: number) => requests[i % CHATS]!;
  const common = { port, connections: CONNECTIONS, request, expect: 'HTTP/1.1 200' };
  // Every account is introduced before the clock starts.
  await load({ ...common, connections: 4, total: BOTS });
  await load({ ...common, total: WARM_UP_CALLS });
  return load({ ...common, total: CALLS });
}
