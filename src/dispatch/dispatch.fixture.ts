// A road to test: the real loop on a memory store and a virtual clock, and a platform under the test's hand.

import { aDelivery } from '../domain/delivery.fixture.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import type { RoadEvent } from '../domain/event.ts';
import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Priors, Rule } from '../limits/limits.ts';
import { safePriors } from '../platforms/bounded.ts';
import type { Identified, OutgoingCall, Platform } from '../platforms/platform.ts';
import { CREDENTIALS } from '../platforms/terminal/credentials.ts';
import type { Road } from '../road/road.ts';
import { type Order, Scheduler } from '../scheduler/scheduler.ts';
import { createMemoryDisk, createMemoryStore, type MemoryDisk } from '../store/memory/memory.ts';
import type { BootTime } from '../system/boot.ts';
import type { Clock } from '../system/clock.ts';
import type { Reply } from '../system/http/transport.ts';
import { Periodic } from '../system/periodic.ts';
import { seededRandom } from '../system/random.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import type { LimitSettings } from './account/limits-by-hand.ts';
import { Dispatch, type Profile } from './loop.ts';
import { createRoad } from './road.ts';

export const START = 1_700_000_000_000;
export const CERTAIN_MS = 10_000;
export const NEVER = new AbortController().signal;
// On disk, and of a platform that is no longer served.
export const GONE_ACCOUNT = 'gone:1';
export const SENT: Outcome = { kind: 'sent', messageId: '7', result: '{"ok":true}' };

const CHAT_SECOND: Rule = { name: 'chat_second', scope: 'chat', count: 1, perMs: 1000 };
const TYPING: Rule = { name: 'typing_spacing', scope: 'chat', count: 1, perMs: 4000 };

// A platform under the test's hand: each call takes 100 ms and comes to what `say` says.
function fakePlatform(
  say: (call: OutgoingCall, nth: number) => Outcome,
  delay: (call: OutgoingCall) => Promise<void>,
  date: () => string | null,
  identify: () => Identified,
) {
  const calls: OutgoingCall[] = [];
  const outcomes = new WeakMap<Reply, Outcome>();
  const platform: Platform = {
    name: 'fake',
    credentials: CREDENTIALS,
    calls: {
      describe: () => ({ kind: 'invalid', detail: '' }),
      address: (params) => ({ ...params }),
      textMethod: 'send',
      textParams: (text) => ({ text }),
      isIdempotent: (method) => method === 'edit',
      spends: (method, budget) => method === 'gift' || budget === 'paid',
      plainParams: (params) => ({ kind: 'plain', params }),
      targets: () => ({ kind: 'unknown' }),
    },
    budgets: { names: ['open', 'paid'], unsolicited: 'open' },
    limits: {
      planOf: ({ family }) => ({ account: [], chat: [family === 'typing' ? TYPING : CHAT_SECOND] }),
    },
    wire: {
      identify: async () => identify(),
      async send(call) {
        calls.push(call);
        const outcome = say(call, calls.length);
        await delay(call);
        const said = date();
        const headers: Record<string, string> = said === null ? {} : { date: said };
        const reply: Reply = { kind: 'answered', status: 200, headers, body: call.body };
        outcomes.set(reply, outcome);
        return reply;
      },
      classify: (_method, reply) => outcomes.get(reply)!,
      timeAt: async () => date(),
      close: async () => {},
    },
    repairs: {
      cure: (_cure, _method, body) => ({ chat: null, body: body.replace('<b>', '') }),
      chatAfter: () => null,
      split: () => null,
      rest: () => null,
      ...{ wholeUnitsMax: 0, partsMark: '' },
    },
    references: { mentions: () => [], named: (body) => body },
    content: {
      touch: (method, body) =>
        method === 'edit' || method === 'send'
          ? { messages: method === 'edit' ? ['7'] : [], content: body }
          : null,
      wording: () => null,
    },
  };
  return { platform, calls };
}

export function aRoad(
  say: (call: OutgoingCall, nth: number) => Outcome,
  {
    disk = createMemoryDisk(),
    typingMs = 100,
    order = 'lane',
    node,
    startAt = START,
    virtual = virtualClock(startAt),
    made = createMemoryStore(disk),
    stepMs = null,
    bootTime,
    dateOf = () => null,
    hostOf = () => 'fake',
    refusedOf = () => null,
    identify = () => ({ kind: 'known', id: '1' }),
    wrap = (platform) => platform,
    limitSettings,
    priors,
    report = (_stage, error) => {
      throw error;
    },
  }: {
    disk?: MemoryDisk;
    typingMs?: number;
    order?: Order;
    // Of a fleet, by this name; left out: embedded.
    node?: string;
    startAt?: number;
    // Shared with other nodes; left out: its own.
    virtual?: VirtualClock;
    made?: ReturnType<typeof createMemoryStore>;
    // What the wall clock has been set by; null: it cannot be.
    stepMs?: (() => number) | null;
    bootTime?: () => BootTime | null;
    // What the platform's answers say at that time of our clock; null: no `Date`.
    dateOf?: (now: number) => number | null;
    hostOf?: (account: AccountId) => string;
    // Why an account is refused from the start.
    refusedOf?: (account: AccountId) => string | null;
    // What the platform says when it is asked for the account.
    identify?: () => Identified;
    wrap?: (platform: Platform, clock: Clock) => Platform;
    // Left out: none can be set by hand.
    limitSettings?: LimitSettings;
    // Asked whenever an account is opened or set; left out: the platform's own.
    priors?: () => Priors;
    report?: ReportFault;
  } = {},
) {
  const clock = stepMs === null ? virtual : { ...virtual, stepMs };
  const tick = (ms: number) =>
    new Promise<void>((resolve) => {
      clock.schedule(clock.now() + ms, resolve);
    });
  const { platform: good, calls } = fakePlatform(
    say,
    (call) => tick(call.method === 'typing' ? typingMs : 100),
    () => {
      const date = dateOf(clock.now());
      return date === null ? null : new Date(date).toUTCString();
    },
    () => identify(),
  );
  const platform = wrap(good, clock);
  const store = node === undefined ? made : { ...made, journal: made.journal.beside(node) };
  const lost: string[] = [];
  const fleet = { certainMs: CERTAIN_MS, onLost: (account: AccountId) => void lost.push(account) };
  const profile: Profile = {
    platform,
    priors: platform.limits,
    host: 'fake',
    retry: {
      baseMs: 1000,
      maxMs: 30_000,
      attemptsMax: 3,
      deadAgeMinMs: 60_000,
      uncertain: 'resend',
    },
    breaker: { failuresMax: 3, openMs: 10_000, openMsMax: 60_000 },
    deadlineMs: 1000,
    queueMax: 100,
    queueBytesMax: 1_000_000,
    isStranger: false,
    inFlightMax: 10,
    order,
    splits: true,
  };
  const refused: string[] = [];
  const written = new Map<string, string | null>();
  const dispatch = new Dispatch({
    ...store,
    clock,
    periodic: new Periodic(clock),
    ...(node === undefined ? null : { fleet }),
    ...(bootTime === undefined ? null : { bootTime }),
    random: seededRandom(1),
    scheduler: new Scheduler(),
    breaker: { failuresMax: 3, openMs: 10_000, openMsMax: 60_000 },
    accounts: {
      profileOf: (id) => {
        if (id === GONE_ACCOUNT) throw new TypeError('no such platform');
        const own = priors?.() ?? profile.priors;
        const failed = (error: unknown) => report('limits', error, { account: id });
        return { ...profile, priors: safePriors(own, failed), host: hostOf(id) };
      },
      stateOf: (id) => ({ paused: false, refused: written.get(id) ?? refusedOf(id) }),
      credentialOf: () => 'secret',
      setRefused: async (id, reason) => {
        written.set(id, reason);
        if (reason !== null) refused.push(id);
      },
    },
    ...(limitSettings === undefined ? null : { limitSettings }),
    report,
    fatal: (error) => {
      throw error;
    },
  });
  const road = createRoad({
    dispatch,
    ledger: store.ledger,
    clock,
    accounts: {
      list: () => [{ id: aDelivery().account, platform: 'telegram', paused: false, refused: null }],
      setPaused: async () => true,
    },
    bounds: { platformQueueMax: 1000, queueBytesTotalMax: 10_000_000 },
    onFull: () => {},
  });
  const events: RoadEvent[] = [];
  road.listen((event) => events.push(event));
  const run = (ms: number) => clock.run(clock.now() + ms);
  return { clock, dispatch, road, calls, events, store, disk, run, refused, lost };
}

export function message(changes: Partial<NewDelivery> = {}): NewDelivery {
  const call = { account: 'fake:1' as const, platform: 'fake', chat: 'c', method: 'send' };
  return aDelivery({ ...call, budget: 'open', acceptedAt: START, body: '{}', ...changes });
}

export async function submit(road: Road, overrides: Partial<NewDelivery> = {}) {
  const appended = await road.submit(message(overrides));
  if (appended.kind !== 'accepted') throw new Error(`not accepted: ${appended.kind}`);
  return appended.queued.seq;
}
