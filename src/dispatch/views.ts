// Read-only views of the road, for people and for live output: why a message has not gone out, who waits longest, when
// a call could go, what the limits believe.

import type { StoreTrouble } from '../domain/event.ts';
import { type WaitedSpan, writeWaited } from '../domain/waited.ts';
import type {
  AccountView,
  Explanation,
  Frozen,
  LimitsView,
  Prospect,
  WaitingFilter,
  WaitingHead,
} from '../road/road.ts';
import type { Explained, WaitedTime } from '../scheduler/scheduler.ts';
import { endOfHold, holdInWords } from './account/hold-reason.ts';
import type { PassWait } from './account/pass-waits.ts';
import type { RoadState } from './state.ts';

export function explanationOf(road: RoadState, seq: number, now: number): Explanation | null {
  const { scheduler } = road;
  const account = scheduler.accountInFlight(seq);
  if (account !== null) {
    const hold = holdInWords(road.availability.view(account));
    return {
      position: 0,
      eta: now,
      state: 'sending',
      // A try at a platform that is away is in flight again and again: what the others met is still the news.
      summary: ['it is being sent now', hold].filter(Boolean).join('; '),
      cause: null,
      waitsFor: null,
      causes: [],
    };
  }
  const explained = scheduler.explain(seq, now);
  if (explained === null) return null;
  const { trouble } = road.store;
  if (trouble === null) {
    const decisive = decisiveOf(explained.causes, now);
    const summary = summaryOf(explained, now);
    const waitsFor =
      decisive?.kind === 'held' && explained.eta === null ? endOfHold(decisive.name) : null;
    return { ...explained, state: 'queued', summary, cause: nameOf(decisive), waitsFor };
  }
  const why = { ...STORE_TROUBLE[trouble], cause: trouble };
  return { ...explained, eta: null, state: 'queued', ...why };
}

// No limit matters while this lasts.
const STORE_TROUBLE = {
  disk_full: {
    summary: 'the disk is full: nothing is sent until there is space again',
    waitsFor: 'space on the disk',
  },
  journal_failed: {
    summary: 'the store cannot be written: nothing is sent until it can',
    waitsFor: 'the store to be writable',
  },
} as const satisfies Record<StoreTrouble, Pick<Explanation, 'summary' | 'waitsFor'>>;

export function waitingHeads(road: RoadState, filter: WaitingFilter, max: number): WaitingHead[] {
  return road.scheduler.waiting(filter, max).map(({ queued, behind }) => {
    const { seq, account, chat, enterAt } = queued;
    return { seq, account, chat, since: enterAt, behind };
  });
}

export function earliest(road: RoadState, call: Prospect, now: number): number {
  const { limits } = road.openAccount(call.account);
  const charge = { ...call, chat: road.aliases.canonical(call.account, call.chat) };
  return Math.max(
    road.scheduler.heldUntil(call.account),
    limits.earliestChat(charge, now),
    limits.earliestAccount(charge, now),
  );
}

export function hindrance(road: RoadState, call: Prospect, now: number): string | null {
  const at = earliest(road, call, now);
  if (at <= now) return null;
  const charge = { ...call, chat: road.aliases.canonical(call.account, call.chat) };
  const causes = road.openAccount(call.account).limits.explain(charge, now);
  const held = road.scheduler.holdOf(call.account, now);
  const eta = Number.isFinite(at) ? at : null;
  return summaryOf({ position: 1, eta, causes: held === null ? causes : [held, ...causes] }, now);
}

export function accountView(
  { availability, scheduler, silences }: RoadState,
  { id, platform, paused, refused }: Pick<AccountView, 'id' | 'platform' | 'paused' | 'refused'>,
  now: number,
): AccountView {
  const breaker = availability.view(id);
  const silentSince = silences.since(id, now);
  return { id, platform, paused, refused, breaker, silentSince, ...scheduler.depthOf(id) };
}

export function limitsView(
  road: RoadState,
  only: string | null,
  now: number,
  viewsMax: number,
): LimitsView[] {
  const views: LimitsView[] = [];
  for (const [account, { limits }] of road.accounts) {
    if (only !== null && account !== only) continue;
    for (const view of limits.view(now, viewsMax - views.length)) {
      const passed = view.chat === '' ? road.passWaits.active(account, now) : [];
      views.push({ account, ...view, freezes: [...view.freezes, ...passed.map(viewOfWait)] });
    }
    if (views.length >= viewsMax) break;
  }
  return views;
}

function viewOfWait({ name, ...wait }: PassWait): LimitsView['freezes'][number] {
  return { ...wait, method: name };
}

// Of accounts that are this process's own. Those that end last come first.
export function activeFreezes(road: RoadState, now: number): Frozen[] {
  const own = Array.from(road.accounts, ([id, { limits }]) => [id, limits] as const);
  const here = own.filter(([id]) => !road.isGone(id));
  const passed = here.flatMap(([account]) =>
    road.passWaits.active(account, now).map((wait) => ({ account, ...wait })),
  );
  return [...road.freezes.active(here, now), ...passed].sort((a, b) => b.until - a.until);
}

// Why has it not gone out? One line for a person at night: what decides, what is before it, when it is expected.

type Why = Explained['causes'][number];

// A wait of these kinds does not end with the next few calls, so it is named first.
const GRAVE: readonly Why['kind'][] = ['held', 'freeze', 'due'];
const TOGETHER_MS = 1000;
const MINUTE_S = 60;
const HOUR_S = 3600;

export function summaryOf(explained: Explained, now: number): string {
  const { causes, eta } = explained;
  if (causes.length === 0) return 'nothing holds it: it goes in this turn';
  const ahead = causes.find(({ kind }) => kind === 'ahead');
  const decisive = decisiveOf(causes, now);
  const parts = [decisive, ahead].filter((part) => part !== undefined).map(inWords);
  if (decisive !== undefined && !GRAVE.includes(decisive.kind)) parts.reverse();
  return `${parts.join('; ')}; ${eta === null ? 'no end is known' : endOf(decisive, eta - now)}`;
}

// Of an account that is held the next try is known, not that the message goes out with it.
function endOf(decisive: Why | undefined, ms: number): string {
  return `${decisive?.kind === 'held' ? 'the next try is' : 'expected'} in ${left(ms)}`;
}

// undefined: nothing but those before it.
function decisiveOf(causes: Explained['causes'], now: number): Why | undefined {
  const others = causes.filter(({ kind }) => kind !== 'ahead');
  return others.find(({ kind }) => kind === 'held') ?? longest(others, now);
}

function nameOf(cause: Why | undefined): string | null {
  return cause?.kind === 'window' || cause?.kind === 'held' ? cause.name : null;
}

// Behind a freeze come the deliveries ahead in the queue: the freeze is named where it ends last, or is most of the
// wait.
function longest(causes: readonly Why[], now: number): Why | undefined {
  const last = causes.toSorted((a, b) => (b.until ?? 0) - (a.until ?? 0))[0];
  const end = Math.min((last?.until ?? 0) - TOGETHER_MS, (now + (last?.until ?? 0)) / 2);
  return causes.find(({ kind, until }) => kind === 'freeze' && (until ?? 0) >= end) ?? last;
}

// The same words for what is over, as it is kept with the attempt that was begun at `startedAt`.
export function waitedInWords(waited: readonly WaitedTime[], startedAt: number): string {
  const spans = waited.map(({ cause, from, to }): WaitedSpan => {
    const [ago, ms] = [Math.max(0, startedAt - from), to - from];
    return { kind: waitedKindOf(cause.kind), ago, ms, detail: inWords(cause) };
  });
  return writeWaited(spans);
}

function waitedKindOf(kind: Why['kind']): WaitedSpan['kind'] {
  switch (kind) {
    case 'probe':
      return 'freeze';
    case 'due':
      return 'retry';
    case 'in_flight':
      return 'turn';
    default:
      return kind;
  }
}

function inWords(cause: Why): string {
  switch (cause.kind) {
    case 'held':
      return `its account is held: ${cause.detail}`;
    case 'freeze':
      return `${frozenOf(cause)} is frozen: ${cause.detail}`;
    default:
      return cause.detail;
  }
}

function frozenOf({ scope, name }: Extract<Why, { scope: string }>): string {
  switch (scope) {
    case 'chat':
      return `chat ${name}`;
    case 'family':
      return `its chat, for calls of the kind ${name},`;
    case 'budget':
      return `the account, for ${name} messages,`;
    default:
      return 'the account';
  }
}

function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 2 * MINUTE_S) return `${seconds} s`;
  if (seconds < 2 * HOUR_S) return `${Math.round(seconds / MINUTE_S)} min`;
  return `${Math.round(seconds / HOUR_S)} h`;
}
