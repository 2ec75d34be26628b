// Promise 5: once the engine was told to wait, nothing of it reaches that chat before the time is over,
// crashes or not; and once it was told that its token is worth nothing, it does not call at all, but to ask now and
// then whether that is so. Deletions and reactions are counted apart: a wait told to one of them is for its kind alone.

import {
  type Check,
  clockTime,
  type Evidence,
  type Finding,
  placeOf,
  type Try,
  tellTry,
  toldToWait,
  wasForgotten,
} from '../evidence.ts';

// A call is put on disk between the decision to make it and the wire: it may leave that much too late.
const DECIDED_MS_MAX = 25;
const ASKS_FOR_ITSELF = 'getMe';

interface Told {
  readonly knownAt: number;
  readonly until: number;
  readonly by: Try;
}

export const checkFreezes: Check = (evidence) => {
  const told = new Map<string, Told[]>();
  const add = (key: string, wait: Told) => {
    const list = told.get(key);
    if (list === undefined) told.set(key, [wait]);
    else list.push(wait);
  };
  for (const one of evidence.tries) {
    if (wasForgotten(one, evidence)) continue;
    const wait = toldToWait(one);
    if (wait !== null) add(scopeOf(one), { knownAt: one.endedAt, until: wait.until, by: one });
    if (one.said === 401) {
      add(one.token, { knownAt: one.endedAt, until: Number.POSITIVE_INFINITY, by: one });
    }
  }
  const calls = evidence.tries.filter((one) => one.call?.method !== ASKS_FOR_ITSELF);
  return calls.flatMap((one) => [
    ...brokenWaits(one, told.get(placeOf(one)) ?? [], evidence),
    ...brokenWaits(one, told.get(kindOf(one)) ?? [], evidence),
    ...brokenWaits(one, told.get(one.token) ?? [], evidence),
  ]);
};

function scopeOf(one: Try): string {
  return /^(send|edit)/.test(one.call!.method) ? placeOf(one) : kindOf(one);
}

function kindOf(one: Try): string {
  return `${placeOf(one)} ${one.call?.method}`;
}

function brokenWaits(one: Try, waits: readonly Told[], evidence: Evidence): Finding[] {
  const { call, leftAt } = one;
  if (call === null) return [];
  const broken = waits.find(
    ({ knownAt, until }) => leftAt > knownAt + DECIDED_MS_MAX && call.arrivedAt < until,
  );
  if (broken === undefined) return [];
  const { startedAt } = evidence;
  const until = Number.isFinite(broken.until) ? clockTime(broken.until, startedAt) : 'for good';
  const facts =
    `chat ${one.chat} was closed until ${until} (known at ${clockTime(broken.knownAt, startedAt)} ` +
    `by: ${tellTry(broken.by, startedAt)}), and yet #${one.number} ${tellTry(one, startedAt)}`;
  return [{ check: 'freezes', facts }];
}
