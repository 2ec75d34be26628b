// What is it good for? The same messages against the same simulated platform with the same faults and one crash, in
// virtual time: by a loop that sends and forgets, by one that retries as libraries do, and by Sluice.

import { expect, test } from 'vitest';
import { worldEngine } from '../src/app/simulated.ts';
import type { AccountId } from '../src/domain/ids.ts';
import {
  createTelegramModel,
  type Exchange,
  type JudgedCall,
  randomFaults,
  simTransport,
} from '../src/sim/sim.ts';
import { type Incarnation, incarnate } from '../src/sim/world/incarnation.ts';
import { sleep } from '../src/system/clock.ts';
import type { Reply } from '../src/system/http/transport.ts';
import { seededRandom } from '../src/system/random.ts';
import { type VirtualClock, virtualClock } from '../src/system/virtual-clock.ts';

const TOKEN = '42:simulated';
const ACCOUNT: AccountId = 'telegram:42';
const FAULTS = { bad_gateway: 0.02, reset_before: 0.02, answer_lost: 0.01, internal_error: 0.01 };
const NETWORK = { latencyMs: 40, jitterMs: 40 };
const START = 1_900_000_000_000;
const TALK_MS = 60_000;
const CRASH_AT = START + 45_000;
const BACK_AT = START + 50_000;
const OVER_AT = START + 30 * 60_000;
const DEADLINE_MS = 10_000;

interface Message {
  readonly number: number;
  readonly at: number;
  readonly chat: string;
}

// Says a message; whoever lives until then has had it accepted.
type Sender = (life: Incarnation) => Promise<(message: Message) => void>;

// Four groups with a message a second each, which is three times what a group may have; and ten private chats.
function messages(): Message[] {
  const groups = Array.from({ length: 4 }, (_, n) => ({ chat: `-100${n}`, everyMs: 1000 }));
  const people = Array.from({ length: 10 }, (_, n) => ({ chat: `${n + 1}`, everyMs: 6000 }));
  const said = [...groups, ...people].flatMap(({ chat, everyMs }) =>
    Array.from({ length: TALK_MS / everyMs }, (_, n) => ({ chat, at: START + n * everyMs })),
  );
  // Nobody speaks while the process is down.
  const heard = said.filter(({ at }) => at < CRASH_AT || at >= BACK_AT);
  return heard.sort((a, b) => a.at - b.at).map((each, number) => ({ ...each, number }));
}

async function run(open: Sender) {
  const clock = virtualClock(START);
  const random = seededRandom(14);
  const calls: JudgedCall[] = [];
  const model = createTelegramModel({ onCall: (call) => calls.push(call) });
  const faults = randomFaults(random, FAULTS);
  // Calls that took effect and whose caller never knew: only these may be repeated.
  let unanswered = 0;
  const onExchange = ({ leftAt, endedAt, call, reply }: Exchange) => {
    const isCut = leftAt < CRASH_AT && endedAt >= CRASH_AT;
    const isAnswered = reply.kind === 'answered' && reply.status === 200 && !isCut;
    if (call !== null && call.acceptedAt !== null && !isAnswered) unanswered += 1;
  };
  const wire = simTransport({ model, clock, random, network: NETWORK, faults, onExchange });
  const all = messages();
  const live = async (from: number, until: number) => {
    const life = incarnate(clock, wire);
    const say = await opened(clock, open(life));
    for (const message of all) {
      if (message.at >= from && message.at < until) clock.schedule(message.at, () => say(message));
    }
    await clock.run(until);
    life.end();
  };
  await live(START, CRASH_AT);
  await clock.run(BACK_AT);
  await live(BACK_AT, OVER_AT);
  return { ...outcomeOf(all, calls), unanswered };
}

// Time passes only when something waits for it: reading code from disk takes none.
async function opened<T>(clock: VirtualClock, opening: Promise<T>): Promise<T> {
  let isOpen = false;
  void opening.then(() => {
    isOpen = true;
  });
  while (!isOpen) await clock.run(clock.now() + (clock.pending() > 0 ? 1 : 0));
  return opening;
}

function outcomeOf(all: readonly Message[], calls: readonly JudgedCall[]) {
  const shown = calls.filter(
    ({ acceptedAt, method }) => acceptedAt !== null && method === 'sendMessage',
  );
  const times = Map.groupBy(shown, ({ text }) => text);
  const lost = all.filter(({ number }) => !times.has(`#${number}`)).length;
  let disordered = 0;
  for (const inChat of Map.groupBy(shown, ({ chat }) => chat).values()) {
    const first = [...new Set(inChat.map(({ text }) => Number(text.slice(1))))];
    disordered += first.filter((number, i) => i > 0 && number < first[i - 1]!).length;
  }
  const refused = calls.filter(({ cause }) => cause === 'flood').length;
  return { said: all.length, lost, twice: shown.length - times.size, disordered, refused };
}

const requestOf = ({ chat, number }: Message) => ({
  method: 'POST' as const,
  path: `/bot${TOKEN}/sendMessage`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ chat_id: Number(chat), text: `#${number}` }),
  deadlineMs: DEADLINE_MS,
});

const forgets: Sender = async ({ transport }) => {
  return (message) => void transport.request(requestOf(message));
};

// As auto-retry does: waits as long as it is told, else a moment, a few times.
const TRIES_MAX = 4;
const BACKOFF_MS = 3000;

const retries: Sender = async ({ clock, transport }) => {
  return async (message) => {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const reply = await transport.request(requestOf(message));
      if (reply.kind === 'answered' && reply.status === 200) return;
      await sleep(clock, retryAfterMs(reply) ?? BACKOFF_MS);
    }
  };
};

function retryAfterMs(reply: Reply): number | null {
  if (reply.kind !== 'answered' || reply.status !== 429) return null;
  return 1000 * JSON.parse(reply.body).parameters.retry_after;
}

function sluice(): Sender {
  const disk = { content: null as unknown };
  return async ({ clock, transport }) => {
    const accounts = [{ id: ACCOUNT, token: TOKEN }];
    const engine = await worldEngine({ clock, transport, disk, accounts, random: seededRandom(1) });
    return ({ chat, number }) =>
      void engine.submit({
        ...{ account: ACCOUNT, token: TOKEN, chat, thread: null, method: 'sendMessage' },
        params: { chat_id: Number(chat), text: `#${number}` },
        ...{ priority: 'normal', isReply: false, live: false, final: false },
        ...{ notBefore: 0, expiresAt: 0 },
      });
  };
}

test('a loop loses half; one that retries is refused, loses, repeats and mixes them up; Sluice does not', async () => {
  const loop = await run(forgets);
  const retrying = await run(retries);
  const ours = await run(sluice());
  const share = ({ lost, said }: { lost: number; said: number }) => lost / said;
  expect(share(loop)).toBeGreaterThan(0.4);
  expect(loop.refused).toBeGreaterThan(100);
  expect(share(retrying)).toBeGreaterThan(0.3);
  expect(retrying.refused).toBeGreaterThan(100);
  expect(retrying.disordered).toBeGreaterThan(0);
  expect(ours).toMatchObject({ said: loop.said, lost: 0, refused: 0, disordered: 0 });
  expect(ours.twice).toBeLessThanOrEqual(ours.unanswered);
  expect(ours.unanswered).toBeGreaterThan(0);
});
