// npm run check: types, lint and format, the tidy rules, the table of parsers, the generated pages. One line per step;
// what a failed step said comes below its line. --untested: without the steps that all tests have among them.

import { run } from './run.ts';

interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  // Beside the tests, which want the processors themselves.
  readonly beside?: readonly string[];
}

// Four of them share the sources and each checks for itself what they have in common: half as much work again.
const ONE_CHECKER = ['--checkers', '1'];

const STEPS: readonly Step[] = [
  { name: 'types', command: 'tsc', args: ['-p', '.'], beside: ONE_CHECKER },
  { name: 'types of the page', command: 'tsc', args: ['-p', 'src/dashboard/web'] },
  { name: 'lint and format', command: 'biome', args: ['ci', '--colors=off', '.'] },
  { name: 'tidy rules', command: 'vitest', args: ['run', 'test/tidy.test.ts'] },
  {
    name: 'table of parsers',
    command: 'vitest',
    args: ['run', 'test/linear.test.ts', '-t', 'the table of parsers'],
  },
  { name: 'generated pages', command: process.execPath, args: ['scripts/docs.ts', '--check'] },
];

let failed = 0;
const isUntested = process.argv.includes('--untested');
for (const { name, command, args, beside = [] } of STEPS) {
  if (isUntested && command === 'vitest') continue;
  const { code, output } = await run(command, isUntested ? [...args, ...beside] : args);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (code === 0) continue;
  failed++;
  console.log(output.trimEnd());
}
process.exit(failed);
