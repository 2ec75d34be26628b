// A number of WhatsApp twice: through Sluice, and by a loop that repeats what is refused after the wait that Meta names
// (4^n s for a pair, else doubled seconds). Before one simulated WhatsApp with a network that jitters. What counts is
// how much of the least possible time is used, and how often the platform had to refuse.

import type { Network, WhatsappCall } from '../../src/sim/sim.ts';
import { startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import { type Row, ratioRow } from '../row.ts';

// A window of a second costs the mean jitter in each second, whoever keeps it: 10 ms and 20 ms of 1000.
const STEADY: Network = { latencyMs: 40, jitterMs: 20, jitterBackMs: 0 };
const JITTERY: Network = { latencyMs: 40, jitterMs: 40, jitterBackMs: 0 };
const TOKEN = 'EAAbenchbenchbenchbenchbench';
const PAIR_LIMIT = 131056;
const PAIR_EACH_MS = 6000;
const PAIR_BURST = 45;
const PER_S = 80;
const TRIES_MAX = 8;
const AT_ONCE = 40;
const LOOK_MS = 500;
const GIVE_UP_FACTOR = 2;

interface Scenario {
  readonly name: string;
  // To whom each message goes, in order.
  readonly users: readonly string[];
  readonly network: Network;
  readonly leastMs: number;
  readonly atLeast: number;
}

const CROWD = {
  users: Array.from({ length: 4000 }, (_, i) => `1650666${String(i % 1000).padStart(4, '0')}`),
  leastMs: ((4000 - PER_S) / PER_S) * 1000,
};

const SCENARIOS: readonly Scenario[] = [
  {
    name: '60 messages to one user',
    users: Array.from({ length: 60 }, () => '16505550001'),
    network: JITTERY,
    leastMs: (60 - PAIR_BURST) * PAIR_EACH_MS,
    atLeast: 0.95,
  },
  { ...CROWD, name: '4,000 to 1,000 users, 20 ms of jitter', network: STEADY, atLeast: 0.97 },
  { ...CROWD, name: '4,000 to 1,000 users, 40 ms of jitter', network: JITTERY, atLeast: 0.97 },
];

// `only` sluice: without the loop, which takes longer.
export async function* whatsapp(only: string | null): AsyncIterable<Row> {
  for (const [i, scenario] of SCENARIOS.entries()) {
    const ours = await inFolder((data) => throughSluice(data, `10${i}`, scenario));
    const theirs = only === 'sluice' ? null : await alone(`20${i}`, scenario);
    const loop = theirs === null ? 'not run' : share(theirs, scenario);
    yield ratioRow(
      `${scenario.name}: least ÷ taken (loop: ${loop})`,
      { text: `${seconds(ours.tookMs)}`, value: scenario.leastMs },
      { text: `${seconds(scenario.leastMs)} at best`, value: ours.tookMs },
      { atLeast: scenario.atLeast },
    );
    yield ratioRow(
      `${scenario.name}: refusals`,
      {
        text: `${ours.refused} (pair: ${ours.pairs}), lost ${ours.lost}`,
        value: ours.refused + ours.lost,
      },
      { text: `loop: ${theirs?.refused ?? '–'}, lost ${theirs?.lost ?? '–'}`, value: 1 },
      { atMost: 0 },
    );
  }
}

interface Verdict {
  readonly tookMs: number;
  readonly refused: number;
  readonly pairs: number;
  readonly lost: number;
}

async function throughSluice(data: string, number: string, scenario: Scenario): Promise<Verdict> {
  const network = JSON.stringify(scenario.network);
  const sim = await startChild<{ url: string }>('../whatsapp/sim.ts', [network]);
  const settings = JSON.stringify({ data, whatsappApi: sim.ready.url });
  const gateway = await startChild<{ port: number }>('servers.ts', ['gateway', settings]);
  const url = `http://127.0.0.1:${gateway.ready.port}`;
  const early = { prefer: 'respond-async' };
  // Several at once, so that handing over is never what takes the time; each user's in order.
  for (let from = 0; from < scenario.users.length; from += AT_ONCE) {
    const some = scenario.users.slice(from, from + AT_ONCE);
    await Promise.all(some.map((user, i) => post(url, number, user, String(from + i), early)));
  }
  await untilSent(sim.ready.url, scenario);
  const verdict = judge(await callsOf(sim.ready.url, number), scenario);
  await gateway.stop();
  await sim.stop();
  return verdict;
}

async function alone(number: string, scenario: Scenario): Promise<Verdict> {
  const network = JSON.stringify(scenario.network);
  const sim = await startChild<{ url: string }>('../whatsapp/sim.ts', [network]);
  const { url } = sim.ready;
  await Promise.all(scenario.users.map((user, i) => repeat(url, number, user, String(i))));
  const verdict = judge(await callsOf(url, number), scenario);
  await sim.stop();
  return verdict;
}

async function repeat(url: string, number: string, user: string, text: string): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const code = await post(url, number, user, text);
    if (code === null) return;
    const waitS = code === PAIR_LIMIT ? 4 ** Math.min(tries, 3) : 2 ** tries;
    await new Promise((resolve) => setTimeout(resolve, waitS * 1000));
  }
}

// The code of an error; null: it was sent.
async function post(
  url: string,
  number: string,
  to: string,
  body: string,
  more: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const answer = await fetch(`${url}/v23.0/${number}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify({ messaging_product: 'whatsapp', to, type: 'text', text: { body } }),
  });
  const said = (await answer.json()) as { error?: { code: number } };
  return said.error?.code ?? null;
}

// All of them are taken, or it takes much longer than it should.
async function untilSent(simUrl: string, { users, leastMs }: Scenario): Promise<void> {
  for (let waitedMs = 0; waitedMs < GIVE_UP_FACTOR * leastMs; waitedMs += LOOK_MS) {
    const { messages } = (await (await fetch(`${simUrl}/sim/stats`)).json()) as {
      messages: number;
    };
    if (messages >= users.length) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function callsOf(simUrl: string, number: string): Promise<WhatsappCall[]> {
  const answer = await fetch(`${simUrl}/sim/calls`);
  const { calls } = (await answer.json()) as { calls: (WhatsappCall & { bot: string })[] };
  return calls.filter(({ bot, method }) => bot === number && method === 'send');
}

function judge(calls: readonly WhatsappCall[], { users }: Scenario): Verdict {
  const sent = calls.filter(({ code }) => code === null);
  const refused = calls.filter(({ code }) => code !== null);
  return {
    tookMs: (sent.at(-1)?.arrivedAt ?? 0) - (calls[0]?.arrivedAt ?? 0),
    refused: refused.length,
    pairs: refused.filter(({ code }) => code === PAIR_LIMIT).length,
    lost: users.length - sent.length,
  };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const share = ({ tookMs }: Verdict, { leastMs }: Scenario) => (leastMs / tookMs).toFixed(2);
