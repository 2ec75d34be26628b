// The same bot five times: through Sluice, alone, and with the helpers grammY's users take; before one
// simulated Telegram with a network that jitters, and Sluice once more before one that does not. A bot that calls
// too fast earns 429s, one that calls too slowly takes too long; the windows say what the least time is.

import type { JudgedCall, Network } from '../../src/sim/sim.ts';
import { startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import type { Row } from '../row.ts';
import type { Contest, Run } from './contestant.ts';
import { judge } from './judge.ts';
import { SLUICE, SLUICE_STEADY } from './names.ts';
import { rowsOf } from './rows.ts';
import { SCENARIOS } from './scenarios.ts';
import { type Line, printLines } from './table.ts';

const NETWORK: Network = { latencyMs: 40, jitterMs: 40, jitterBackMs: 0 };
const STEADY: Network = { latencyMs: 40, jitterMs: 0 };
// The longest scenario takes 80 s at best.
const GIVE_UP_MS = 130_000;
const BOTS_PER_CONTESTANT = 100;

const PEERS: Readonly<Record<string, Contest['helpers']>> = {
  grammY: [],
  'grammY + auto-retry': ['auto-retry'],
  'grammY + throttler + auto-retry': ['throttler', 'auto-retry'],
};

// `only` sluice: without the peers, which take twice as long.
export async function* pacing(only: string | null): AsyncIterable<Row> {
  // One after the other: six busy programs on two cores would measure each other.
  const steady = await contest(STEADY, SLUICE_STEADY, {});
  const jittery = await contest(NETWORK, SLUICE, only === 'sluice' ? {} : PEERS);
  const lines = [...jittery, ...steady];
  const inOrder = SCENARIOS.flatMap(({ name }) => lines.filter((line) => line.scenario === name));
  printLines(inOrder);
  yield* rowsOf(inOrder);
}

function contest(network: Network, sluice: string, peers: typeof PEERS): Promise<Line[]> {
  return inFolder(async (data) => {
    const sim = await startChild<{ url: string }>('../pacing/sim.ts', [JSON.stringify(network)]);
    const telegramApi = sim.ready.url;
    const settings = JSON.stringify({ data, telegramApi });
    const gateway = await startChild<{ port: number }>('servers.ts', ['gateway', settings]);
    const url = `http://127.0.0.1:${gateway.ready.port}`;
    const ours = await compete(sluice, {
      apiRoot: url,
      helpers: [],
      firstBot: BOTS_PER_CONTESTANT,
    });
    // Afterwards: thousands of refused calls would take the machine from whoever is measured beside them.
    const theirs = Object.entries(peers).map(([name, helpers], i) =>
      compete(name, { apiRoot: telegramApi, helpers, firstBot: BOTS_PER_CONTESTANT * (i + 2) }),
    );
    const runs = [ours, ...(await Promise.all(theirs))];
    const calls = await callsOf(telegramApi);
    await gateway.stop();
    await sim.stop();
    return runs.flatMap(({ name, results }) =>
      results.map((run, i) => {
        const scenario = SCENARIOS[i]!;
        const verdict = judge(scenario, run, calls.get(String(run.bot)) ?? []);
        return { scenario: scenario.name, contestant: name, verdict };
      }),
    );
  });
}

async function compete(name: string, entry: Omit<Contest, 'giveUpMs'>) {
  const argument = JSON.stringify({ ...entry, giveUpMs: GIVE_UP_MS } satisfies Contest);
  const child = await startChild<Run[]>('../pacing/contestant.ts', [argument]);
  await child.stop();
  console.error(`  ${name}: done`);
  return { name, results: child.ready };
}

type SeenCall = Omit<JudgedCall, 'token'> & { bot: string };

async function callsOf(simUrl: string): Promise<Map<string, SeenCall[]>> {
  const answer = await fetch(`${simUrl}/sim/calls`);
  const { calls } = (await answer.json()) as { calls: SeenCall[] };
  return Map.groupBy(calls, ({ bot }) => bot);
}
