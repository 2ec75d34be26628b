// Plain edits in real time: a gateway in a process of its own, clients that know nothing of streams, and a Telegram
// with latency and jitter. How much may be shown, and in which turns, is judged in simulated time; here, that the doors
// hold.

import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { type DoorName, openDoor } from '../bench/live/doors.ts';
import { type Judged, judge, type Played, play, type Scenario } from '../bench/live/scenario.ts';
import type { SeenCall } from '../bench/streams/staleness.ts';
import { type JudgedCall, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { until } from './process/look.ts';

const NETWORK = { latencyMs: 40, jitterMs: 40, jitterBackMs: 0 };
const SESSIONS = 3;
const FINAL_MS_MAX = 3000 * SESSIONS + 3000;
const SCENARIO: Scenario = {
  name: 'three topics of one group',
  sessions: SESSIONS,
  isPrivate: false,
  isAwaited: false,
  everyMs: 250,
  editsMs: 8000,
  restMs: 0,
  finalMsMax: FINAL_MS_MAX,
  commandMsMax: null,
};
const DOORS: readonly DoorName[] = ['drop-in', 'REST'];

async function start() {
  const calls: SeenCall[] = [];
  const judgements = new EventTarget();
  const onCall = (call: JudgedCall) => {
    calls.push({ ...call, bot: call.token.split(':')[0]! });
    judgements.dispatchEvent(new Event('call'));
  };
  const sim = await serveSim({ host: '127.0.0.1', port: 0, network: NETWORK, onCall });
  const gateway = new GatewayProcess(sim.url);
  onTestFinished(async () => {
    await gateway.end('SIGTERM');
    await sim.close();
    gateway.remove();
  });
  await gateway.start();
  return { gateway, calls, judgements };
}

type Started = Awaited<ReturnType<typeof start>>;

// With a bot and a chat of its own: their limits do not meet.
async function playBy(door: DoorName, started: Started): Promise<[Played, () => Judged]> {
  const { gateway, calls, judgements } = started;
  const n = DOORS.indexOf(door) + 1;
  const bot = String(100 + n);
  const opened = openDoor(door, gateway, `${bot}:testtesttesttesttesttesttesttesttes`);
  onTestFinished(() => opened.close());
  const played = await play(opened, SCENARIO, 1000 * n);
  const judged = () =>
    judge(
      played,
      calls.filter((call) => call.bot === bot),
    );
  while (!Number.isFinite(judged().slowestFinalMs)) await once(judgements, 'call');
  return [played, judged];
}

test('three sessions by both doors: each last text is the last, in time, without a 429', async () => {
  const started = await start();
  const played = await Promise.all(DOORS.map((door) => playBy(door, started)));
  // Nothing is left that could come after the last texts.
  for (const state of ['queued', 'sending']) {
    const left = () => started.gateway.records(`&state=${state}`);
    await until(left, ({ length }) => length === 0);
  }
  for (const [{ edited }, judged] of played) {
    const { slowestFinalMs, limited } = judged();
    expect(edited).toHaveLength(SESSIONS);
    expect(slowestFinalMs).toBeLessThanOrEqual(FINAL_MS_MAX);
    expect(limited).toBe(0);
  }
}, 120_000);
