// npm test: all tests with the checks beside them, then what the checks said, then one plain line with the sum.
// Arguments go to the test runner.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensure, TOOL_NAMES } from './ensure.ts';
import { ROOT, run } from './run.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly success: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
const file = join(folder, 'report.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];

// Before the clock of any test runs; what cannot be had is said, and its tests say so again.
const isWhole = process.argv.length === 2;
if (isWhole) {
  for (const name of TOOL_NAMES) await ensure(name);
}

// Tests wait a good part of their time: the checks have it.
const checking = run(process.execPath, ['scripts/check.ts', ...(isWhole ? ['--untested'] : [])]);
// Hundreds of processes and threads are started that load the same sources: they are compiled once.
const env = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'sluice-compiled') };
const args = ['run', ...reporters, ...process.argv.slice(2)];
const tested = await run('vitest', args, { show: true, env });

const checked = await checking;
console.log(checked.output.trimEnd());
const report = readReport();
// A file that cannot even be loaded has no failed test, but it failed.
const broken =
  report.success || report.numFailedTests > 0 ? 0 : Math.max(1, report.numFailedTestSuites);
const failed = report.numFailedTests + broken + checked.code;
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exit(failed > 0 || tested.code !== 0 ? 1 : 0);

function readReport(): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 1, success: false };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
