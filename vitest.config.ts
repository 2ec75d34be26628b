// Tests lie beside their file; test/ holds those of the whole gateway. No retries: a flake is a bug report.

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { bundleOf, withBundledThreads } from './test/process/bundle.ts';

// More than half a minute each; whoever is missing here only begins later.
const LONG = new RegExp(
  `/(?:${[
    'test/(?:at-night|fleet|fleet-faults|fleet-observers|linear|mixed-platforms|package|prometheus|worlds)',
    'test/page(?:-actions|-ingest|-readers|-sandbox)?',
    'src/limits/learning|src/store/sqlite/sqlite',
  ].join('|')})\\.test\\.ts$`,
);

// What takes longest goes first, then the other tests of the whole gateway: what is short fills the gaps at the end.
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification) =>
      LONG.test(moduleId) ? 0 : moduleId.includes('/src/') ? 2 : 1;
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

// Drawn once, here: the processes of the tests inherit it.
if (process.env.TEST_SEED === 'fresh') {
  process.env.TEST_SEED = String(Math.floor(Math.random() * 2 ** 31));
  console.log(`TEST_SEED=${process.env.TEST_SEED}`);
}

export default defineConfig({
  // Before types are stripped: the sources as they are.
  plugins: [
    {
      name: 'bundled threads',
      enforce: 'pre',
      transform: withBundledThreads,
      // What was transformed is kept from run to run, and so would be the bundle of another run.
      configureVitest: ({ defineCacheKeyGenerator }) => defineCacheKeyGenerator(bundleOf),
    },
  ],
  test: {
    // Not threads: V8 keeps one table of code pages for all threads of a process, and aborts when threads that end and
    // threads that compile meet in it (Check failed: jit_page.has_value()).
    pool: 'forks',
    // Simulated worlds make much garbage, and helpers of the collector take the cores from what they help.
    execArgv: ['--max-semi-space-size=64', '--v8-pool-size=1'],
    // One process for many files: most of a test's time was the loading of the same modules. So no test replaces a
    // module, and none leaves anything behind in one.
    isolate: false,
    // More than the cores of a small machine: many of them wait for a gateway, a browser or a limit.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/process/folder.ts', 'test/process/bundle.ts'],
    setupFiles: ['test/seed.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Generous, because time-outs are for what hangs; how fast things are is the benchmarks' business.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What is looked for again and again is waited for as patiently.
    expect: { poll: { timeout: 60_000 } },
    teardownTimeout: 10_000,
    // Of the tests in one file that may run beside each other, those of the clients: they wait, they do not compute.
    maxConcurrency: 20,
    retry: 0,
    reporters: ['default'],
  },
});
