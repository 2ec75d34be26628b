// The entry of `sluice` and of `npm start`: the real terminal, the real exit code.

import { runCli } from './program.ts';

const CLEAR_LINE = '\x1b[2K';

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  input: process.stdin,
  ...(process.stderr.isTTY ? { progress: drawOver } : {}),
});

function drawOver(line: string): void {
  process.stderr.write(`\r${CLEAR_LINE}${line}`);
}
