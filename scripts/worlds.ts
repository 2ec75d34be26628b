// npm run worlds: the long ones, which npm test has no time for. 200 worlds of two hours and 20 of twelve, from seed 1
// on; numbers after `--` say how many of each instead (npm run worlds -- 50 5). Some hours on two cores: start it with
// `nice` and look at the end. A world that breaks a promise says which, where and why, and fails the run.

import { spawnSync } from 'node:child_process';

const [short = '200', long = '20'] = process.argv.slice(2);
const RUNS = [
  { hours: '2', seeds: short },
  { hours: '12', seeds: long },
];

let isBroken = false;
for (const { hours, seeds } of RUNS) {
  if (Number(seeds) === 0) continue;
  const args = ['bin/sluice.js', 'sim', 'world', '--seed', '1', '--seeds', seeds, '--hours', hours];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  isBroken ||= status !== 0;
}
process.exitCode = isBroken ? 1 : 0;
