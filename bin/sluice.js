#!/usr/bin/env node
// The entry of `npx sluice`, in plain JavaScript because the machine's own Node may be too old for TypeScript.
// It hands over to the Node that the project pins as a package; signals and the exit code pass through.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureNodeFlags, NODE_FLAGS } from './node-flags.js';

const NODE_MAJOR_MIN = 24;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
const CLI = fileURLToPath(new URL('../src/cli/cli.ts', import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) {
  // Other commands are over before the flags would count.
  if (process.argv[2] === 'serve') ensureNodeFlags(CLI, process.argv.slice(2));
  // In this very process: whoever kills it must not leave a gateway behind.
  await import('../src/cli/cli.ts');
} else {
  handOver(findNode());
}

function handOver(node) {
  if (node !== null) return run(node);
  console.error(
    `sluice needs Node ${NODE_MAJOR_MIN} or newer, and this is ${process.version}. Install a newer one; ` +
      `in a checkout, \`npm ci\` brings it as the package ${packageName()}, but for --omit=optional.`,
  );
  process.exit(1);
}

function findNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName()}/package.json`);
    const binary = process.platform === 'win32' ? 'node.exe' : 'node';
    const path = join(dirname(manifest), 'bin', binary);
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

function packageName() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return `node-${platform}-${process.arch}`;
}

function run(path) {
  const child = spawn(path, [...NODE_FLAGS, CLI, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of SIGNALS) {
    // A terminal sends Ctrl-C to the whole group: the child has it already and decides when to end.
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`sluice: cannot run ${path}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? code : 128 + constants.signals[signal]);
  });
}
