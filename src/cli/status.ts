// sluice status: is it well, what waits, and which account has trouble.

import type { Command } from 'commander';
import { ACCOUNT_REFUSED } from '../domain/outcome.ts';
import { systemClock } from '../system/clock.ts';
import { type ShownAccount, troubleOf } from './accounts/view.ts';
import { addClientOptions, commandLine, connect } from './client.ts';
import { Failed, type Io, printJson } from './io.ts';
import { harmless } from './terminal/harmless.ts';
import { moment, table, until } from './terminal/table.ts';
import { isCritical, verdictOf } from './verdict.ts';

interface Health {
  readonly status: string;
  readonly parts: Readonly<Record<string, { status: string; jobs?: readonly ShownJob[] }>>;
}

interface ShownJob {
  readonly name: string;
  readonly state: string;
  readonly lastError: string | null;
}

interface Queue {
  readonly stats: Readonly<Record<string, number>>;
  readonly total_queued: number;
}

interface Limits {
  readonly limits: readonly {
    readonly account: string;
    readonly chat: string;
    readonly freezes: readonly { scope: string; until: string | null; cause: string }[];
  }[];
}

interface Glance {
  readonly url: string;
  readonly health: Health;
  readonly queue: Queue;
  readonly accounts: readonly ShownAccount[];
  readonly freezes: readonly Frozen[];
  readonly incidents: readonly ShownIncident[];
}

interface ShownIncident {
  readonly code: string;
  readonly severity: 'critical' | 'warning';
  // Of the gateway's version, where it knows one.
  readonly since?: string | null;
  readonly until: string | null;
  readonly waiting: number;
  readonly summary: string;
  readonly remedy: string;
  // The same.
  readonly command?: string | null;
}

interface Frozen {
  readonly account: string;
  readonly chat: string;
  readonly scope: string;
  readonly until: string;
  readonly cause: string;
}

// More than a screen of them is no glance; `/v1/limits` has them all.
const FREEZES_SHOWN_MAX = 20;

export function addStatus(program: Command, io: Io): void {
  const command = program.command('status').description('the gateway at a glance');
  addClientOptions(command).action(async (options: { json?: true }) => {
    const client = connect(io, { ...options });
    const [health, queue, { accounts }, limits, { incidents }] = (await Promise.all([
      client.call('GET', '/health/details'),
      client.call('GET', '/queue/stats'),
      client.call('GET', '/v1/accounts'),
      client.call('GET', '/v1/limits?frozen=true'),
      client.call('GET', '/v1/overview'),
    ])) as [
      Health,
      Queue,
      { accounts: ShownAccount[] },
      Limits,
      { incidents: readonly ShownIncident[] },
    ];
    const now = systemClock().now();
    const freezes = freezesOf(limits, now);
    const glance = { url: client.url, health, queue, accounts, freezes, incidents };
    if (options.json) printJson(io, glance);
    else io.out(describe(glance, now, (words) => commandLine(io, words, { ...options })));
    const critical = incidents.filter(isCritical).length;
    if (critical > 0) throw new Failed(`${critical} critical, see above`);
    if (health.status !== 'ok') throw new Failed(`the gateway is ${health.status}`);
  });
}

function freezesOf({ limits }: Limits, now: number): Frozen[] {
  return limits.flatMap(({ account, chat, freezes }) =>
    freezes.flatMap((freeze) =>
      freeze.until === null || Date.parse(freeze.until) <= now
        ? []
        : [{ account, chat, scope: freeze.scope, until: freeze.until, cause: freeze.cause }],
    ),
  );
}

type Say = (words: string) => string;

function describe(glance: Glance, now: number, say: Say): string {
  const { url, health, queue, accounts, freezes, incidents } = glance;
  const parts = Object.entries(health.parts).map(([name, { status }]) => `${name} ${status}`);
  const { retry = 0, dlq = 0, ...classes } = queue.stats;
  const depths = Object.entries(classes).map(([name, count]) => `${name} ${count}`);
  const rows = accounts.map((account) => [
    account.id,
    account.waiting,
    account.inFlight,
    standingOf(account, freezes, now),
  ]);
  const lines = [
    ...incidents.flatMap((incident) => [...incidentLines(incident, now, say), '']),
    `${url} ${verdictOf(health.status, incidents)} (${parts.join(', ')})`,
    ...jobLines(health),
    `${queue.total_queued} waiting (${depths.join(', ')}; ${retry} to be tried again)`,
    `${dlq} dead${dlq === 0 ? '' : `; why: ${say('dead list --group')}`}`,
  ];
  if (rows.length > 0) lines.push('', table(['account', 'waiting', 'in flight', 'trouble'], rows));
  if (freezes.length > 0) lines.push('', freezeTable(freezes, now));
  return lines.join('\n');
}

// The worst first, each with what to do.
function incidentLines(incident: ShownIncident, now: number, say: Say): string[] {
  const { code, severity, summary, remedy, waiting, since = null, command = null } = incident;
  const end = until(incident.until, now);
  const began = since === null ? '' : ` Since ${moment(since)}.`;
  const waits = waiting === 0 ? '' : ` ${waiting} waiting.`;
  return [
    `${severity.toUpperCase()}  ${harmless(summary)}${waits}${began}${end === null ? '' : ` Until ${end}.`}`,
    `          ${harmless(remedy)}`,
    ...(code === ACCOUNT_REFUSED ? [`          SLUICE_TOKEN=… ${say('accounts add')}`] : []),
    ...(command === null ? [] : [`          ${harmless(say(command))}`]),
  ];
}

// Periodic work that is not well.
function jobLines({ parts }: Health): string[] {
  const jobs = (parts.periodic?.jobs ?? []).filter(({ state }) => state !== 'ok');
  return jobs.map(({ name, state, lastError }) => {
    const why = lastError === null ? '' : `: ${harmless(lastError)}`;
    return `periodic work ${name} is ${state}${why}`;
  });
}

function freezeTable(freezes: readonly Frozen[], now: number): string {
  const rows = freezes
    .toSorted((a, b) => (a.until < b.until ? 1 : -1))
    .slice(0, FREEZES_SHOWN_MAX)
    .map(({ account, chat, scope, until: end, cause }) => [
      account,
      chat === '' ? 'all' : chat,
      until(end, now) ?? '',
      cause,
      scope,
    ]);
  const more = freezes.length - rows.length;
  const text = table(['account', 'frozen chat', 'until', 'why', 'code'], rows);
  return more > 0 ? `${text}\n… and ${more} more` : text;
}

function standingOf(account: ShownAccount, freezes: readonly Frozen[], now: number): string {
  const trouble = troubleOf(account, now);
  if (trouble !== null) return trouble;
  const frozen = freezes.filter((freeze) => freeze.account === account.id).length;
  return frozen === 0 ? 'none' : `${frozen} frozen, see below`;
}
