// The same live answers three times, before one simulated Telegram with a network that jitters: through Sluice, by a
// loop that edits once a second, and by grammY's throttler. What counts is how old the text is that people see.

import type { Network } from '../../src/sim/sim.ts';
import { startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import { type Row, ratioRow } from '../row.ts';
import type { Known } from './answers.ts';
import type { Entry, Way } from './contestant.ts';
import { type SeenCall, type Staleness, stalenessOf } from './staleness.ts';

const NETWORK: Network = { latencyMs: 40, jitterMs: 40, jitterBackMs: 0 };
// The answers take a minute; whoever is not done by then has shown too little.
const GIVE_UP_MS = 100_000;
// Its final comes when its chat affords it.
const SETTLE_MS = 20_000;
const NAMES: Readonly<Record<Way, string>> = {
  sluice: 'Sluice',
  loop: 'an edit a second',
  throttler: "grammY's throttler",
};

type Judged = Readonly<Record<'private' | 'group', Staleness>>;

export async function* streams(): AsyncIterable<Row> {
  const judged = await inFolder(contest);
  for (const where of ['private', 'group'] as const) {
    const ours = judged.sluice[where];
    printLine(where, judged);
    for (const peer of ['loop', 'throttler'] as const) {
      const theirs = judged[peer][where];
      for (const share of ['p50Ms', 'p95Ms'] as const) {
        const name = `staleness ${share.slice(0, 3)}, ${where} chats`;
        yield ratioRow(name, seconds(ours[share]), seconds(theirs[share], NAMES[peer]), {
          atMost: 1,
        });
      }
    }
    yield ratioRow(
      `finals shown, ${where} chats`,
      { value: ours.finals, text: `${ours.finals} of ${ours.answers}` },
      { value: ours.answers, text: 'all' },
      { atLeast: 1 },
    );
  }
}

async function contest(data: string): Promise<Record<Way, Judged>> {
  const sim = await startChild<{ url: string }>('../pacing/sim.ts', [JSON.stringify(NETWORK)]);
  const telegramApi = sim.ready.url;
  const settings = JSON.stringify({ data, telegramApi });
  const gateway = await startChild<{ port: number; adminKey: string }>('servers.ts', [
    'gateway',
    settings,
  ]);
  const url = `http://127.0.0.1:${gateway.ready.port}`;
  const key = gateway.ready.adminKey;
  const entries: Record<Way, Omit<Entry, 'way' | 'giveUpMs'>> = {
    sluice: { url, key, bot: 101 },
    loop: { url: telegramApi, key: '', bot: 102 },
    throttler: { url: telegramApi, key: '', bot: 103 },
  };
  const ways = Object.keys(entries) as Way[];
  const known = await Promise.all(ways.map((way) => compete(way, entries[way])));
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const calls = await callsOf(telegramApi);
  await gateway.stop();
  await sim.stop();
  const judge = (way: Way, i: number): [Way, Judged] => {
    const own = calls.get(String(entries[way].bot)) ?? [];
    const side = (isPrivate: boolean) =>
      stalenessOf(
        known[i]!.filter(({ place }) => place.chat > 0 === isPrivate),
        own,
      );
    return [way, { private: side(true), group: side(false) }];
  };
  return Object.fromEntries(ways.map(judge)) as Record<Way, Judged>;
}

async function compete(way: Way, entry: Omit<Entry, 'way' | 'giveUpMs'>): Promise<Known[]> {
  const argument = JSON.stringify({ ...entry, way, giveUpMs: GIVE_UP_MS } satisfies Entry);
  const child = await startChild<Known[]>('../streams/contestant.ts', [argument]);
  await child.stop();
  console.error(`  ${NAMES[way]}: done`);
  return child.ready;
}

async function callsOf(simUrl: string): Promise<Map<string, SeenCall[]>> {
  const answer = await fetch(`${simUrl}/sim/calls`);
  const { calls } = (await answer.json()) as { calls: SeenCall[] };
  return Map.groupBy(calls, ({ bot }) => bot);
}

function seconds(ms: number, who = '') {
  const text = Number.isFinite(ms) ? `${(ms / 1000).toFixed(2)} s` : 'never';
  return { value: ms, text: who === '' ? text : `${text} ${who}` };
}

function printLine(where: string, judged: Record<Way, Judged>): void {
  for (const [way, by] of Object.entries(judged) as [Way, Judged][]) {
    const { p50Ms, p95Ms, finals, answers, earned429 } = by[where as keyof Judged];
    console.log(
      `${where.padEnd(8)} ${NAMES[way].padEnd(20)} p50 ${seconds(p50Ms).text.padStart(8)}  ` +
        `p95 ${seconds(p95Ms).text.padStart(8)}  whole ${finals}/${answers}  429s ${earned429}`,
    );
  }
}
