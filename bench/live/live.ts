// Live output by plain edits: sessions of one group (and of private chats) that edit their messages far more often than
// the chat affords, by the drop-in and by REST, on a gateway in a process of its own before a simulated Telegram with
// latency and jitter. Each row is what was seen against what is promised. `npm run bench -- live six` plays one.

import { loadavg } from 'node:os';
import type { Network } from '../../src/sim/sim.ts';
import { type Child, startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import { type Row, ratioRow } from '../row.ts';
import type { SeenCall } from '../streams/staleness.ts';
import { type DoorName, openDoor } from './doors.ts';
import { type Judged, judge, type Played, pause, play, type Scenario } from './scenario.ts';

const NETWORK: Network = { latencyMs: 40, jitterMs: 40, jitterBackMs: 0 };
const DOORS: readonly DoorName[] = ['drop-in', 'REST'];
const EDIT_MS = 250;
const EDITS_MS = 30_000;
// Looks at the record until every last text is there, however late: that is a figure, too.
const LOOK_MS = 1000;
const LATE_MS_MAX = 120_000;
// Of a final, for each that waits in its chat, and beyond.
const SLOT_MS = 3000;

const EDITED = { isAwaited: false, everyMs: EDIT_MS, editsMs: EDITS_MS } as const;
const PLAIN = { ...EDITED, isPrivate: false, restMs: 0 } as const;
const GROUP = { ...PLAIN, commandMsMax: null } as const;
const finalsOf = (sessions: number) => SLOT_MS * sessions + SLOT_MS;

const SCENARIOS: readonly Scenario[] = [
  { ...GROUP, name: 'six', sessions: 6, finalMsMax: 10_000, commandMsMax: 4000 },
  { ...GROUP, name: 'awaited-1s', sessions: 6, isAwaited: true, everyMs: 1000, finalMsMax: 12_000 },
  { ...GROUP, name: 'awaited-3s', sessions: 6, isAwaited: true, everyMs: 3000, finalMsMax: 12_000 },
  { ...GROUP, name: 'one', sessions: 1, finalMsMax: finalsOf(1) },
  { ...GROUP, name: 'three', sessions: 3, finalMsMax: finalsOf(3) },
  // Twenty first messages use up the group's minute; a minute later it is whole again.
  { ...GROUP, name: 'twenty', sessions: 20, finalMsMax: finalsOf(20) },
  { ...GROUP, name: 'twenty-rested', sessions: 20, restMs: 60_000, finalMsMax: finalsOf(20) },
  { ...GROUP, name: 'private', sessions: 3, isPrivate: true, finalMsMax: 1500 },
];

interface Servers {
  readonly simUrl: string;
  readonly gateway: { readonly url: string; readonly key: string };
}

export async function* live(only: string | null): AsyncIterable<Row> {
  const chosen = SCENARIOS.filter(({ name }) => only === null || name === only);
  const names = SCENARIOS.map(({ name }) => name).join(', ');
  if (chosen.length === 0) throw new Error(`no scenario is called ${only}; there are: ${names}`);
  for (const scenario of chosen) {
    const judged = await inFolder((data) => withServers(data, (at) => playBoth(at, scenario)));
    const shown = DOORS.map((door) => `${door} ${judged.get(door)!.showings.join(', ')}`);
    const load = loadavg()[0]!.toFixed(1);
    console.error(`  ${scenario.name}: load ${load}, showings of each by ${shown.join('; by ')}`);
    for (const door of DOORS) yield* rowsOf(scenario, door, judged.get(door)!);
  }
}

async function withServers<T>(data: string, run: (servers: Servers) => Promise<T>): Promise<T> {
  const sim: Child<{ url: string }> = await startChild('../pacing/sim.ts', [
    JSON.stringify(NETWORK),
  ]);
  const settings = JSON.stringify({ data, telegramApi: sim.ready.url });
  const gateway: Child<{ port: number; adminKey: string }> = await startChild('servers.ts', [
    'gateway',
    settings,
  ]);
  const { port, adminKey: key } = gateway.ready;
  try {
    return await run({ simUrl: sim.ready.url, gateway: { url: `http://127.0.0.1:${port}`, key } });
  } finally {
    await gateway.stop();
    await sim.stop();
  }
}

// Each door with a bot and chats of its own: their limits do not meet.
async function playBoth(servers: Servers, scenario: Scenario): Promise<Map<DoorName, Judged>> {
  const judged = DOORS.map(async (name, i): Promise<[DoorName, Judged]> => {
    const bot = String(101 + i);
    const door = openDoor(name, servers.gateway, `${bot}:benchbenchbenchbenchbenchbenchbench`);
    try {
      const played = await play(door, scenario, 1000 * (i + 1));
      return [name, await judgeInTime(servers.simUrl, bot, scenario, played)];
    } finally {
      await door.close();
    }
  });
  return new Map(await Promise.all(judged));
}

async function judgeInTime(
  simUrl: string,
  bot: string,
  { finalMsMax }: Scenario,
  played: Played,
): Promise<Judged> {
  const lastReadyAt = Math.max(...played.edited.map(({ readyAt }) => readyAt));
  for (;;) {
    const answer = await fetch(`${simUrl}/sim/calls`);
    const { calls } = (await answer.json()) as { calls: SeenCall[] };
    const own = calls.filter((call) => call.bot === bot);
    const judged = judge(played, own);
    const isOver = Date.now() > lastReadyAt + finalMsMax + LATE_MS_MAX;
    if (Number.isFinite(judged.slowestFinalMs) || isOver) return judged;
    await pause(LOOK_MS);
  }
}

function* rowsOf(scenario: Scenario, door: DoorName, judged: Judged): Iterable<Row> {
  const { name, finalMsMax, commandMsMax, isPrivate } = scenario;
  const row = (what: string, seen: Figure, most: Figure) =>
    ratioRow(`${name}, ${door}: ${what}`, seen, most, { atMost: 1 });
  yield row('slowest last text', seconds(judged.slowestFinalMs), seconds(finalMsMax));
  if (commandMsMax !== null)
    yield row('command', seconds(judged.commandMs!), seconds(commandMsMax));
  // As shares of one more, so that none of none is no ratio of zeros.
  yield row('429s', count(judged.limited), count(0));
  if (!isPrivate) yield row('showings ahead', aheadOf(judged), count(1));
}

interface Figure {
  readonly value: number;
  readonly text: string;
}

function seconds(ms: number): Figure {
  return { value: ms, text: Number.isFinite(ms) ? `${(ms / 1000).toFixed(2)} s` : 'never' };
}

// The bound is on those ahead; the plain difference also counts texts that stood still and were taken for the last.
function aheadOf({ ahead, showings }: Judged): Figure {
  const difference = Math.max(...showings) - Math.min(...showings);
  return { value: ahead + 1, text: `${ahead} (plain difference ${difference})` };
}

function count(n: number): Figure {
  return { value: n + 1, text: String(n) };
}
