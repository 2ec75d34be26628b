import { expect, test } from 'vitest';
import { aQueued } from '../domain/delivery.fixture.ts';
import type { Queued } from '../domain/delivery.ts';
import { AccountLimits, type Plan } from '../limits/limits.ts';
import { Scheduler } from './scheduler.ts';

const NOW = 1e6;
const PLAN: Plan = {
  account: [{ name: 'account.second', scope: 'account', count: 30, perMs: 1000 }],
  chat: [
    { name: 'chat.spacing', scope: 'chat', count: 1, perMs: 1000 },
    { name: 'chat.minute', scope: 'chat', count: 20, perMs: 60_000 },
  ],
};

function setUp() {
  const scheduler = new Scheduler();
  const limits = new AccountLimits({ account: 'p:a', priors: { planOf: () => PLAN } });
  scheduler.addAccount('p:a', limits, { inFlightMax: 100 });
  let lastSeq = 0;
  const add = (chat: string): Queued => {
    lastSeq += 1;
    const place = { seq: lastSeq, enterAt: NOW, rank: lastSeq };
    const one = aQueued({ account: 'p:a', chat, ...place });
    scheduler.add(one, NOW);
    return one;
  };
  const send = (): void => {
    const decision = scheduler.next(NOW);
    if (decision.kind !== 'send') throw new Error('nothing goes');
    limits.departed(decision.ticket, NOW);
    limits.settled(decision.ticket, { kind: 'ok' }, NOW);
    scheduler.finished(decision.queued.seq, null, NOW);
  };
  return { scheduler, add, send };
}

const DECIDES = 'this chat takes 20 calls a minute; 1 was sent, and 44 go before it';

test('names the window that decides when it goes, not the one that is shut at this instant', () => {
  const { scheduler, add, send } = setUp();
  const all = Array.from({ length: 46 }, () => add('c'));
  send();
  const last = scheduler.explain(all.at(-1)!.seq, NOW)!;
  const windows = last.causes.filter(({ kind }) => kind === 'window');
  // 44 before it and one gone: the third minute.
  expect(last.eta! - NOW).toBeGreaterThanOrEqual(120_000);
  expect(windows).toMatchObject([
    { name: 'chat.minute', detail: DECIDES, ahead: 44 },
    { name: 'chat.spacing', until: NOW + 1000 },
  ]);
  expect(windows[0]!.until! - NOW).toBeGreaterThanOrEqual(120_000);
  expect(windows[0]!.until).toBeLessThanOrEqual(last.eta!);
  // The next one waits for the spacing alone.
  const next = scheduler.explain(all[1]!.seq, NOW)!.causes;
  expect(next).toMatchObject([
    {
      name: 'chat.spacing',
      until: NOW + 1000,
      detail: 'this chat takes one call a second; 1 was sent',
    },
  ]);
});

test('names the account’s window when many chats share it', () => {
  const { scheduler, add } = setUp();
  const all = Array.from({ length: 100 }, (_, n) => add(`c${n}`));
  const { causes, eta } = scheduler.explain(all.at(-1)!.seq, NOW)!;
  expect(causes).toMatchObject([{ kind: 'window', name: 'account.second', until: eta }]);
});

test('a retry that comes after the next probe of its account is still the account’s doing', () => {
  const { scheduler } = setUp();
  const retry = aQueued({ account: 'p:a', chat: 'c', seq: 1, rank: 1, dueAt: NOW + 9000 });
  scheduler.hold('p:a', NOW - 1, 'the platform does not answer', 'unsent');
  scheduler.add(retry, NOW);
  const { eta, causes } = scheduler.explain(1, NOW)!;
  expect(eta).toBe(NOW + 9000);
  expect(causes).toMatchObject([
    { kind: 'held', name: 'unsent', detail: 'the platform does not answer' },
    { kind: 'due', name: 'retry' },
  ]);
  scheduler.hold('p:a', 0, '', '');
  expect(scheduler.explain(1, NOW)!.causes).toMatchObject([{ kind: 'due' }]);
});
