// The life of single calls: windows, freezes, probes, scopes, persistence.

import { beforeEach, describe, expect, test } from 'vitest';
import { AccountLimits } from './limits.ts';
import type { Charge, LimitRecord, Plan, Priors, Signal } from './types.ts';

const MINUTE = { name: 'chat.minute', scope: 'chat', count: 3, perMs: 60_000 } as const;
const SPACING = { name: 'chat.spacing', scope: 'chat', count: 1, perMs: 1000 } as const;
const BULK = { name: 'account.second', scope: 'account', count: 4, perMs: 1000 } as const;
const USER = { name: 'user.minute', scope: 'user', count: 1, perMs: 60_000 } as const;
const TYPING = { name: 'chat.typing', scope: 'chat', count: 1, perMs: 4000 } as const;
const DRAFT = { name: 'thread.draft', scope: 'thread', count: 1, perMs: 4000 } as const;

const PLANS: Record<string, Plan> = {
  send: { account: [BULK], chat: [SPACING, MINUTE, USER] },
  typing: { account: [], chat: [TYPING] },
  draft: { account: [], chat: [DRAFT] },
  free: { account: [], chat: [] },
};
const priors: Priors = { planOf: ({ family }) => PLANS[family] ?? PLANS.send! };

function charge(chat: string, more: Partial<Charge> = {}): Charge {
  return { chat, user: null, family: 'send', budget: 'broadcast', live: false, cost: 1, ...more };
}

const OK: Signal = { kind: 'ok' };
function limited(retryAfterMs: number, scope: 'chat' | 'family' | 'account' = 'chat'): Signal {
  return { kind: 'limited', retryAfterMs, scope };
}

let limits: AccountLimits;
beforeEach(() => {
  limits = new AccountLimits({ account: 'p:a', priors });
});

// A call that is answered at once.
function call(what: Charge, now: number, signal: Signal = OK) {
  const ticket = limits.take(what, now);
  limits.departed(ticket, now);
  return limits.settled(ticket, signal, now);
}

function isOpen(what: Charge, now: number): boolean {
  return limits.earliestChat(what, now) <= now && limits.earliestAccount(what, now) <= now;
}

describe('windows', () => {
  test('the strictest rule decides', () => {
    call(charge('c'), 0);
    expect(limits.earliestChat(charge('c'), 1)).toBe(1000);
    call(charge('c'), 1000);
    call(charge('c'), 2000);
    expect(limits.earliestChat(charge('c'), 3000)).toBe(60_000);
    expect(isOpen(charge('d'), 3000)).toBe(true);
  });

  test('an unanswered call keeps its room until it settles', () => {
    const ticket = limits.take(charge('c'), 0);
    limits.departed(ticket, 0);
    expect(limits.earliestChat(charge('c'), 5000)).toBe(Number.POSITIVE_INFINITY);
    limits.settled(ticket, OK, 5000);
    expect(limits.earliestChat(charge('c'), 5000)).toBe(6000);
  });

  test('a call that never reached the platform gives its room back', () => {
    call(charge('c'), 0, { kind: 'unjudged' });
    expect(isOpen(charge('c'), 0)).toBe(true);
    call(charge('c'), 0, { kind: 'judged' });
    expect(isOpen(charge('c'), 0)).toBe(false);
  });

  test('an album counts for its parts, and one dearer than the window goes when it is empty', () => {
    const album = charge('c', { cost: 10 });
    call(album, 0);
    expect(limits.earliestChat(charge('c'), 1)).toBe(60_000);
    expect(limits.earliestChat(album, 60_000)).toBe(60_000);
  });

  test('users are counted across chats', () => {
    call(charge('c', { user: 'u' }), 0);
    expect(limits.earliestChat(charge('d', { user: 'u' }), 1)).toBe(60_000);
    expect(isOpen(charge('d', { user: 'v' }), 1)).toBe(true);
  });

  test('the account does not wait for ever for chats that hang', () => {
    for (const chat of ['c', 'd', 'e', 'f']) limits.departed(limits.take(charge(chat), 0), 0);
    expect(limits.earliestAccount(charge('g'), 9999)).toBe(Number.POSITIVE_INFINITY);
    expect(limits.earliestAccount(charge('g'), 10_000)).toBe(11_000);
    expect(limits.earliestChat(charge('c'), 20_000)).toBe(Number.POSITIVE_INFINITY);
  });

  test('a call held back cannot be taken, nor settled twice', () => {
    const ticket = limits.take(charge('c'), 0);
    expect(() => limits.take(charge('c'), 0)).toThrow('holds it back');
    limits.settled(ticket, OK, 10);
    expect(() => limits.settled(ticket, OK, 20)).toThrow('twice');
  });
});

describe('freezes', () => {
  test('a refusal freezes its chat for exactly the wait, for every kind of call but free ones', () => {
    const learned = call(charge('c'), 0, limited(7_728_000));
    expect(learned.freezes).toMatchObject([{ scope: 'chat', name: 'c', until: 7_728_000 }]);
    expect(limits.earliestChat(charge('c'), 100)).toBe(7_728_000);
    expect(limits.earliestChat(charge('c', { family: 'typing' }), 100)).toBe(7_728_000);
    expect(isOpen(charge('c', { family: 'free' }), 100)).toBe(true);
    expect(isOpen(charge('d'), 100)).toBe(true);
  });

  test('a longer freeze is not shortened', () => {
    const first = limits.take(charge('c', { family: 'typing' }), 0);
    call(charge('c'), 0, limited(50_000));
    limits.settled(first, limited(1000), 10);
    expect(limits.earliestChat(charge('c'), 100)).toBe(50_000);
  });

  test('a rule of threads holds in each of them, and without one in the chat', () => {
    const draft = (thread: string | null) => charge('c', { family: 'draft', thread });
    for (const thread of ['1', '2', null]) call(draft(thread), 0, OK);
    for (const thread of ['1', '2', null]) {
      expect(limits.earliestChat(draft(thread), 1000)).toBeGreaterThan(3900);
    }
    expect(isOpen(draft('3'), 1000)).toBe(true);
    expect(isOpen(draft('1'), 5000)).toBe(true);
    // Two threads and the chat.
    expect(limits.forgetIdle(60_000, 100)).toBe(3);
  });

  test("a family's refusal leaves the other families alone", () => {
    const typing = charge('c', { family: 'typing' });
    call(typing, 0, limited(30_000, 'family'));
    expect(limits.earliestChat(typing, 10)).toBe(30_000);
    expect(isOpen(charge('c'), 10)).toBe(true);
  });

  test("the account's refusal freezes everything", () => {
    call(charge('c'), 0, limited(30_000, 'account'));
    expect(limits.earliestAccount(charge('d', { family: 'free', budget: 'open' }), 10)).toBe(
      30_000,
    );
  });

  test('after a freeze one call goes first, and its success opens the chat', () => {
    const { records } = call(charge('c'), 0, limited(5000));
    const probe = limits.take(charge('c'), 5000);
    const typing = charge('c', { family: 'typing' });
    expect(limits.earliestChat(typing, 5001)).toBe(Number.POSITIVE_INFINITY);
    expect(limits.explain(typing, 5001)).toMatchObject([{ kind: 'probe', scope: 'chat' }]);
    const learned = limits.settled(probe, OK, 5050);
    expect(isOpen(typing, 5051)).toBe(true);
    const frozen = records.find(({ key }) => key.startsWith('freeze'));
    expect(learned.records).toContainEqual({ ...frozen, value: '', updatedAt: 5050 });
  });

  test('a probe that is refused freezes again; one that never arrived leaves the next to probe', () => {
    call(charge('c'), 0, limited(5000));
    call(charge('c'), 5000, limited(9000));
    expect(limits.earliestChat(charge('c'), 5001)).toBe(14_000);
    call(charge('c'), 14_000, { kind: 'unjudged' });
    limits.take(charge('c'), 14_001);
    expect(limits.earliestChat(charge('c'), 14_002)).toBe(Number.POSITIVE_INFINITY);
  });

  test('are counted while they are in force, and what was learned from them longer', () => {
    call(charge('c'), 0);
    call(charge('c'), 1000);
    expect(limits.standing(1500)).toEqual({ frozen: 0, lowered: 0 });
    call(charge('c'), 2000, limited(58_000));
    expect(limits.standing(6999)).toEqual({ frozen: 1, lowered: 1 });
    expect(limits.standing(60_000)).toEqual({ frozen: 0, lowered: 1 });
    expect(limits.standing(8_000_000)).toEqual({ frozen: 0, lowered: 0 });
  });

  test('by hand', () => {
    expect(limits.freeze('c', 9000, 'maintenance', 0).records).toHaveLength(1);
    expect(limits.explain(charge('c'), 1)).toMatchObject([
      { kind: 'freeze', until: 9000, detail: 'maintenance' },
    ]);
    const { records, freezes } = limits.thaw('c', 2);
    expect(freezes).toEqual([{ scope: 'chat', name: 'c', until: 2, cause: 'maintenance' }]);
    expect(records.map(({ value }) => JSON.parse(value))).toMatchObject([{ until: 2 }]);
    expect(isOpen(charge('c'), 2)).toBe(true);
    // There is nothing left to end.
    expect(limits.thaw('c', 3).records).toEqual([]);
  });
});

describe('the scope of a refusal', () => {
  // As many chats that each are refused although they sent nothing; the account's window explains it, or not.
  function refuse(chats: readonly string[], at: number, retryAfterMs: number) {
    return chats.map((chat) => call(charge(chat), at, limited(retryAfterMs)));
  }

  test("two healthy chats that the account's window explains close their budget, and it is counted", () => {
    for (const chat of ['a', 'b']) call(charge(chat), 0);
    refuse(['c'], 10, 1000);
    expect(isOpen(charge('x'), 11)).toBe(true);
    const [learned] = refuse(['d'], 20, 1000);
    expect(learned?.freezes.map(({ scope, name }) => [scope, name])).toEqual([
      ['chat', 'd'],
      ['budget', 'broadcast'],
    ]);
    expect(limits.earliestAccount(charge('x'), 21)).toBe(1020);
    expect(isOpen(charge('x', { budget: 'reply' }), 1001)).toBe(true);
    expect(limits.view(200, 1)[0]?.rules).toMatchObject([{ count: 2, learned: 0.5 }]);
  });

  test('a wait that no window of the account explains needs four in a row; then one call goes at a time', () => {
    for (const chat of ['a', 'b']) call(charge(chat), 0);
    refuse(['c', 'd'], 10, 60_000);
    refuse(['e'], 1010, 60_000);
    limits.settled(limits.take(charge('w'), 1011), { kind: 'unjudged' }, 1012);
    refuse(['f'], 1020, 60_000);
    const probe = limits.take(charge('x'), 1021);
    expect(limits.earliestAccount(charge('y'), 1022)).toBe(Number.POSITIVE_INFINITY);
    limits.settled(probe, OK, 1060);
    expect(isOpen(charge('y'), 1061)).toBe(true);
    expect(limits.view(1061, 1)[0]?.rules).toMatchObject([{ learned: 1 }]);
  });

  test('a success of anyone in between clears the account', () => {
    for (let n = 0; n < 10; n++) {
      refuse([`c${n}`], n * 1000, 60_000);
      call(charge(`x${n}`), n * 1000 + 500);
    }
    expect(isOpen(charge('y'), 10_500)).toBe(true);
  });

  test('chats that refuse again and again are in trouble, however many they are', () => {
    const troubled = Array.from({ length: 4 }, (_, n) => `c${n}`);
    for (const [n, chat] of troubled.entries()) {
      call(charge(chat), n * 10_000, limited(5000));
    }
    for (let round = 5; round < 20; round++) {
      for (const [n, chat] of troubled.entries()) {
        call(charge(chat), round * 10_000 + n, limited(5000));
        expect(limits.earliestAccount(charge('x', { family: 'free' }), round * 10_000 + n)).toBe(
          round * 10_000 + n,
        );
      }
    }
    expect(limits.view(200_000, 1)[0]?.rules).toMatchObject([{ learned: 1 }]);
  });

  test('probes that are all refused close it for longer, and in the end for as long as it was told', () => {
    refuse(['c', 'd', 'e', 'f'], 0, 3_000_000);
    for (let n = 0; n < 4; n++) refuse([`x${n}`], 1 + 1000 * n, 500_000);
    refuse(['x4'], 4001, 500_000);
    expect(limits.earliestAccount(charge('y'), 4002)).toBe(5001);
    refuse(['x5'], 5001, 500_000);
    expect(limits.earliestAccount(charge('y'), 5002)).toBe(7001);
    refuse(['x6'], 7001, 500_000);
    expect(limits.earliestAccount(charge('y'), 7002)).toBe(12_001);
    refuse(['x7'], 12_001, 500_000);
    expect(limits.earliestAccount(charge('y'), 12_002)).toBe(3_000_000);
  });

  test('refusals that the chats explain themselves stay theirs', () => {
    for (const chat of ['c', 'd']) {
      call(charge(chat), 0);
      call(charge(chat), 1000);
    }
    for (const chat of ['c', 'd']) call(charge(chat), 2000, limited(58_000));
    expect(isOpen(charge('x'), 2001)).toBe(true);
    const views = limits.view(2001, 10).filter(({ chat }) => chat === 'c');
    expect(views[0]?.rules).toMatchObject([
      { name: 'chat.spacing', learned: 1 },
      { name: 'chat.minute', learned: 2 / 3, count: 2 },
    ]);
  });

  test('a wait that nothing explains moves nothing', () => {
    call(charge('c'), 0);
    call(charge('c'), 1000);
    call(charge('c'), 2000, limited(500_000));
    expect(limits.standing(2001)).toEqual({ frozen: 1, lowered: 0 });
  });

  test('a penalty that comes back for as many calls is for these, and one for none of them is not', () => {
    const learned = () => limits.view(600_001, 2).find(({ chat }) => chat === 'c')?.rules[1];
    call(charge('c'), 0);
    call(charge('c'), 1000);
    call(charge('c'), 2000, limited(240_000));
    call(charge('c'), 243_000, limited(240_000));
    expect(limits.standing(243_001)).toMatchObject({ lowered: 0 });
    call(charge('c'), 484_000);
    call(charge('c'), 485_000);
    call(charge('c'), 486_000, limited(240_000));
    expect(learned()).toMatchObject({ name: 'chat.minute', learned: 2 / 3 });
  });

  test('what was in flight when the rate fell does not lower it again, and what went through counts', () => {
    const tickets = ['c', 'd', 'e', 'f'].map((chat) => limits.take(charge(chat), 0));
    limits.settled(tickets[0]!, OK, 40);
    limits.settled(tickets[1]!, limited(1000, 'account'), 50);
    expect(limits.view(60, 1)[0]?.rules[0]?.learned).toBe(0.25);
    limits.settled(tickets[2]!, limited(1000, 'account'), 51);
    expect(limits.view(60, 1)[0]?.rules[0]?.learned).toBe(0.25);
    limits.settled(tickets[3]!, OK, 52);
    expect(limits.view(60, 1)[0]?.rules[0]?.learned).toBe(0.5);
  });
});

describe('after a restart', () => {
  function restart(records: LimitRecord[], now: number) {
    limits = new AccountLimits({ account: 'p:a', priors });
    limits.restore(records, [], now);
  }

  test('a freeze and a learned rate are still there, and time went on', () => {
    call(charge('c'), 0);
    call(charge('c'), 1000);
    const { records } = call(charge('c'), 2000, limited(58_000));
    restart(records, 3000);
    expect(limits.earliestChat(charge('c'), 3000)).toBe(60_000);
    const learned = (now: number) => limits.view(now, 2)[1]?.rules[0]?.learned;
    expect(learned(3000)).toBeCloseTo(2 / 3);
    expect(learned(5_400_000)).toBeGreaterThan(0.7);
    expect(learned(8_000_000)).toBe(1);
  });

  test('what an older version wrote is read, but not believed below a half', () => {
    const record = { account: 'p:a' as const, updatedAt: 0, key: 'rate|chat|chat.minute|c' };
    const old = { factor: 0.02, offences: 9, fellAt: 1000, count: 3, perMs: 60_000 };
    restart([{ ...record, value: JSON.stringify(old) }], 2000);
    expect(limits.view(2000, 2)[1]?.rules).toMatchObject([{ name: 'chat.minute', learned: 0.5 }]);
    restart([{ ...record, value: JSON.stringify({ ...old, factor: 0.8 }) }], 2000);
    expect(limits.view(2000, 2)[1]?.rules).toMatchObject([{ learned: 0.8 }]);
    expect(limits.view(7_300_000, 2)[1]?.rules).toMatchObject([{ learned: 1 }]);
    restart([{ ...record, value: JSON.stringify({ ...old, factor: 7 }) }], 2000);
    expect(limits.view(2000, 2)).toHaveLength(1);
  });

  test('windows are rebuilt; what was under way counts as judged now', () => {
    const past = {
      ...charge('c'),
      account: 'p:a' as const,
      startedAt: 100,
      endedAt: 200,
      counted: true,
    };
    limits.restore(
      [],
      [past, { ...past, endedAt: null }, { ...past, endedAt: 300, counted: false }],
      5000,
    );
    expect(limits.earliestChat(charge('c'), 5000)).toBe(6000);
    call(charge('c'), 6000);
    expect(limits.earliestChat(charge('c'), 6000)).toBe(60_200);
  });

  test('records that say nothing are left alone', () => {
    const record = { account: 'p:a' as const, updatedAt: 0 };
    const keys = ['', 'x|y', 'freeze|chat||c', 'rate|chat|r|c', 'freeze|budget||'];
    const values = ['', 'null', '{}', '[1]', '{"until":-1}', '{"factor":7}'];
    const records = keys.flatMap((key) => values.map((value) => ({ ...record, key, value })));
    expect(() => restart(records, 0)).not.toThrow();
    expect(isOpen(charge('c'), 1)).toBe(true);
  });
});

describe('forgetting', () => {
  test('idle chats go, in bounded steps; those with something to remember stay', () => {
    for (let n = 0; n < 10; n++) call(charge(`idle${n}`), n * 1000);
    call(charge('frozen'), 20_000, limited(500_000));
    limits.take(charge('busy'), 21_000);
    expect(limits.forgetIdle(30_000, 100)).toBe(0);
    expect(limits.forgetIdle(100_000, 4)).toBe(3);
    expect(limits.forgetIdle(100_000, 100)).toBe(7);
    expect(limits.view(100_000, 100).map(({ chat }) => chat)).toEqual(['', 'frozen', 'busy']);
  });

  test('what is forgotten leaves the disk with the next settle', () => {
    call(charge('c'), 0);
    call(charge('c'), 1000);
    call(charge('c'), 2000, limited(58_000));
    limits.forgetIdle(10 * 86_400_000, 100);
    const { records } = call(charge('d'), 10 * 86_400_000);
    expect(records.map(({ key, value }) => [key, value])).toEqual([
      ['freeze|chat||c', ''],
      ['rate|chat|chat.minute|c', ''],
    ]);
  });
});

describe('other numbers by hand', () => {
  const BUDGETS = ['broadcast', 'reply'];
  const withMinute = (count: number): Priors => {
    const send = { ...PLANS.send!, chat: [SPACING, { ...MINUTE, count }, USER] };
    return { planOf: ({ family }) => (family === 'send' ? undefined : PLANS[family]) ?? send };
  };

  test('hold at once, over what went out before', () => {
    for (const at of [0, 1000]) call(charge('c'), at);
    expect(isOpen(charge('c'), 2000)).toBe(true);
    limits.retune(withMinute(2), BUDGETS);
    expect(limits.earliestChat(charge('c'), 2000)).toBe(60_000);
    limits.retune(withMinute(4), BUDGETS);
    expect(isOpen(charge('c'), 2000)).toBe(true);
    for (const at of [2000, 3000]) call(charge('c'), at);
    expect(limits.earliestChat(charge('c'), 4000)).toBe(60_000);
  });

  test('are shown at once, also lower ones; what was learned is a share of them', () => {
    call(charge('c'), 0);
    limits.retune(withMinute(2), BUDGETS);
    const shown = () =>
      limits
        .view(1, 9)
        .find(({ chat }) => chat === 'c')
        ?.rules.find(({ name }) => name === MINUTE.name);
    expect(shown()).toMatchObject({ used: 1, count: 2, learned: 1 });
  });

  test('a call that is out when they change gives its room back', () => {
    const ticket = limits.take(charge('c'), 0);
    limits.departed(ticket, 0);
    limits.retune(withMinute(1), BUDGETS);
    limits.settled(ticket, { kind: 'unjudged' }, 10);
    expect(isOpen(charge('c'), 10)).toBe(true);
  });
});
