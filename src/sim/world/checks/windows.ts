// "No window of the platform was ever exceeded": counted here anew, plainly, from the moments at which
// calls arrived. With true priors no 429 and no hidden wait may be earned by our own pacing; when the
// truth is lower than believed, each chat may teach it only so often.

import {
  type Check,
  clockTime,
  type Evidence,
  type Finding,
  placeOf,
  type Try,
  toldToWait,
  wasForgotten,
} from '../evidence.ts';

// What the world believes; the same numbers as everybody else's, written down a second time on purpose.
const GROUP_PER_MINUTE = 20;
const PRIVATE_BURST = 5;
const BROADCAST_PER_SECOND = 30;
const REACTIONS_PER_MINUTE = 20;
const FLOODS_PER_CHAT_MAX = 3;

export const checkWindows: Check = (evidence) =>
  evidence.truth === 1 ? checkBelieved(evidence) : checkLearning(evidence);

function checkBelieved(evidence: Evidence): Finding[] {
  const findings: Finding[] = [];
  const judged = evidence.tries.filter((one) => one.call !== null);
  for (const one of judged) {
    const { cause, holdMs } = one.call!;
    if (cause === 'flood') findings.push(finding(evidence, one, 'earned a 429'));
    else if (holdMs > 0) findings.push(finding(evidence, one, `earned a wait of ${holdMs} ms`));
  }
  const taken = judged.filter((one) => one.call!.acceptedAt !== null && one.call!.cost > 0);
  taken.sort((a, b) => a.call!.arrivedAt - b.call!.arrivedAt);
  const reactions = taken.filter((one) => one.call!.method === 'setMessageReaction');
  for (const tries of groupBy(reactions, placeOf).values()) {
    findings.push(...exceeded(evidence, tries, REACTIONS_PER_MINUTE, 60_000, callsOf));
  }
  const counted = taken.filter((one) => isSend(one) || (isEdit(one) && evidence.edits !== 'free'));
  for (const tries of groupBy(counted, (one) => windowOf(one, evidence)).values()) {
    const isPrivate = !tries[0]!.chat.startsWith('-');
    if (isPrivate) findings.push(...exceeded(evidence, tries, PRIVATE_BURST, 5000, callsOf));
    else {
      findings.push(...exceeded(evidence, tries, GROUP_PER_MINUTE, 60_000, messagesOf));
      findings.push(...exceeded(evidence, tries, 1, 1000, callsOf));
    }
  }
  const unsolicited = taken.filter((one) => isUnsolicited(one, evidence));
  for (const tries of groupBy(unsolicited, (one) => one.token).values()) {
    findings.push(...exceeded(evidence, tries, BROADCAST_PER_SECOND, 1000, messagesOf));
  }
  return findings;
}

function checkLearning(evidence: Evidence): Finding[] {
  const floods = evidence.tries.filter(
    (one) => one.call?.cause === 'flood' && hasTaught(one, evidence),
  );
  return [...groupBy(floods, placeOf).values()]
    .filter((tries) => tries.length > FLOODS_PER_CHAT_MAX)
    .map((tries) => {
      const times = tries.map((one) => clockTime(one.call!.arrivedAt, evidence.startedAt));
      const facts = `chat ${tries[0]!.chat} earned ${tries.length} 429s: at ${times.join(', ')}`;
      return { check: 'windows', facts };
    });
}

// An answer that was lost on its way, or with the process, teaches nobody.
function hasTaught(one: Try, evidence: Evidence): boolean {
  return toldToWait(one) !== null && !wasForgotten(one, evidence);
}

// The naive count: is the one after the next `count` closer than the window is long?
function exceeded(
  evidence: Evidence,
  tries: readonly Try[],
  count: number,
  perMs: number,
  weight: (one: Try) => number,
): Finding[] {
  const times = tries.flatMap((one) => Array<Try>(weight(one)).fill(one));
  for (let i = 0; i + count < times.length; i++) {
    const from = times[i]!.call!.arrivedAt;
    const to = times[i + count]!;
    if (to.call!.arrivedAt - from < perMs) {
      const since = clockTime(from, evidence.startedAt);
      return [finding(evidence, to, `more than ${count} in ${perMs} ms (counted from ${since})`)];
    }
  }
  return [];
}

const callsOf = () => 1;
const messagesOf = (one: Try) => one.call!.cost;

// Which calls count together: all of a chat, or its edits apart.
function windowOf(one: Try, evidence: Evidence): string {
  return evidence.edits === 'separate' && isEdit(one) ? `${placeOf(one)} edits` : placeOf(one);
}

function isEdit(one: Try): boolean {
  return one.call!.method.startsWith('editMessage');
}

function isSend(one: Try): boolean {
  return one.call!.method.startsWith('send');
}

function isUnsolicited(one: Try, evidence: Evidence): boolean {
  if (!isSend(one)) return false;
  const wrote = evidence.wrote.get(placeOf(one)) ?? [];
  const now = one.call!.arrivedAt;
  return !wrote.some((at) => at <= now && now - at <= evidence.replyWindowMs);
}

function finding(evidence: Evidence, one: Try, what: string): Finding {
  const at = clockTime(one.call!.arrivedAt, evidence.startedAt);
  return {
    check: 'windows',
    facts: `chat ${one.chat} of ${one.token.split(':')[0]}: ${what} with #${one.number} at ${at}`,
  };
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}
