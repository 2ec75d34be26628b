// Tests lie beside their file; test/ holds those of the whole house. No retries: a flake is a bug report.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'threads',
    maxWorkers: 2,
    // Generous, because time-outs are for what hangs; how fast things are is the benchmarks' business.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    retry: 0,
    reporters: ['default'],
  },
});
