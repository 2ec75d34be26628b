// What is wrong right now, the worst first, each with what to do about it: the same list for the page, `sluice status`
// and `sluice top`, so that none of them can say that all is well while another knows better. A chat that must wait is
// no incident: its freeze is told with its account. Pure; `now` is an argument.

import Type from 'typebox';
import { showTimeOrNull } from '../../accept/time.ts';
import type { UnreachableAccount } from '../../accounts/accounts.ts';
import { INTERNAL } from '../../domain/fault.ts';
import { type AccountId, platformOf, SANDBOX_OFF } from '../../domain/ids.ts';
import { LOOK_AT_NETWORK, metIn, outageInWords, remedyOf } from '../../domain/outage.ts';
import type { Platform, PlatformTrouble } from '../../platforms/platform.ts';
import type { AccountView, Frozen } from '../../road/road.ts';
import type { HealthPart } from '../context.ts';
import { count, text, timeOrNull } from '../openapi/common.ts';

export interface Incident {
  readonly code: string;
  // `critical`: messages do not go out and will not without help; `warning`: they wait, and it is known for what.
  readonly severity: 'critical' | 'warning';
  // null: it concerns all of them.
  readonly account: AccountId | null;
  // Of a fleet: where it is so; left out: of no node, or embedded.
  readonly node?: string;
  readonly waiting: number;
  // null: that is not known.
  readonly since: number | null;
  readonly until: number | null;
  readonly summary: string;
  readonly remedy: string;
  // What follows `sluice` on the command line to do it; null: nothing there helps.
  readonly command: string | null;
}

// Of one process.
export interface Standing {
  readonly parts: Readonly<Record<string, HealthPart>>;
  readonly platforms: Iterable<Pick<Platform, 'name' | 'troubles'>>;
  // Accounts whose platform could not be asked whose token it is.
  readonly unreachable: readonly UnreachableAccount[];
}

// Of a fleet an account's are those of its owner.
export interface AccountsStanding {
  readonly accounts: readonly AccountView[];
  readonly frozen: readonly Frozen[];
  readonly now: number;
}

type Load = Pick<AccountView, 'id' | 'waiting'>;

// More than a screen of them helps nobody.
export const INCIDENTS_SHOWN_MAX = 50;

export const IncidentAnswer = Type.Object({
  code: text,
  severity: Type.Enum(['critical', 'warning']),
  account: Type.Unsafe({ type: ['string', 'null'], description: 'null: it concerns all' }),
  node: Type.Optional(Type.String({ description: 'Of several machines: where it is so' })),
  waiting: count,
  since: timeOrNull,
  until: timeOrNull,
  summary: Type.String({ description: 'What is wrong, in words' }),
  remedy: Type.String({ description: 'What to do about it' }),
  command: Type.Unsafe({
    type: ['string', 'null'],
    description: 'What follows `sluice` on the command line to do it',
  }),
});

// What is wrong with the process itself, whoever owns the accounts.
export function ownIncidents(standing: Standing, accounts: readonly Load[]): Incident[] {
  const { parts, platforms, unreachable } = standing;
  return [
    ...partIncidents(parts, accounts),
    ...Array.from(platforms, (each) => platformIncidents(each, accounts)).flat(),
    ...unreachable.map(unreachableIncident),
  ];
}

// `own`: of each process there is.
export function incidentsOf(
  own: readonly Incident[],
  { accounts, frozen, now }: AccountsStanding,
): Incident[] {
  const found = [
    ...own,
    ...accounts.flatMap((account) => accountIncident(account, now) ?? []),
    ...frozen.flatMap((freeze) => freezeIncident(freeze, accounts) ?? []),
  ];
  const rank = ({ severity, account }: Incident) =>
    (severity === 'critical' ? 0 : 2) + (account === null ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b) || b.waiting - a.waiting);
}

export function showIncident({ since, until, ...incident }: Incident) {
  return { ...incident, since: showTimeOrNull(since), until: showTimeOrNull(until) };
}

function partIncidents(parts: Standing['parts'], accounts: readonly Load[]): readonly Incident[] {
  const waiting = accounts.reduce((sum, each) => sum + each.waiting, 0);
  const severity = 'critical' as const;
  const of = { severity, account: null, waiting, since: null, until: null, command: null };
  const found: Incident[] = [];
  const { journal, scheduler, spill } = parts;
  if (spill?.status === 'stale' || spill?.status === 'down') {
    found.push({ ...of, ...spillIncident(spill) });
  } else if (journal?.status === 'down') {
    const code = String(journal.code);
    const what = code === 'disk_full' ? 'The disk is full' : 'The store cannot be written';
    const remedy =
      code === 'disk_full'
        ? 'Free space on the disk of the data folder; it goes on by itself.'
        : 'Look at the disk and at the data folder; it goes on by itself.';
    found.push({ ...of, code, summary: `${what}: nothing is accepted, nothing is sent.`, remedy });
  }
  if (scheduler?.status !== undefined && scheduler.status !== 'ok') {
    const summary = 'The loop that sends has not run for half a minute.';
    const remedy = 'Check the load of the machine and the log; a restart loses nothing.';
    found.push({ ...of, code: 'loop_stale', summary, remedy });
  }
  return found;
}

function spillIncident(spill: HealthPart): Pick<Incident, 'code' | 'summary' | 'remedy'> {
  const held = `${spill.deliveries} of at most ${spill.deliveriesMax} records`;
  const remedy = 'Check the database; everything continues by itself when it is back.';
  if (spill.status === 'down') {
    const summary = `The database is away and the spill of this node is full (${held}): nothing is accepted or sent.`;
    return { code: 'spill_full', summary, remedy };
  }
  const summary =
    spill.mode === 'draining'
      ? `The database is back; the spill of this node is being handed over (${held} left).`
      : `The database is away: messages are accepted onto the disk of this node (${held}), nothing is sent.`;
  return { code: 'database_away', summary, remedy };
}

function platformIncidents(
  { name, troubles }: Pick<Platform, 'name' | 'troubles'>,
  accounts: readonly Load[],
): readonly Incident[] {
  const own = accounts.filter(({ id }) => platformOf(id) === name);
  const waiting = own.reduce((sum, each) => sum + each.waiting, 0);
  const found: readonly PlatformTrouble[] = troubles?.() ?? [];
  return found.map((trouble) => ({
    ...{ ...trouble, account: null, waiting, since: null, command: null },
  }));
}

function accountIncident(account: AccountView, now: number): Incident | null {
  const { id, waiting, paused, refused, breaker } = account;
  const of = { account: id, waiting, since: null, until: null, command: null };
  if (breaker.cause === SANDBOX_OFF) {
    const summary = `${id} is a bot of the built-in simulator, which is switched off here.`;
    const remedy = 'SLUICE_SANDBOX=on switches it on.';
    return { ...of, code: SANDBOX_OFF, severity: 'warning', summary, remedy };
  }
  if (refused !== null) {
    const isOurs = refused === INTERNAL;
    return {
      ...of,
      code: refused,
      severity: 'critical',
      summary: isOurs
        ? `A fault of Sluice keeps the token of ${id} from being used.`
        : `The platform refuses the token of ${id}${metWith(breaker.detail)}.`,
      remedy: isOurs
        ? 'The log of the start has the fault; a new token may end it.'
        : 'Give it a new token, or ask the platform again.',
      command: isOurs ? null : `accounts probe ${id}`,
    };
  }
  if (paused) {
    const summary = `${id} is paused by an operator.`;
    const remedy = 'Resume it when it may go on.';
    const command = `resume ${id}`;
    return { ...of, code: 'paused', severity: 'warning', summary, remedy, command };
  }
  if (breaker.state === 'closed') return silenceIncident(account, now);
  return {
    ...of,
    code: breaker.cause,
    severity: 'critical',
    summary: `${sentence(outageInWords(breaker.cause, id))}: ${metIn(breaker)}.`,
    remedy: remedyOf(breaker.cause),
    command: `accounts probe ${id}`,
  };
}

// Calls that were given up, one by one, are the breaker's; these are in flight still.
function silenceIncident(account: AccountView, now: number): Incident | null {
  const { id, silentSince: since, inFlight, waiting } = account;
  if (since === null) return null;
  const calls = inFlight === 1 ? '1 call is' : `${inFlight} calls are`;
  const s = Math.round((now - since) / 1000);
  const of = { account: id, waiting, since, until: null, command: null };
  return {
    ...{ ...of, code: 'no_answer', severity: 'critical' },
    summary: `The platform does not answer ${id}: ${calls} in flight, none was answered for ${s} s.`,
    remedy: `${LOOK_AT_NETWORK} Each call is given up at its deadline (deadline_ms), and tried again.`,
  };
}

// Whoever brought its token was told so and keeps the message: nothing waits here.
function unreachableIncident({ id, detail }: UnreachableAccount): Incident {
  return {
    ...{ account: id, waiting: 0, since: null, until: null, command: null },
    code: 'platform_unreachable',
    severity: 'critical',
    summary: `The platform cannot be asked whose token ${id} has${metWith(detail)}.`,
    remedy:
      'Its messages are refused until the platform answers; check the network: DNS, proxy, firewall.',
  };
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function metWith(detail: string): string {
  return detail === '' ? '' : `: ${detail.replace(/\.$/, '')}`;
}

// Those of a whole account alone: one chat's trouble is that chat's.
function freezeIncident(freeze: Frozen, accounts: readonly AccountView[]): Incident | null {
  const { account, scope, name, since, until, cause } = freeze;
  if (scope === 'chat' || scope === 'family' || scope === 'method') return null;
  const waiting = accounts.find(({ id }) => id === account)?.waiting ?? 0;
  const what = scope === 'budget' ? `, for ${name} messages,` : '';
  return {
    code: 'frozen',
    severity: 'warning',
    ...{ account, waiting, since, until },
    summary: `${account}${what} must wait: ${cause}.`,
    remedy: 'Nothing: it goes on at that time, and calling earlier would make the wait longer.',
    command: null,
  };
}
