// What one decision costs with 100,000 lanes, against 1,000: the scheduler must not feel how many there are.
// A decision is next + the whole life of the call in the limits + landing + a new delivery in its place.

import { aQueued } from '../../src/domain/delivery.fixture.ts';
import { AccountLimits } from '../../src/limits/limits.ts';
import { createPriors, TELEGRAM_LIMITS_DEFAULT } from '../../src/platforms/telegram/limits.ts';
import { Scheduler } from '../../src/scheduler/scheduler.ts';
import { best, type Row, ratioRow } from '../row.ts';

const DECISIONS = 200_000;
const ACCOUNT = 'telegram:1';

export async function schedulerCost(): Promise<Row[]> {
  const measure = (lanes: number) =>
    best(
      3,
      () => decisionUs(lanes),
      (a, b) => a < b,
    );
  const small = await measure(1_000);
  const large = await measure(100_000);
  const text = (us: number, lanes: string) => ({
    value: us,
    text: `${us.toFixed(2)} µs at ${lanes}`,
  });
  return [
    ratioRow('scheduler, per decision', text(large, '100k lanes'), text(small, '1k lanes'), {
      atMost: 3,
    }),
  ];
}

function decisionUs(lanes: number): number {
  // Wide account limits, so that chats and not the account decide; chats keep their real ones.
  const priors = { planOf: createPriors({ ...TELEGRAM_LIMITS_DEFAULT, broadcastPerS: 1_000_000 }) };
  const limits = new AccountLimits({ account: ACCOUNT, priors });
  const scheduler = new Scheduler();
  scheduler.addAccount(ACCOUNT, limits, { inFlightMax: 1_000 });
  let seq = 0;
  let now = 1_700_000_000_000;
  const add = (chat: string) => {
    seq += 1;
    scheduler.add(aQueued({ seq, account: ACCOUNT, chat, enterAt: now, rank: seq }), now);
  };
  for (let lane = 0; lane < lanes; lane++) for (let i = 0; i < 2; i++) add(`${lane + 1}`);
  const began = performance.now();
  for (let done = 0; done < DECISIONS; ) {
    const decision = scheduler.next(now);
    if (decision.kind !== 'send') {
      now = decision.kind === 'wait' ? decision.until : now + 1;
      continue;
    }
    const { queued, ticket } = decision;
    limits.departed(ticket, now);
    limits.settled(ticket, { kind: 'ok' }, now + 0.05);
    scheduler.finished(queued.seq, null, now + 0.05);
    add(queued.chat);
    done += 1;
  }
  return ((performance.now() - began) * 1000) / DECISIONS;
}
