// HTTP to test: the real server, accounts and memory store, a road that only queues, and a Telegram that
// answers what it is told to.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { WaitingCallers } from '../accept/callers.ts';
import { Accounts } from '../accounts/accounts.ts';
import { type Broadcasting, createBroadcasting } from '../broadcast/broadcast.ts';
import { aService, KIND } from '../ingest/ingest.fixture.ts';
import { type Guards, openGuards } from '../keys/keys.ts';
import type { Download, OutgoingCall, Platform } from '../platforms/platform.ts';
import { virtualToken } from '../platforms/telegram/credentials.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import { Screens } from '../platforms/terminal/terminal.ts';
import { ACCOUNT, FakeRoad, QUEUE_MAX, START } from '../road/road.fixture.ts';
import { createTelegramModel } from '../sim/sim.ts';
import type { Receiving } from '../spool/spool.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import type { Store } from '../store/ports/store.ts';
import { FEEDS } from '../streams/feed/feed.ts';
import type { Reply, StreamedReply } from '../system/http/transport.ts';
import { Periodic } from '../system/periodic.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import { createMetrics } from '../telemetry/metrics/metrics.ts';
import { type HttpParts, type HttpSettings, WAITING_MAX } from './context.ts';
import { type Dialects, openDialects } from './dialects/dialects.ts';
import type { IngestDesk } from './ingest/port.ts';
import { createServer } from './server.ts';
import { FakeLive } from './streams/streams.fixture.ts';

export { ACCOUNT, FakeRoad, START } from '../road/road.fixture.ts';

export const KEY = 'the-admin-key';
export const AUTH = { authorization: `Bearer ${KEY}` };
export const TOKEN = '42:good-token';

export const SETTINGS: HttpSettings = {
  host: '127.0.0.1',
  allowedHosts: [],
  bodyBytesMax: 65_536,
  uploadBytesMax: 100_000,
  batchMax: 5,
  waitSMax: 300,
  deadlineMs: 1000,
  wait: { kind: 'hold' },
  // So that bodies are as they came.
  dropInCures: true,
  metrics: true,
  queueMaxOf: () => QUEUE_MAX,
  trustedProxies: [],
  connectionsMax: 1000,
  streamThoughts: false,
};

export interface Bench {
  readonly app: ReturnType<typeof createServer>;
  readonly dialects: Dialects;
  readonly road: FakeRoad;
  readonly live: FakeLive;
  readonly options: HttpParts;
  readonly clock: VirtualClock;
  readonly journal: Store;
  readonly accounts: Accounts;
  readonly guards: Guards;
  readonly screens: Screens;
  readonly passed: OutgoingCall[];
  readonly downloads: Download[];
  readonly logged: object[];
  // Files received, and how often each is pinned.
  readonly spooled: Map<string, number>;
  readonly late: { observers: number };
  readonly broadcasts: Broadcasting;
  // When set: calls that are passed on are told to it, and never answered.
  hold: ((hangUp: AbortSignal) => void) | null;
  // What the platform answers to calls that are passed on.
  answer: Reply;
}

export async function bench(
  settings: Partial<HttpSettings> = {},
  others: readonly Platform[] = [],
  more: Partial<HttpParts> = {},
): Promise<Bench> {
  const clock = virtualClock(START);
  const { journal, ledger } = createMemoryStore();
  const road = new FakeRoad(journal);
  const made = {
    passed: [] as OutgoingCall[],
    downloads: [] as Download[],
    logged: [] as object[],
    spooled: new Map<string, number>(),
    late: { observers: 0 },
    hold: null as ((hangUp: AbortSignal) => void) | null,
    answer: answered(200, '{}'),
  };
  const platform = fakeTelegram(made);
  const screens = new Screens(clock);
  const platforms = new Map([platform, ...others].map((each) => [each.name, each]));
  const accounts = await Accounts.open({ clock, journal, platforms, secret: 'secret' });
  await accounts.identify('telegram', TOKEN);
  const note = (fields: object) => void made.logged.push(fields);
  const live = new FakeLive(() => clock.now());
  const periodic = new Periodic(clock);
  const broadcasts = createBroadcasting({
    ...{ clock, periodic, journal, ledger, road, platforms },
    rulesOf: () => [{ name: 'account_broadcast', scope: 'account', count: 30, perMs: 1000 }],
    settingsOf: () => ({ broadcastWindow: 8, queueMax: 1000, blockedProbeDays: 30 }),
    settings: { broadcastsMax: 2, recipientsMax: 1000, deadDays: 30 },
    count: () => {},
    report: (_stage, error) => {
      throw error;
    },
    fatal: (error) => {
      throw error;
    },
    log: { info: () => {}, warn: note },
  });
  const guards = await openGuards({ clock, journal, adminKey: KEY, virtualToken });
  const options: HttpParts = {
    clock,
    periodic,
    broadcasts,
    output: { live, feeds: FEEDS, idleMs: 120_000 },
    road,
    ledger,
    tag: journal.tag,
    accounts,
    platforms,
    guards,
    health: async () => ({ scheduler: { status: 'ok' }, journal: { status: 'ok' } }),
    metrics: createMetrics({ process: false }),
    log: { warn: note, error: note },
    spool: memorySpool(made.spooled),
    late: made.late,
    version: '0.0.0',
    minutes: journal.minutes,
    screens,
    sandboxes: new Map([['telegram', createTelegramModel({})]]),
    settings: { ...SETTINGS, ...settings },
    ...more,
  };
  const parts = { options, road, live, clock, journal, accounts, screens, broadcasts, guards };
  const waiting = new WaitingCallers(road, clock, settings.waitingMax ?? WAITING_MAX);
  const dialects = openDialects(options, waiting);
  const app = createServer(options, waiting, dialects);
  return Object.assign(made, { app, dialects, ...parts });
}

export function answered(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Reply {
  return { kind: 'answered', status, headers, body };
}

// Channels that nobody reads: the service is not started.
export function ingestDesk(): IngestDesk {
  return {
    service: aService({ settings: { pace: 'fixed' } }).service,
    kinds: [KIND],
    sending: [],
    readsWith: () => false,
    signingSecret: 'whsec_x',
    accounts: async () => [],
    saveAccount: async () => false,
    removeAccount: async () => false,
    logins: {
      kinds: [KIND],
      begin: async () => null,
      answer: async () => null,
      end: () => false,
    },
  };
}

// Keeps digests, not files.
function memorySpool(pins: Map<string, number>): Receiving {
  return {
    async receive(source) {
      const hash = createHash('sha256');
      let size = 0;
      try {
        for await (const chunk of source) {
          hash.update(chunk as Buffer);
          size += (chunk as Buffer).length;
        }
      } catch {
        return { kind: 'broken' };
      }
      const id = hash.digest('base64url');
      pins.set(id, (pins.get(id) ?? 0) + 1);
      return { kind: 'kept', id, size };
    },
    unpin: (id) => void pins.set(id, pins.get(id)! - 1),
    discard: (id) => void pins.set(id, pins.get(id)! - 1),
  };
}

function fakeTelegram(made: {
  passed: OutgoingCall[];
  downloads: Download[];
  answer: Reply;
  hold: ((hangUp: AbortSignal) => void) | null;
}): Platform {
  const flowing = async (hangUp: AbortSignal): Promise<StreamedReply> => {
    const { answer, hold } = made;
    if (hold !== null) {
      hold(hangUp);
      return new Promise(() => {});
    }
    if (answer.kind !== 'answered') return answer;
    return { ...answer, body: Readable.from([Buffer.from(answer.body)]) };
  };
  const transport = {
    request: () => Promise.reject(new Error('no wire in this test')),
    stream: () => Promise.reject(new Error('no wire in this test')),
    close: async () => {},
  };
  const telegram = createTelegram({ transport, sandbox: transport });
  return {
    ...telegram,
    wire: {
      ...telegram.wire,
      async identify(credential) {
        if (!/:(good|sandbox)/.test(credential)) {
          return { kind: 'refused', status: 401, detail: 'Unauthorized' };
        }
        return { kind: 'known', id: credential.split(':')[0]! };
      },
    },
    passage: {
      pass(call, hangUp) {
        made.passed.push(call);
        return flowing(hangUp);
      },
      download(file, hangUp) {
        made.downloads.push(file);
        return flowing(hangUp);
      },
    },
  };
}

export function message(extra: object = {}) {
  return {
    to: { platform: 'telegram', account: ACCOUNT, chat: '-100' },
    body: { text: 'hello' },
    ...extra,
  };
}
