// The tables of `sluice top`: who sends, who waits longest and why, what is frozen, what grows, what goes to many, what
// failed. As plain cells; the screen decides how many of them there is room for.

import { troubleOf } from '../accounts/view.ts';
import { countsOf, shareOf } from '../broadcast/view.ts';
import { harmless } from '../terminal/harmless.ts';
import type { Tone } from '../terminal/style.ts';
import { duration } from '../terminal/table.ts';
import type { Choice, SectionName } from './keys.ts';
import type { Snapshot, TopRule } from './snapshot.ts';

export interface TopSection {
  readonly name: SectionName;
  readonly head: readonly string[];
  readonly rows: readonly TopRow[];
  // There are so many, though not all were told.
  readonly total: number;
  // Columns that a narrow terminal does without, so that the last one has room to say something.
  readonly spare?: readonly string[];
}

export interface TopRow {
  readonly tone: Tone;
  readonly cells: readonly string[];
}

export function sectionsOf(snapshot: Snapshot, choice: Choice): TopSection[] {
  const now = Date.parse(snapshot.overview.at);
  const all = [
    accounts(snapshot, choice, now),
    longest(snapshot, now),
    frozen(snapshot, now),
    streams(snapshot),
    broadcasts(snapshot, now),
    failures(snapshot, now),
  ];
  return all
    .filter(({ name }) => choice.only === null || name === choice.only)
    .map((section) => filtered(section, choice.filter));
}

function filtered(section: TopSection, filter: string): TopSection {
  if (filter === '') return section;
  const wanted = filter.toLowerCase();
  const rows = section.rows.filter(({ cells }) =>
    cells.some((cell) => cell.toLowerCase().includes(wanted)),
  );
  return { ...section, rows, total: rows.length };
}

function accounts(snapshot: Snapshot, { sort }: Choice, now: number): TopSection {
  const known = snapshot.accounts.map((account) => {
    const mine = snapshot.overview.freezes.shown.filter((each) => each.account === account.id);
    const frozenOnes = mine.length === 0 ? null : `${mine.length} frozen`;
    const trouble = troubleOf(account, now);
    return { ...account, trouble, standing: trouble ?? frozenOnes ?? '' };
  });
  const byName = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  const byWaiting = (a: { waiting: number }, b: { waiting: number }) => b.waiting - a.waiting;
  const troubled = ({ trouble, standing }: (typeof known)[number]) =>
    trouble !== null ? 2 : standing === '' ? 0 : 1;
  const sorted = known.toSorted((a, b) => {
    if (sort === 'name') return byName(a, b);
    const byTrouble = sort === 'trouble' ? troubled(b) - troubled(a) : 0;
    return byTrouble || byWaiting(a, b) || byName(a, b);
  });
  const rows = sorted.map((account) => {
    const tone = account.trouble !== null ? 'bad' : account.standing === '' ? 'plain' : 'warning';
    const { id, waiting, inFlight, rules, standing } = account;
    const { budget, learned } = budgetOf(rules);
    return row(tone, [id, count(waiting), count(inFlight), budget, learned, standing]);
  });
  const head = ['accounts', 'waiting', 'in flight', 'budget', 'learned', 'trouble'];
  return { name: 'accounts', head, rows, total: rows.length, spare: ['learned'] };
}

// The rule that is nearest to its end, and how much of it is believed.
function budgetOf(rules: readonly TopRule[]): { budget: string; learned: string } {
  const [tightest] = rules.toSorted((a, b) => b.used / b.count - a.used / a.count);
  if (tightest === undefined) return { budget: '', learned: '' };
  const { used, count: allowed, perMs, learned } = tightest;
  const per = perMs === 1000 ? 's' : duration(perMs);
  return { budget: `${used}/${allowed} a ${per}`, learned: `${Math.round(learned * 100)} %` };
}

function longest({ overview }: Snapshot, now: number): TopSection {
  const rows = overview.oldest.map(({ id, account, chat, priority, since, behind, why }) =>
    row('plain', [id, ago(since, now), account, chat, priority, `+${count(behind)}`, why]),
  );
  const head = ['waits longest', 'for', 'account', 'chat', 'class', 'behind', 'why'];
  const spare = ['class', 'behind'];
  return { name: 'waits longest', head, rows, total: rows.length, spare };
}

function frozen({ overview }: Snapshot, now: number): TopSection {
  const { active, shown } = overview.freezes;
  const rows = shown.map(({ account, scope, name, until, cause }) =>
    row('warning', [
      frozenInWords(scope, name),
      account,
      duration(Math.max(0, Date.parse(until) - now)),
      cause,
    ]),
  );
  const head = ['frozen', 'account', 'time left', 'cause'];
  return { name: 'frozen', head, rows, total: active };
}

function frozenInWords(scope: string, name: string): string {
  if (scope === 'budget') return `${name} messages`;
  if (scope === 'family') return `calls of the kind ${name}`;
  return name === '' ? 'the account' : `${scope} ${name}`;
}

function streams(snapshot: Snapshot): TopSection {
  const rows = snapshot.streams.map((stream) => {
    const { id, account, chat, units, shownUnits, cadenceMs, waitsFor } = stream;
    const pace = cadenceMs === null ? '' : `${(cadenceMs / 1000).toFixed(1)} s`;
    return row('plain', [id, account, chat, `${shownUnits}/${units}`, pace, waitsFor ?? '']);
  });
  const head = ['streams', 'account', 'chat', 'shown', 'every', 'waits for'];
  return { name: 'streams', head, rows, total: rows.length };
}

function broadcasts(snapshot: Snapshot, now: number): TopSection {
  const rows = snapshot.broadcasts.map((shown) => {
    const { id, name, account, state, perSecond, eta } = shown;
    const left = eta === null ? '' : duration(Math.max(0, Date.parse(eta) - now));
    const pace = perSecond === null ? '' : `${perSecond}/s`;
    const share = `${Math.floor(shareOf(shown) * 100)} %`;
    const tone = state === 'paused' ? 'warning' : 'plain';
    return row(tone, [name ?? id, state, account, share, pace, left, countsOf(shown)]);
  });
  const head = ['broadcasts', 'state', 'account', 'done', 'pace', 'time left', 'progress'];
  return { name: 'broadcasts', head, rows, total: rows.length, spare: ['account'] };
}

function failures({ dead, overview }: Snapshot, now: number): TopSection {
  const rows = dead.map(({ id, settledAt, acceptedAt, account, chat, reason, detail }) => {
    const when = `${ago(settledAt ?? acceptedAt, now)} ago`;
    const why = detail === null || detail === '' ? (reason ?? '') : `${detail} (${reason})`;
    return row('plain', [id, when, account, chat, why]);
  });
  const head = ['dead letters', 'when', 'account', 'chat', 'reason'];
  return { name: 'dead letters', head, rows, total: overview.dead, spare: ['account'] };
}

function row(tone: Tone, cells: readonly string[]): TopRow {
  return { tone, cells: cells.map((cell) => harmless(cell).replaceAll('\n', ' ')) };
}

export function count(n: number): string {
  return n.toLocaleString('en-GB');
}

function ago(iso: string, now: number): string {
  return duration(Math.max(0, now - Date.parse(iso)));
}
