// npm run worlds: the long ones, which npm test has no time for. 200 worlds of two hours and 20 of twelve, from seed 1
// on; numbers after `--` say how many of each instead (npm run worlds -- 50 5). Two at a time, each in a process of its
// own: start it with `nice` and look at the end. Worlds that this code has passed (the engine, the simulator and what
// checks them; not the page, nor the documents) are not run again, so a run that was stopped goes on where it was. What
// is played is a copy made at the start: work may go on beside it. A world that breaks a promise says which, where and
// why, and fails the run.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, printOf } from '../test/process/bundle.ts';
import { ROOT, run } from './run.ts';

interface Job {
  readonly hours: number;
  readonly seed: number;
}

const WORKERS = 2;
// A world makes much that is soon forgotten: with more room it is collected less often.
const NODE_FLAGS = ['--max-semi-space-size=256'];
const CACHE = join(ROOT, 'node_modules', '.cache', 'sluice-worlds');

const USAGE =
  'npm run worlds [-- <of 2 hours> <of 12 hours>]: how many worlds; without numbers 200 and 20';
const asked = process.argv.slice(2);
if (asked.includes('--help') || asked.includes('-h')) {
  console.log(USAGE);
  process.exit(0);
}
const [short = 200, long = 20] = asked.map(Number);
if (![short, long].every((count) => Number.isInteger(count) && count >= 0)) {
  console.error(`expected whole numbers: ${USAGE}`);
  process.exit(2);
}
// The long ones first: none of them is waited for alone at the end.
const wanted = [...jobs(12, long), ...jobs(2, short)];
const cli = await bundle();
const file = await passedFile();
const passed = readPassed(file);
const left = wanted.filter((job) => !passed.has(nameOf(job)));
console.log(`${wanted.length} worlds, ${wanted.length - left.length} of them passed before`);

const startedAt = performance.now();
const total = left.reduce((hours, job) => hours + job.hours, 0);
const broken: Job[] = [];
let [done, doneHours] = [0, 0];
const queue = left.values();
await Promise.all(Array.from({ length: WORKERS }, work));
const sum = `${left.length - broken.length} passed, ${broken.length} broken`;
console.log(broken.length === 0 ? sum : `${sum}: ${broken.map(nameOf).join(', ')}`);
process.exitCode = broken.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (const job of queue) await play(job);
}

async function play(job: Job): Promise<void> {
  const { hours, seed } = job;
  const began = performance.now();
  const world = ['sim', 'world', '--seed', String(seed), '--hours', String(hours)];
  const args = [...NODE_FLAGS, cli, ...world];
  const { code, output } = await run(process.execPath, args);
  const now = performance.now();
  done += 1;
  doneHours += hours;
  const leftMin = ((now - startedAt) / doneHours) * (total - doneHours) * (1 / 60_000);
  const took = `${Math.round((now - began) / 1000)} s; ${Math.ceil(leftMin)} min left`;
  console.log(
    `[${done}/${left.length}] ${nameOf(job)}: ${code === 0 ? 'kept' : 'BROKEN'}, ${took}`,
  );
  if (code === 0) {
    appendFileSync(file, `${nameOf(job)}\n`);
    return;
  }
  broken.push(job);
  console.log(output);
}

function jobs(hours: number, count: number): Job[] {
  return Array.from({ length: count }, (_, i) => ({ hours, seed: i + 1 }));
}

function nameOf({ hours, seed }: Job): string {
  return `${hours} h, seed ${seed}`;
}

// What this code has passed.
async function passedFile(): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  return join(CACHE, await printOf(['sim/sim.ts', 'app/simulated.ts', 'cli/sim/world.ts']));
}

function readPassed(name: string): ReadonlySet<string> {
  return existsSync(name) ? new Set(readFileSync(name, 'utf8').split('\n')) : new Set();
}
