// Tests lie beside their file; test/ holds those of the whole house. No retries: a flake is a bug report.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Not threads: V8 keeps one table of code pages for all threads of a process, and aborts when threads that end and
    // threads that compile meet in it (Check failed: jit_page.has_value()).
    pool: 'forks',
    // One more than the cores of a small machine: many of them wait for a gateway, a browser or a limit.
    maxWorkers: 3,
    // Generous, because time-outs are for what hangs; how fast things are is the benchmarks' business.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is looked for again and again is waited for as patiently.
    expect: { poll: { timeout: 20_000 } },
    teardownTimeout: 10_000,
    // Of the tests in one file that may run beside each other, those of the clients: they wait, they do not compute.
    maxConcurrency: 20,
    retry: 0,
    reporters: ['default'],
  },
});
