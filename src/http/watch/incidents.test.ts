import { expect, test } from 'vitest';
import type { AccountView } from '../../road/road.ts';
import {
  type AccountsStanding,
  ownIncidents,
  incidentsOf as ranked,
  type Standing,
} from './incidents.ts';

const CLOSED = { state: 'closed', until: 0, cause: '', detail: '' } as const;
type Whole = Standing & AccountsStanding;
const WELL: Whole = {
  parts: { scheduler: { status: 'ok' }, journal: { status: 'ok' } },
  accounts: [account({})],
  frozen: [],
  platforms: [],
  unreachable: [],
  now: 100_000,
};

function account(more: Partial<AccountView>): AccountView {
  return {
    ...{ id: 'telegram:1', platform: 'telegram', paused: false, refused: null },
    ...{ breaker: CLOSED, silentSince: null, waiting: 0, inFlight: 0 },
    ...more,
  };
}

const incidentsOf = (whole: Whole) => ranked(ownIncidents(whole, whole.accounts), whole);

const freeze = (scope: string, name: string) => ({
  ...{ account: 'telegram:1' as const, scope, name, since: 1000, until: 9000 },
  cause: 'the platform asked to wait 8 s',
});

test('where all is well there is none, and a chat that waits is none', () => {
  expect(incidentsOf(WELL)).toEqual([]);
  expect(
    incidentsOf({ ...WELL, frozen: [freeze('chat', '5'), freeze('family', 'typing')] }),
  ).toEqual([]);
});

test('a full disk stops everything, and comes first', () => {
  const accounts = [account({ waiting: 7, refused: 'unauthorized' })];
  const parts = { ...WELL.parts, journal: { status: 'down', code: 'disk_full' } } as const;
  const [first, second] = incidentsOf({ ...WELL, accounts, parts });
  expect(first).toMatchObject({
    ...{ code: 'disk_full', severity: 'critical', account: null, waiting: 7 },
    summary: expect.stringContaining('The disk is full'),
    remedy: expect.stringContaining('Free space'),
  });
  expect(second).toMatchObject({ code: 'unauthorized', account: 'telegram:1' });
});

test('a platform that does not answer is told with what was really met', () => {
  const breaker = {
    state: 'open',
    until: 5000,
    cause: 'unsent',
    detail: 'ECONNREFUSED 127.0.0.1:9',
  } as const;
  expect(incidentsOf({ ...WELL, accounts: [account({ breaker, waiting: 3 })] })).toMatchObject([
    {
      ...{ severity: 'critical', waiting: 3, until: null },
      summary: 'The platform does not answer telegram:1: ECONNREFUSED 127.0.0.1:9.',
      command: 'accounts probe telegram:1',
    },
  ]);
});

test.each([
  [
    'not_telegram',
    'HTTP 403, not from the Bot API',
    'Something else answers a:1 in the platform’s place',
    /proxy/,
  ],
  ['answer_unreadable', 'HTTP 200', 'The platform’s answers to a:1 cannot be read', /login page/],
  ['unavailable', 'HTTP 503', 'The platform answers a:1 with errors', /status page/],
  ['answer_timeout', 'no answer in time', 'The platform does not answer a:1', /DNS/],
])('what was met decides what is said and what to look at: %s', (cause, detail, said, lookAt) => {
  const breaker = { state: 'open', until: 5000, cause, detail } as const;
  const [found] = incidentsOf({ ...WELL, accounts: [account({ id: 'a:1', breaker })] });
  expect(found!.summary).toBe(`${said}: ${detail}.`);
  expect(found!.remedy).toMatch(lookAt);
  expect(found!.remedy).toMatch(/It is tried again by itself/);
});

test('critical ones come before warnings, those with most waiting first', () => {
  const accounts = [
    account({ id: 'a:1', paused: true, waiting: 100 }),
    account({ id: 'a:2', refused: 'unauthorized', waiting: 1 }),
    account({ id: 'a:3', refused: 'unauthorized', waiting: 5 }),
  ];
  const found = incidentsOf({ ...WELL, accounts, frozen: [freeze('account', '')] });
  expect(found.map(({ account: id }) => id)).toEqual(['a:3', 'a:2', 'a:1', 'telegram:1']);
  expect(found.map(({ severity }) => severity)).toEqual([
    'critical',
    'critical',
    'warning',
    'warning',
  ]);
  expect(found.at(-1)).toMatchObject({ code: 'frozen', until: 9000 });
});

test('calls that hang are critical, with since when and how many, those with most waiting first', () => {
  const hanging = { silentSince: 52_000, inFlight: 3 };
  const accounts = [
    account({ id: 'a:1', ...hanging }),
    account({ id: 'a:2', ...hanging, inFlight: 1, waiting: 5 }),
    account({ id: 'a:3', inFlight: 3 }),
  ];
  expect(incidentsOf({ ...WELL, accounts })).toMatchObject([
    {
      ...{ code: 'no_answer', severity: 'critical', account: 'a:2', waiting: 5, since: 52_000 },
      summary: 'The platform does not answer a:2: 1 call is in flight, none was answered for 48 s.',
    },
    {
      ...{ code: 'no_answer', severity: 'critical', account: 'a:1', since: 52_000 },
      summary:
        'The platform does not answer a:1: 3 calls are in flight, none was answered for 48 s.',
    },
  ]);
});

test('a token whose platform cannot be asked is critical, though nothing waits', () => {
  const unreachable = [{ id: 'telegram:9', detail: 'ECONNREFUSED 127.0.0.1:9' }] as const;
  const summary =
    'The platform cannot be asked whose token telegram:9 has: ECONNREFUSED 127.0.0.1:9.';
  expect(incidentsOf({ ...WELL, unreachable })).toMatchObject([
    { code: 'platform_unreachable', severity: 'critical', account: 'telegram:9', summary },
  ]);
});

test('a loop that stands still is critical', () => {
  const parts = { ...WELL.parts, scheduler: { status: 'stale' } } as const;
  expect(incidentsOf({ ...WELL, parts })).toMatchObject([
    { code: 'loop_stale', severity: 'critical' },
  ]);
});

test('what a platform holds back by itself is told with what waits for it', () => {
  const trouble = {
    code: 'held',
    severity: 'critical',
    until: 9000,
    summary: 's',
    remedy: 'r',
  } as const;
  const warning = { ...trouble, code: 'partly', severity: 'warning', until: null } as const;
  const platforms = [{ name: 'discord', troubles: () => [warning, trouble] }, { name: 'telegram' }];
  const accounts = [
    account({ waiting: 7 }),
    account({ id: 'discord:1', waiting: 2 }),
    account({ id: 'discord:2', waiting: 3, paused: true }),
  ];
  expect(incidentsOf({ ...WELL, accounts, platforms })).toMatchObject([
    { code: 'held', account: null, waiting: 5, until: 9000 },
    { code: 'partly', account: null, waiting: 5 },
    { code: 'paused', account: 'discord:2' },
  ]);
});
