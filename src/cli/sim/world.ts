// sluice sim world: hours of traffic, faults and crashes on a virtual clock, from a seed; the promises are checked
// from outside. A broken world prints its seed, and the same seed breaks it again.

import type { Command } from 'commander';
import type { WorldOptions, WorldReport } from '../../sim/sim.ts';
import { type Clock, systemClock } from '../../system/clock.ts';
import { intBelow, systemRandom } from '../../system/random.ts';
import { Failed, type Io, printJson, WrongUsage } from '../io.ts';

interface Options {
  readonly seed?: string;
  readonly seeds: string;
  readonly hours?: string;
  readonly minutes?: string;
  readonly truth: string;
  readonly edits: 'shared' | 'separate' | 'free';
  readonly accounts?: string;
  readonly chats?: string;
  readonly crashes?: string;
  readonly platforms?: string;
  readonly trouble?: string;
  readonly nodes?: string;
  readonly json?: true;
}

const SEED_MAX = 2 ** 31;
// On a terminal a line is drawn over; elsewhere each is one more.
const DRAWN_MS = 500;
const PROGRESS_MS = 5_000;
const NODES_MAX = 20;
const MINUTES_DEFAULT = 10;
const MINUTES_MAX = 7 * 24 * 60;
// A world of an hour or more is a whole fleet; a short one is small, so that many of them are quick.
export const LARGE = { fromMinutes: 60, accounts: 20, chats: 500, crashes: 10 };
const SMALL = { accounts: 4, chats: 40, crashes: 2 };
// Its nodes crash, and never all of them at once.
const FLEET = { accounts: 6, chats: 40, crashes: 0 };

export function addWorld(sim: Command, io: Io, clock: Clock = systemClock()): void {
  sim
    .command('world')
    .description('run whole simulated worlds and check the promises')
    .option('--seed <n>', 'the seed of the first one (default: a fresh one, printed)')
    .option('--seeds <k>', 'how many worlds, with the seeds that follow', '1')
    .option('--hours <h>', 'virtual hours of traffic')
    .option('--minutes <m>', `virtual minutes of traffic (default: ${MINUTES_DEFAULT})`)
    .option('--truth <share>', 'the true limits as a share of what we believe', '1')
    .addOption(
      sim
        .createOption('--edits <how>', 'how the platform counts edits')
        .choices(['shared', 'separate', 'free'])
        .default('shared'),
    )
    .option('--accounts <n>', 'bots')
    .option('--chats <n>', 'chats of all of them')
    .option('--crashes <n>', 'crashes of the engine')
    .option('--platforms <names>', 'several on one engine, by commas, or all (default: one alone)')
    .option('--trouble <platform:kind>', 'outage, penalty or ban: run with it and without')
    .option('--nodes <n>', 'a fleet of so many nodes that fail, freeze and are cut off by turns')
    .option('--json', 'for programs')
    .action(async (options: Options) => {
      const isMixed = options.platforms !== undefined || options.trouble !== undefined;
      const reports = await (isMixed ? runMixed : runWorlds)(io, options, clock);
      const broken = reports.filter((report) => !report.ok);
      if (options.json) printJson(io, reports);
      else io.out(`${reports.length} run, ${broken.length} broken`);
      if (broken.length === 0) return;
      throw new Failed(`broken with seed ${broken.map(({ seed }) => seed).join(', ')}`);
    });
}

function seedsOf({ seed, seeds }: Options): { first: number; count: number } {
  const count = numberOf('--seeds', seeds, { min: 1, max: 1_000_000 });
  if (seed === undefined) return { first: intBelow(systemRandom(), SEED_MAX), count };
  return { first: numberOf('--seed', seed, { min: 0, max: SEED_MAX }), count };
}

// The bots and chats are shared among the platforms evenly.
async function runMixed(io: Io, options: Options, clock: Clock): Promise<WorldReport[]> {
  const { minutes, accounts, chats, crashes } = planOf(options);
  const { first, count } = seedsOf(options);
  const { formatReport } = await import('../../sim/sim.ts');
  const { mixedPlan, runMixedPlan } = await import('./mixed.ts');
  const plan = mixedPlan({ minutes, accounts, chats, crashes }, options);
  const { platforms } = plan;
  io.err(`${minutes} virtual minutes, ${platforms.join(', ')}, ${accounts} bots, each`);
  const reports: WorldReport[] = [];
  for (let i = 0; i < count; i++) {
    const seed = first + i;
    const name = `world ${seed} (${i + 1} of ${count})`;
    const onProgress = progressOf(io, name, minutes, clock);
    const report = await runMixedPlan(plan, seed, onProgress);
    io.progress?.('');
    reports.push(report);
    if (!options.json) io.out(formatReport(report));
  }
  return reports;
}

async function runWorlds(io: Io, options: Options, clock: Clock): Promise<WorldReport[]> {
  const plan = planOf(options);
  const { first, count } = seedsOf(options);
  const { runWorld, formatReport } = await import('../../sim/sim.ts');
  const { fleetEngine, worldEngine } = await import('../../app/simulated.ts');
  const nodes = numberOf('--nodes', options.nodes ?? '1', { min: 1, max: NODES_MAX });
  const reports: WorldReport[] = [];
  const { minutes, accounts, chats, crashes } = plan;
  io.err(`${minutes} virtual minutes, ${accounts} bots, ${chats} chats, ${crashes} crashes, each`);
  for (let i = 0; i < count; i++) {
    const seed = first + i;
    const name = `world ${seed} (${i + 1} of ${count})`;
    const onProgress = progressOf(io, name, minutes, clock);
    const makeEngine =
      nodes === 1
        ? worldEngine
        : fleetEngine({ nodes, disturbedMs: minutes * 60_000, pace: paceOf(seed) });
    const report = await runWorld({ ...plan, seed, makeEngine, onProgress });
    io.progress?.('');
    reports.push(report);
    if (!options.json) io.out(formatReport(report));
  }
  return reports;
}

// As fast as over Postgres, and as over Redis, by turns.
function paceOf(seed: number): 'postgres' | 'redis' {
  return seed % 2 === 0 ? 'postgres' : 'redis';
}

// Long worlds take minutes.
function progressOf(io: Io, name: string, minutes: number, clock: Clock) {
  const everyMs = io.progress === undefined ? PROGRESS_MS : DRAWN_MS;
  let toldAt = clock.now();
  return (minute: number): void => {
    if (clock.now() - toldAt < everyMs) return;
    toldAt = clock.now();
    const what = minute > minutes ? 'drains' : `minute ${Math.round(minute)} of ${minutes}`;
    if (io.progress === undefined) io.err(`${name}: ${what}`);
    else io.progress(`${name}: ${what}`);
  };
}

function planOf(options: Options): Omit<WorldOptions, 'seed' | 'makeEngine'> {
  const minutes = minutesOf(options);
  const short = options.nodes === undefined ? SMALL : FLEET;
  const size = minutes >= LARGE.fromMinutes ? LARGE : short;
  const count = (flag: string, text: string | undefined, usual: number, min: number) =>
    text === undefined ? usual : numberOf(flag, text, { min, max: 100_000 });
  return {
    minutes,
    accounts: count('--accounts', options.accounts, size.accounts, 1),
    chats: count('--chats', options.chats, size.chats, 1),
    crashes: count('--crashes', options.crashes, size.crashes, 0),
    truth: numberOf('--truth', options.truth, { min: 0.05, max: 1 }, 'any'),
    edits: options.edits,
  };
}

function minutesOf({ hours, minutes }: Options): number {
  if (hours !== undefined && minutes !== undefined) {
    throw new WrongUsage('give --hours or --minutes, not both');
  }
  if (hours !== undefined) {
    return 60 * numberOf('--hours', hours, { min: 0.01, max: MINUTES_MAX / 60 }, 'any');
  }
  if (minutes === undefined) return MINUTES_DEFAULT;
  return numberOf('--minutes', minutes, { min: 0.1, max: MINUTES_MAX }, 'any');
}

function numberOf(
  flag: string,
  text: string,
  bounds: { min: number; max: number },
  kind: 'whole' | 'any' = 'whole',
): number {
  const value = Number(text);
  const isRight = kind === 'any' ? Number.isFinite(value) : Number.isInteger(value);
  if (isRight && value >= bounds.min && value <= bounds.max) return value;
  const what = kind === 'any' ? 'a number' : 'a whole number';
  throw new WrongUsage(`${flag} = ${text}: expected ${what} from ${bounds.min} to ${bounds.max}`);
}
