// The flags of Node that the gateway runs with, in one place for all that start it. Plain JavaScript, because the
// machine's own Node may be too old for TypeScript.

import os from 'node:os';

const HELPERS_MAX = 4;
// An old Node does not count what a container may use.
const cores = os.availableParallelism?.() ?? os.cpus().length;
const helpers = Math.max(1, Math.min(HELPERS_MAX, cores - 1));

// Helpers of the garbage collector by the machine's cores: on a small one Node's four take them from the road. A bound
// on the young generation, in MiB: without it a thread may keep four times as much. No full collection before so many
// MiB have survived: while the heap grows there would be one every few seconds.
export const NODE_FLAGS = [
  `--v8-pool-size=${helpers}`,
  '--max-semi-space-size=16',
  '--initial-old-space-size=96',
];

// A process that was started without the flags becomes one that has them: the same process, so that signals and the
// exit code need no help. Where that cannot be done it goes on as it is.
export function ensureNodeFlags(script, args) {
  const isComplete = NODE_FLAGS.every((flag) => process.execArgv.includes(flag));
  if (isComplete || process.execve === undefined || process.platform === 'win32') return;
  const flags = [...process.execArgv, ...NODE_FLAGS];
  process.execve(process.execPath, [process.execPath, ...flags, script, ...args]);
}
