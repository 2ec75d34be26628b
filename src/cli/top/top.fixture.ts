// A gateway for `sluice top` to look at: a few accounts, some with trouble, and something in every table.

import type { Snapshot } from './snapshot.ts';

export const AT = Date.UTC(2030, 2, 17, 12);
const iso = (ms: number) => new Date(AT + ms).toISOString();

export function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return {
    url: 'http://127.0.0.1:8080',
    health: 'ok',
    overview: overview(),
    accounts: [
      account('telegram:1', { waiting: 1234, inFlight: 3 }),
      account('telegram:2', { paused: true, waiting: 7 }),
      account('telegram:3', { waiting: 5000 }),
    ],
    streams: [stream()],
    broadcasts: [broadcast()],
    dead: [letter()],
    ...more,
  };
}

export function overview(): Snapshot['overview'] {
  const series = { accepted: [0, 20], sent: [10, 20], limited: [0, 0], failed: [0, 0] };
  const oldest = { id: 'abcde-1', account: 'telegram:1', chat: '-100', priority: 'normal' };
  const freeze = { account: 'telegram:1', scope: 'chat', name: '-100', cause: 'retry after 60 s' };
  return {
    at: iso(0),
    startedAt: iso(-7_200_000),
    series: { ...series, dead: [], waiting: [] },
    depths: { critical: 0, high: 1, normal: 1233, low: 0, retry: 4, inFlight: 3 },
    dead: 12,
    uncertain: 0,
    oldest: [{ ...oldest, since: iso(-42_000), behind: 9, why: 'chat -100 is frozen' }],
    incidents: [],
    freezes: { active: 1, shown: [{ ...freeze, until: iso(60_000) }] },
  };
}

export function account(id: string, more: object): Snapshot['accounts'][number] {
  const breaker = { state: 'closed', until: null, cause: '', detail: '' };
  const rule = { name: 'account_broadcast', used: 30, count: 30, perMs: 1000, learned: 0.8 };
  const idle = { paused: false, refused: null, breaker, waiting: 0, inFlight: 0 };
  return { id, ...idle, rules: [rule], ...more };
}

function stream(): Snapshot['streams'][number] {
  return {
    id: 's-1',
    correlation: 's-1',
    state: 'open',
    reason: null,
    account: 'telegram:1',
    chat: '-100',
    session: null,
    transport: 'edit',
    format: 'plain',
    units: 900,
    shownUnits: 700,
    messages: [],
    finals: [],
    openedAt: iso(-9000),
    endedAt: null,
    cadenceMs: 3800,
    superseded: 0,
    waitsFor: null,
  };
}

function broadcast(): Snapshot['broadcasts'][number] {
  return {
    id: 'b-1',
    state: 'running',
    name: 'news',
    account: 'telegram:2',
    method: 'sendMessage',
    total: 100,
    progress: { pending: 50, queued: 0, sent: 48, dead: 2 },
    perSecond: 29.5,
    eta: iso(90_000),
    createdAt: iso(-1000),
    endedAt: null,
  };
}

export function letter(more: object = {}): Snapshot['dead'][number] {
  return {
    id: 'abcde-9',
    correlation: 'abcde-9',
    state: 'dead',
    reason: 'bot_blocked',
    detail: 'Forbidden',
    account: 'telegram:1',
    chat: '78',
    method: 'sendMessage',
    priority: 'normal',
    acceptedAt: iso(-60_000),
    settledAt: iso(-30_000),
    tries: 1,
    doubts: 0,
    messageId: null,
    ...more,
  };
}
