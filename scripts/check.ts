// npm run check: types, lint and format, the tidy rules, the generated pages. One line per step; what a failed step
// said comes below its line.

import { run } from './run.ts';

const STEPS: readonly { name: string; command: string; args: readonly string[] }[] = [
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
  { name: 'types of the page', command: 'tsc', args: ['-p', 'src/dashboard/web'] },
  { name: 'lint and format', command: 'biome', args: ['ci', '--colors=off', '.'] },
  { name: 'tidy rules', command: 'vitest', args: ['run', 'test/tidy.test.ts'] },
  { name: 'generated pages', command: process.execPath, args: ['scripts/docs.ts', '--check'] },
];

let failed = 0;
for (const { name, command, args } of STEPS) {
  const { code, output } = await run(command, args);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (code === 0) continue;
  failed++;
  console.log(output.trimEnd());
}
process.exit(failed);
