// npm run learning: how often what is learned of changing limits is as it must be (src/limits/learning.world.ts), for
// more trials than npm test has time for. `npm run learning -- 300 5000` plays 300 of each kind of account and 5000 of
// each kind of chat, a third number is the seed they follow from (default: a fresh one, printed). Prints the counts of
// each kind, and every trial that missed.

import {
  attempt,
  drawTrial,
  medianOf,
  missesOf,
  type Phase,
  SEED_MAX,
  TRIAL_KINDS,
  type TrialKind,
} from '../src/limits/learning.world.ts';
import { intBelow, type Random, seededRandom, systemRandom } from '../src/system/random.ts';

const USAGE =
  'npm run learning [-- <of an account> <of a chat> [<seed>]]: how many trials of each kind';
const asked = process.argv.slice(2);
if (asked.includes('--help') || asked.includes('-h')) {
  console.log(USAGE);
  process.exit(0);
}
const [ofAccount = 20, ofChat = 1000, seed = intBelow(systemRandom(), SEED_MAX)] =
  asked.map(Number);
if (![ofAccount, ofChat, seed].every((number) => Number.isInteger(number) && number >= 0)) {
  console.error(`expected whole numbers: ${USAGE}`);
  process.exit(2);
}
console.log(`seed ${seed}`);
let missed = 0;
for (const [index, kind] of TRIAL_KINDS.entries()) {
  const count = kind.rule.scope === 'account' ? ofAccount : ofChat;
  if (count > 0) missed += play(kind, count, seededRandom(seed + index));
}
process.exitCode = missed === 0 ? 0 : 1;

function play(kind: TrialKind, count: number, random: Random): number {
  const phases: Phase[] = [];
  let missed = 0;
  for (let n = 0; n < count; n++) {
    const { truths, seed } = drawTrial(kind, random);
    const played = attempt({ ...kind, truths, seed });
    phases.push(...played);
    const misses = played.map((phase) => missesOf(phase, kind));
    if (misses.every(({ length }) => length === 0)) continue;
    missed += 1;
    console.log(`${kind.name}: missed ${JSON.stringify({ misses, truths, seed })}`);
  }
  console.log(`${kind.name}: ${count} trials, ${missed} missed; ${sumOf(phases)}`);
  return missed;
}

function sumOf(phases: readonly Phase[]): string {
  const range = (of: (phase: Phase) => number, digits: number) => {
    const all = phases.map(of).sort((a, b) => a - b);
    const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
    return [all[0] ?? 0, mean, all.at(-1) ?? 0].map((one) => one.toFixed(digits)).join(' / ');
  };
  return [
    `${phases.length} changes, least / mean / most: used ${range(({ used }) => used, 3)}`,
    `believed ${range(({ believed }) => medianOf(believed), 3)}`,
    `refusals ${range(({ refusals }) => refusals, 2)}`,
    `then ${range(({ refusalsSettled }) => refusalsSettled, 2)}`,
    `minutes below half ${range(({ starvedMs }) => starvedMs / 60_000, 1)}`,
  ].join(', ');
}
