// The entry of `sluice` and of `npm start`: the real terminal, the real exit code.

import type { Terminal } from './io.ts';
import { runCli } from './program.ts';

const CLEAR_LINE = '\x1b[2K';
const [COLUMNS, ROWS] = [80, 24];

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  input: process.stdin,
  ...(process.stderr.isTTY ? { progress: drawOver } : {}),
  ...(process.stdout.isTTY ? { terminal: theTerminal() } : {}),
});

// A line that is wider than the terminal would take two, and only one of them would be drawn over.
function drawOver(line: string): void {
  const width = (process.stderr.columns || COLUMNS) - 1;
  process.stderr.write(`\r${CLEAR_LINE}${line.slice(0, width)}`);
}

function theTerminal(): Terminal {
  const { stdout } = process;
  return {
    // Some terminals do not know their size.
    size: () => ({ columns: stdout.columns || COLUMNS, rows: stdout.rows || ROWS }),
    write: (text) => void stdout.write(text),
  };
}
