// Bots of Discord twice, with its own client library: through Sluice, and alone, where the library's own limiter is all
// there is. Before one simulated Discord with a network that jitters. What counts is how much of the least possible
// time is used, how often the platform had to refuse, and that nothing is lost, doubled or out of order.

import type { DiscordCall, Network } from '../../src/sim/sim.ts';
import { type Child, startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import { type Row, ratioRow } from '../row.ts';
import type { Asked, Start } from './client.ts';
import { FINAL, SCENARIOS, type Scenario } from './scenarios.ts';

const NETWORK: Network = { latencyMs: 40, jitterMs: 40, jitterBackMs: 40 };
const SHARE_MIN = 0.95;
// Of the last texts of all answers: each has its slot in the channel, one a second in the order in which they were
// handed over, and comes so soon after it.
const FINAL_MS_MAX = 3000;
const SLOT_MS = 1000;

type Call = DiscordCall & { readonly bot: string };

interface Verdict {
  readonly limited: number;
  readonly tookMs: number;
  readonly lost: number;
  readonly doubled: number;
  readonly outOfOrder: number;
  // Of the last texts, the one that came latest after its slot; 0: there are none.
  readonly finalMs: number;
}

// `only` sluice: without the client alone.
export async function* discord(only: string | null): AsyncIterable<Row> {
  const ours = await inFolder((data) => throughSluice({ data }, SCENARIOS));
  const paced = { qosDiscord: 'coalesce_only' } as const;
  const live = SCENARIOS.filter(({ leastMs }) => leastMs === null);
  const inTurns = await inFolder((data) => throughSluice({ data, ...paced }, live));
  const theirs = only === 'sluice' ? null : await alone();
  for (const [i, scenario] of SCENARIOS.entries()) {
    yield* rowsOf(scenario, ours[i]!, theirs?.[i] ?? null);
  }
  for (const [i, scenario] of live.entries()) {
    const name = `${scenario.name}, coalesce_only`;
    const alone = theirs?.[SCENARIOS.indexOf(scenario)] ?? null;
    yield* rowsOf({ ...scenario, name }, inTurns[i]!, alone);
  }
}

function* rowsOf(scenario: Scenario, ours: Verdict, theirs: Verdict | null): Iterable<Row> {
  const { name, leastMs } = scenario;
  if (leastMs !== null) {
    const other = theirs === null ? 'not run' : (leastMs / theirs.tookMs).toFixed(2);
    yield ratioRow(
      `${name}: least ÷ taken (client alone: ${other})`,
      { text: seconds(ours.tookMs), value: leastMs },
      { text: `${seconds(leastMs)} at best`, value: ours.tookMs },
      { atLeast: SHARE_MIN },
    );
  } else {
    yield ratioRow(
      `${name}: the latest of the last texts after its slot`,
      { text: seconds(ours.finalMs), value: ours.finalMs },
      { text: theirs === null ? 'not run' : seconds(theirs.finalMs), value: FINAL_MS_MAX },
      { atMost: 1 },
    );
  }
  const wrong = ours.limited + ours.lost + ours.doubled + ours.outOfOrder;
  yield ratioRow(
    `${name}: 429s, lost, doubled, out of order`,
    { text: faultsOf(ours), value: wrong },
    { text: theirs === null ? 'not run' : faultsOf(theirs), value: 1 },
    { atMost: 0 },
  );
}

async function throughSluice(
  own: { data: string; qosDiscord?: 'coalesce_only' },
  scenarios: readonly Scenario[],
): Promise<Verdict[]> {
  const sim = await startChild<{ url: string }>('../discord/sim.ts', [JSON.stringify(NETWORK)]);
  const settings = JSON.stringify({ ...own, discordApi: sim.ready.url });
  const gateway = await startChild<{ port: number }>('servers.ts', ['gateway', settings]);
  const url = `http://127.0.0.1:${gateway.ready.port}`;
  const verdicts = await play(url, sim.ready.url, scenarios);
  await gateway.stop();
  await sim.stop();
  return verdicts;
}

async function alone(): Promise<Verdict[]> {
  const sim = await startChild<{ url: string }>('../discord/sim.ts', [JSON.stringify(NETWORK)]);
  const verdicts = await play(sim.ready.url, sim.ready.url, SCENARIOS);
  await sim.stop();
  return verdicts;
}

// All of these at once, each with a bot of its own.
async function play(
  api: string,
  simUrl: string,
  scenarios: readonly Scenario[],
): Promise<Verdict[]> {
  const asked = await Promise.all(
    scenarios.map((scenario) => ask(api, scenario, SCENARIOS.indexOf(scenario))),
  );
  const { calls } = (await (await fetch(`${simUrl}/sim/calls`)).json()) as { calls: Call[] };
  return asked.map((each) => judge(each, calls));
}

async function ask(api: string, scenario: Scenario, i: number): Promise<Asked[][]> {
  const id = Buffer.from(`12345678901234567${i}`).toString('base64url');
  const token = `${id}.Gbench.${'b'.repeat(30)}`;
  const processes = Array.from({ length: scenario.processes }, async (_, n) => {
    const start: Start = { api, scenario: i, process: n, token };
    const client: Child<Asked[]> = await startChild('../discord/client.ts', [
      JSON.stringify(start),
    ]);
    await client.stop();
    return client.ready;
  });
  return Promise.all(processes);
}

function judge(processes: readonly Asked[][], calls: readonly Call[]): Verdict {
  const asked = processes.flat();
  const channels = new Set(asked.map(({ channel }) => channel));
  const own = calls.filter(({ chat }) => chat !== null && channels.has(chat));
  const sent = own.filter(({ acceptedAt, text }) => acceptedAt !== null && text !== null);
  const copies = asked.map(
    ({ channel, text }) =>
      sent.filter((call) => call.chat === channel && call.text === text).length,
  );
  return {
    limited: own.filter(({ status }) => status === 429).length,
    tookMs: (sent.at(-1)?.arrivedAt ?? 0) - (sent[0]?.arrivedAt ?? 0),
    lost: copies.filter((count) => count === 0).length,
    doubled: copies.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    outOfOrder: processes.reduce((sum, each) => sum + inversions(each, sent), 0),
    finalMs: finalMsOf(asked, sent),
  };
}

// Of what one process asked for in one channel, how often something came before what was asked for earlier.
function inversions(asked: readonly Asked[], sent: readonly Call[]): number {
  let count = 0;
  for (const each of Map.groupBy(asked, ({ channel }) => channel).values()) {
    if (each.some(({ text }) => text.startsWith(FINAL))) continue;
    const at = each.map(({ channel, text }) =>
      sent.findIndex((call) => call.chat === channel && call.text === text),
    );
    count += at.filter((place, i) => i > 0 && place >= 0 && place < at[i - 1]!).length;
  }
  return count;
}

function finalMsOf(asked: readonly Asked[], sent: readonly Call[]): number {
  const finals = asked.filter(({ text }) => text.startsWith(FINAL)).sort((a, b) => a.at - b.at);
  const lateMs = finals.map(({ text, at }, i) => shownLastAt(text, sent) - at - (i + 1) * SLOT_MS);
  return Math.max(0, ...lateMs);
}

// One that something was shown after is never shown.
function shownLastAt(text: string, sent: readonly Call[]): number {
  const shown = sent.find((call) => call.text === text);
  if (shown === undefined) return Number.POSITIVE_INFINITY;
  const isLast = sent.filter(({ messageIds }) => sharesOne(messageIds, shown)).at(-1) === shown;
  return isLast ? shown.arrivedAt : Number.POSITIVE_INFINITY;
}

function sharesOne(ids: readonly (string | number)[], { messageIds }: Call): boolean {
  return ids.some((id) => messageIds.some((other) => other === id));
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const faultsOf = ({ limited, lost, doubled, outOfOrder }: Verdict) =>
  [limited, lost, doubled, outOfOrder].join(', ');
