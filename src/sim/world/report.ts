// What a world came to: the broken promises first, then what happened in it, in numbers.

import type { State } from '../../domain/delivery.ts';
import { checkDuplicates } from './checks/duplicates.ts';
import { checkEnds } from './checks/ends.ts';
import { checkFreezes } from './checks/freezes.ts';
import { checkIsolation } from './checks/isolation.ts';
import { checkLoss } from './checks/loss.ts';
import { checkOrder } from './checks/order.ts';
import { checkSenders } from './checks/senders.ts';
import { checkWindows } from './checks/windows.ts';
import type { WorldLearnedRate } from './engine.ts';
import { type Check, type Evidence, type Finding, isDelivered, placeOf } from './evidence.ts';

export interface WorldReport {
  readonly seed: number;
  readonly ok: boolean;
  // The first few of each promise that was broken; `broken` counts them all.
  readonly findings: readonly Finding[];
  readonly broken: Readonly<Record<string, number>>;
  readonly counts: WorldCounts;
  // The chats that earned 429s, those with the most first.
  readonly floods: readonly FloodedChat[];
  // The longest wait that the platform hid in a success, of each minute since the world began.
  readonly hiddenMsMax: readonly number[];
  readonly learned: readonly WorldLearnedRate[];
}

export interface FloodedChat {
  readonly chat: string;
  readonly count: number;
  // Since the world began, of each.
  readonly minutes: readonly number[];
}

export interface WorldCounts {
  readonly virtualMinutes: number;
  readonly said: number;
  readonly accepted: number;
  readonly refused: number;
  readonly states: Readonly<Partial<Record<State, number>>>;
  readonly calls: number;
  readonly faults: number;
  readonly crashes: number;
  // Of nodes of a fleet.
  readonly troubles: number;
  readonly duplicates: number;
  readonly limited: number;
  readonly flood: number;
  readonly held: number;
}

const CHECKS: readonly Check[] = [
  checkLoss,
  checkOrder,
  checkDuplicates,
  checkFreezes,
  checkWindows,
  checkIsolation,
  checkEnds,
  checkSenders,
];

const PROMISES: Readonly<Record<string, string>> = {
  loss: 'what was accepted is not lost',
  order: 'a lane keeps its order',
  duplicates: 'nothing is sent twice without a doubt',
  freezes: 'nothing goes while it is told to wait',
  windows: 'no window of the platform is exceeded',
  isolation: "one chat's trouble is its own",
  ends: 'it ends as it was asked to',
  senders: 'an account has one sender',
  counted: 'no limit is exceeded, as the platform itself counts',
  apart: "one platform's trouble changes nothing for another",
};

const FINDINGS_PER_CHECK_MAX = 3;
const FLOODS_SHOWN_MAX = 5;

export function report(
  evidence: Evidence,
  learned: readonly WorldLearnedRate[],
  checks: readonly Check[] = CHECKS,
): WorldReport {
  const perCheck = checks.map((check) => check(evidence));
  const findings = perCheck.flatMap((found) => found.slice(0, FINDINGS_PER_CHECK_MAX));
  const broken: Record<string, number> = {};
  for (const found of perCheck) if (found[0]) broken[found[0].check] = found.length;
  return {
    seed: evidence.seed,
    ok: findings.length === 0,
    findings,
    broken,
    counts: count(evidence),
    floods: floodsByChat(evidence),
    hiddenMsMax: hiddenByMinute(evidence),
    learned,
  };
}

function count(evidence: Evidence): WorldCounts {
  const { stories, tries } = evidence;
  const states: Partial<Record<State, number>> = {};
  for (const { record } of stories) {
    if (record !== null) states[record.state] = (states[record.state] ?? 0) + 1;
  }
  const copies = stories.map((story) => story.tries.filter(isDelivered).length);
  return {
    virtualMinutes: (evidence.finishedAt - evidence.startedAt) / 60_000,
    said: stories.length,
    accepted: stories.filter((story) => story.seq !== null).length,
    refused: stories.filter((story) => story.refused !== null).length,
    states,
    calls: tries.length,
    faults: tries.filter((one) => one.fault !== null).length,
    crashes: evidence.crashes.length,
    troubles: evidence.troubles?.length ?? 0,
    duplicates: copies.reduce((sum, n) => sum + Math.max(0, n - 1), 0),
    limited: tries.filter((one) => one.call?.retryAfterS != null).length,
    flood: tries.filter((one) => one.call?.cause === 'flood').length,
    held: tries.filter((one) => (one.call?.holdMs ?? 0) > 0).length,
  };
}

function floodsByChat({ tries, startedAt }: Evidence): FloodedChat[] {
  const floods = tries.filter((one) => one.call?.cause === 'flood');
  const chats = Map.groupBy(floods, (one) =>
    placeOf({ token: one.token.split(':')[0]!, chat: one.chat }),
  );
  return [...chats]
    .map(([chat, earned]) => {
      const minutes = earned.map((one) => (one.call!.arrivedAt - startedAt) / 60_000);
      return { chat, count: earned.length, minutes };
    })
    .sort((a, b) => b.count - a.count);
}

function hiddenByMinute({ tries, startedAt, finishedAt }: Evidence): number[] {
  const longest = Array<number>(Math.ceil((finishedAt - startedAt) / 60_000)).fill(0);
  for (const { call } of tries) {
    if (call === null || call.acceptedAt === null) continue;
    const minute = Math.floor((call.arrivedAt - startedAt) / 60_000);
    longest[minute] = Math.max(longest[minute] ?? 0, call.holdMs);
  }
  return longest;
}

// Which promise, which chat, why.
function inOneLine([first]: readonly Finding[]): string {
  if (first === undefined) return '';
  return `promise "${PROMISES[first.check] ?? first.check}" (${first.check}): ${first.facts}`;
}

// For a person: what broke, with which seed, and the first facts.
export function formatReport({ seed, ok, findings, broken, counts, floods }: WorldReport): string {
  const numbers = Object.entries({ ...counts, ...counts.states })
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name} ${Math.round(Number(value) * 10) / 10}`);
  const verdict = ok ? 'all promises kept' : `BROKEN, ${inOneLine(findings)}`;
  const lines = [`world ${seed}: ${verdict} · ${numbers.join(', ')}`];
  for (const [check, times] of Object.entries(broken)) {
    lines.push(`  ${check}: ${times} times with seed ${seed}, first:`);
    const first = findings.filter((finding) => finding.check === check);
    for (const { facts } of first) lines.push(`  - ${facts}`);
  }
  if (floods.length > 0) {
    const shown = floods.slice(0, FLOODS_SHOWN_MAX);
    lines.push(`  429s earned: ${shown.map((f) => `${f.count} in ${f.chat}`).join(', ')}`);
  }
  return lines.join('\n');
}
